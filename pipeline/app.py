"""The Celery application: its queues, acknowledgement and limits. `webadmin.celery` adds the tasks."""

import os

from celery import Celery

from core.redis_names import QUEUE_PREFIX
from core.service_urls import celery_broker
from core.settings_loading import load

SETTINGS = load(os.environ)

STEP_LIMIT_S = 300  # the largest page took 4 s (1.6 M characters against itself); a minute later the step is killed
PAGES_VISIBILITY_S = 900  # a step takes milliseconds; a message not acknowledged by then goes to another worker

CRAWL_QUEUE, REWORDED_QUEUE = "crawl", "reworded"
# supervisord gives a worker a minute (deploy.services.processes); Scrapy's own limit for one download is 30 s.
CRAWLS_END_WITHIN_S = 50.0

app = Celery("zhuiwen")
app.conf.update(
    broker_url=celery_broker(SETTINGS.redis_url),
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": PAGES_VISIBILITY_S,
        "global_keyprefix": QUEUE_PREFIX,
        # Senders fail at once if the broker is down; the sweeper sends again.
        "max_retries": 1,
        "interval_start": 0,
        "interval_max": 0.2,
        # In the order of a worker's queues: evidence waits until pages are compared.
        "queue_order_strategy": "priority",
    },
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_default_queue="pages",
    task_routes={
        "sites.crawl_site": {"queue": CRAWL_QUEUE},
        "backups.back_up": {"queue": CRAWL_QUEUE},
        "sites.discover": {"queue": CRAWL_QUEUE},
        "sites.look_up_contacts": {"queue": CRAWL_QUEUE},
        "notices.send_mail": {"queue": CRAWL_QUEUE},
        "rewrites.search_reworded": {"queue": REWORDED_QUEUE},
        "evidence.bundle_evidence": {"queue": "evidence"},
        "evidence.draw_evidence": {"queue": "evidence"},
        "works.register_work": {"queue": "works"},
        "works.withdraw_work": {"queue": "works"},
        "cases.rule_again": {"queue": "works"},
        "cases.ask_engines": {"queue": "works"},
        "cases.search_pages": {"queue": "works"},
        "cases.sweep": {"queue": "works"},
        "cases.compare_daily": {"queue": "works"},
        "evidence.stamp_evidence": {"queue": "works"},
        "notices.follow_removals": {"queue": "works"},
        "evidence.check_evidence": {"queue": "works"},
        "backups.check_stores": {"queue": "works"},
        "backups.refresh_statistics": {"queue": "works"},
        "sites.start_due_crawls": {"queue": "works"},
    },
    task_acks_late=True,
    task_reject_on_worker_lost=True,  # pipeline.attempts limits the repetitions
    task_soft_time_limit=STEP_LIMIT_S,
    task_time_limit=STEP_LIMIT_S + 60,
    worker_prefetch_multiplier=1,  # a message has many ids; the others wait where any worker can take them
    worker_max_memory_per_child=1_500_000,  # KiB; a larger child is replaced after its task
    worker_hijack_root_logger=False,
    timezone="UTC",
    enable_utc=True,
    beat_max_loop_interval=10,  # s; deploy.services.health allows more
)
app.set_default()
