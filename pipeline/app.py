"""The Celery application: queues, acknowledgement, limits. Steps are in `pipeline.steps`, tasks in `pipeline.tasks`."""

import os

import django
import psutil
from celery import Celery
from celery.signals import worker_process_init, worker_shutting_down
from django.db import connections

from core.settings import load

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webadmin.settings")
SETTINGS = load(os.environ)

STEP_LIMIT_S = 300  # the largest page met took 4 s (1.6 M characters against itself); a minute more, and it is killed
PAGES_VISIBILITY_S = 900  # a step takes milliseconds; a message not acknowledged by then is given to another worker

CRAWL_MODULE = "pipeline.crawl_process"

app = Celery("zhuiwen")
app.conf.update(
    broker_url=SETTINGS.redis_url,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": PAGES_VISIBILITY_S,
        "global_keyprefix": "zw:queue:",
        # A sender that meets a broker that is down says so at once: the sweeper sends again.
        "max_retries": 1,
        "interval_start": 0,
        "interval_max": 0.2,
    },
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_default_queue="pages",
    task_routes={
        "pipeline.crawl_site": {"queue": "crawl"},
        "pipeline.take_imports": {"queue": "crawl"},
        "pipeline.discover": {"queue": "crawl"},
        "pipeline.register_work": {"queue": "works"},
        "pipeline.withdraw_work": {"queue": "works"},
        "pipeline.search_pages": {"queue": "works"},
        "pipeline.sweep": {"queue": "works"},
        "pipeline.compare_daily": {"queue": "works"},
        "pipeline.stamp_evidence": {"queue": "works"},
        "pipeline.check_evidence": {"queue": "works"},
        "pipeline.start_due_crawls": {"queue": "works"},
    },
    task_acks_late=True,
    task_reject_on_worker_lost=True,  # pipeline.attempts sees to it that this ends
    task_soft_time_limit=STEP_LIMIT_S,
    task_time_limit=STEP_LIMIT_S + 60,
    worker_prefetch_multiplier=4,
    worker_max_memory_per_child=1_500_000,  # KiB; a child that grew beyond is replaced after its task
    worker_hijack_root_logger=False,
    timezone="UTC",
    enable_utc=True,
    imports=["pipeline.tasks"],
    beat_scheduler="django_celery_beat.schedulers:DatabaseScheduler",
    beat_max_loop_interval=10,  # s
)
app.set_default()


def setup_django() -> None:
    """Make the ORM usable; safe to call again."""
    django.setup()


@worker_process_init.connect
def _fresh_connections(**_: object) -> None:
    connections.close_all()  # a forked child must not share its parent's database handle


@worker_shutting_down.connect
def _stop_crawls(**_: object) -> None:
    """Let crawls end after the pages in flight; they are queued again and go on from there."""
    for process in psutil.Process().children(recursive=True):
        try:
            if CRAWL_MODULE in process.cmdline():
                process.terminate()
        except psutil.Error:
            continue  # it has ended by itself


setup_django()
