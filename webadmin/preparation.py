"""Prepares the start of the workers: writes the schedule, builds a missing index, and recovers from a power loss.

Run as `python -m webadmin.process webadmin.preparation [--alone]`; `--alone` means that no worker of this installation
runs anywhere.
"""

import json

from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from core.clock import SystemClock
from core.settings import Settings
from core.wording import Message
from pipeline.app import SETTINGS
from pipeline.connections import redis_client
from pipeline.pending import forget_taken
from pipeline.rebuild import rebuild_index
from pipeline.redis_lock import MAINTENANCE, SEARCH, forget_lock, redis_lock
from webadmin.sites.services.interruptions import requeue_live_runs
from webadmin.sites.services.runs import set_clock_back
from webadmin.stores import live
from webadmin.works.services.catalogue import corpus_texts


def main(arguments: list[str]) -> int:
    """Prepare the start of the workers, print a message in JSON for each change, and return 0. Safe to repeat."""
    ensure_schedule(SETTINGS)
    if count := set_clock_back(SystemClock().now()):
        _print_message(Message("start.set-back", count=count))
    ports, client = live(SETTINGS), redis_client(SETTINGS)
    if "--alone" in arguments:
        for name in (MAINTENANCE, SEARCH):
            forget_lock(client, name)
        dropped = forget_taken(client)
        interrupted = requeue_live_runs(ports.outbox)
        if dropped or interrupted:
            _print_message(Message("start.taken-up", messages=dropped, runs=interrupted))
    with redis_lock(client, MAINTENANCE) as is_ours:
        if is_ours and ports.index.state().generation == 0:
            missing = rebuild_index(ports, corpus_texts())
            if missing:
                _print_message(Message("start.index-made", count=len(missing)))
    return 0


def _print_message(message: Message) -> None:
    """Print a message in JSON for the parent process, which knows the user's language."""
    print(json.dumps(message.to_json()))  # noqa: T201


DUE_CRAWLS_INTERVAL_S = 60  # a crawl starts within a minute of its time of day
REWORDED_INTERVAL_S = 60  # Three index look-ups show whether anything is due.
DISCOVERY_INTERVAL_S = 600  # a round takes 4 minutes at most
DAILY_HOUR = 5  # in the operator's time zone: after the crawls, which start at 3 by default
STATISTICS_HOUR = 1  # blocks writers for a second or two
EVIDENCE_HOUR = 2  # runs before the crawls; reading 10 GB of bundles takes some minutes
STORES_HOUR = 4  # runs after the evidence check; a seventh of 100,000 pages takes minutes
STAMPS_INTERVAL_S = 900  # retries failed requests for timestamps after a pause; usually nothing is due
BACKUP_INTERVAL_S = 300  # a backup begins within five minutes of its time of day
REMOVALS_INTERVAL_S = 300  # the results of a crawl are processed within minutes; the checks are a day apart
DAY_S = 24 * 3600


def ensure_schedule(settings: Settings) -> None:
    """Create or update the periodic tasks. Disabled tasks stay disabled, and daily tasks keep a changed time."""
    _ensure_interval_task("zhuiwen: sweep", "cases.sweep", max(1, round(settings.pipeline.sweep_interval_s)))
    _ensure_interval_task("zhuiwen: start due crawls", "sites.start_due_crawls", DUE_CRAWLS_INTERVAL_S)
    _ensure_interval_task("zhuiwen: comparison by meaning", "rewrites.search_reworded", REWORDED_INTERVAL_S)
    _ensure_interval_task("zhuiwen: discovery", "sites.discover", DISCOVERY_INTERVAL_S)
    _ensure_daily_task("zhuiwen: daily comparison", "cases.compare_daily", settings.web.time_zone)
    _ensure_daily_task(
        "zhuiwen: database statistics", "backups.refresh_statistics", settings.web.time_zone, STATISTICS_HOUR
    )
    _ensure_interval_task("zhuiwen: removals of pages", "notices.follow_removals", REMOVALS_INTERVAL_S)
    _ensure_interval_task("zhuiwen: stamp evidence", "evidence.stamp_evidence", STAMPS_INTERVAL_S)
    _ensure_interval_task("zhuiwen: backup", "backups.back_up", BACKUP_INTERVAL_S)
    _ensure_daily_task("zhuiwen: check evidence", "evidence.check_evidence", settings.web.time_zone, EVIDENCE_HOUR)
    _ensure_daily_task("zhuiwen: check stores", "backups.check_stores", settings.web.time_zone, STORES_HOUR)


def _ensure_interval_task(name: str, task: str, seconds: int) -> None:
    interval, _ = IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)
    # A message that has waited longer than its interval expires, because the next message does the same work.
    PeriodicTask.objects.update_or_create(
        name=name, defaults={"task": task, "interval": interval, "crontab": None, "expire_seconds": seconds}
    )


def _ensure_daily_task(name: str, task: str, zone: str, hour: int = DAILY_HOUR) -> None:
    at, _ = CrontabSchedule.objects.get_or_create(
        minute="0", hour=str(hour), day_of_week="*", day_of_month="*", month_of_year="*", timezone=zone
    )
    PeriodicTask.objects.get_or_create(name=name, defaults={"task": task, "crontab": at, "expire_seconds": DAY_S})
