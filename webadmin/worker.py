"""Handlers of Celery's worker signals; Celery imports this module before it forks."""

import os

from celery.signals import heartbeat_sent, worker_init, worker_process_init, worker_shutdown, worker_shutting_down
from django.db import connections

from core.garbage import freeze_loaded_objects, return_unneeded_memory
from core.heartbeat import write_heartbeat
from matcher.warm_up import warm_up
from pipeline.app import CRAWL_QUEUE, CRAWLS_END_WITHIN_S, REWORDED_QUEUE, SETTINGS, app
from webadmin.sites.services import crawlers
from webadmin.stores import live


@worker_init.connect
def _warm_up(**_: object) -> None:
    """Load the data for comparisons before the pool forks, so that its processes share the memory."""
    live(SETTINGS)
    warm_up()
    connections.close_all()
    freeze_loaded_objects()
    return_unneeded_memory("libllvmlite")  # 50 MB of it were read to load the kernels


@worker_process_init.connect
def _fresh_connections(**_: object) -> None:
    connections.close_all()  # A forked child must not share its parent's database connection.


@heartbeat_sent.connect
def _give_sign_of_life(**_: object) -> None:
    """Write a heartbeat and restart a lost crawler, every 2 s.

    The signal comes from the loop that reads from the broker, which does not wait for child processes.
    """
    write_heartbeat(SETTINGS.home, os.environ)
    if _starts_processes():
        crawlers.restart_lost_crawler(SETTINGS)


@worker_shutting_down.connect
def _stop_crawlers(**_: object) -> None:
    """Stop the crawls after their current requests. They are queued again and resume at that point."""
    if _starts_processes():
        crawlers.stop_jobs(SETTINGS.home)


@worker_shutdown.connect
def _wait_for_crawlers(**_: object) -> None:
    """Wait until the crawlers have ended, because the stores stop next."""
    if _starts_processes():
        crawlers.wait_until_ended(SETTINGS.home, CRAWLS_END_WITHIN_S)


def _starts_processes() -> bool:
    return not {CRAWL_QUEUE, REWORDED_QUEUE}.isdisjoint(app.amqp.queues.consume_from)
