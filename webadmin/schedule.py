"""What beat does, kept in django-celery-beat's tables so that an operator sees and may pause it."""

from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from core.settings import Settings

DUE_CRAWLS_INTERVAL_S = 60  # a site's time of day is met within a minute
IMPORTS_INTERVAL_S = 60
REWORDED_INTERVAL_S = 60  # whether anything is owed is asked of three indexes
DISCOVERY_INTERVAL_S = 600  # a round takes 4 minutes at most
DAILY_HOUR = 5  # of the operator's zone: behind the crawls, which begin at 3 where nobody chose another time
STATISTICS_HOUR = 1  # holds up what is written for a second or two
EVIDENCE_HOUR = 2  # before the crawls; reading 10 GB of bundles takes some minutes
STORES_HOUR = 4  # behind the check of the evidence; a seventh of 100,000 pages takes minutes
STAMPS_INTERVAL_S = 900  # an authority that was away is asked again when its pause is over; mostly nothing is due
BACKUP_INTERVAL_S = 300  # a backup begins within five minutes of the time of day that the desk sets
REMOVALS_INTERVAL_S = 300  # what a crawl saw is told within minutes of its end; looks themselves are a day apart
DAY_S = 24 * 3600


def ensure_schedule(settings: Settings) -> None:
    """Write the periodic tasks; one that an operator has disabled stays so, and the daily one where it was moved to."""
    _every("zhuiwen: sweep", "cases.sweep", max(1, round(settings.pipeline.sweep_interval_s)))
    _every("zhuiwen: start due crawls", "sites.start_due_crawls", DUE_CRAWLS_INTERVAL_S)
    _every("zhuiwen: archive imports", "sites.take_imports", IMPORTS_INTERVAL_S)
    _every("zhuiwen: comparison by meaning", "rewrites.search_reworded", REWORDED_INTERVAL_S)
    _every("zhuiwen: discovery", "sites.discover", DISCOVERY_INTERVAL_S)
    _daily("zhuiwen: daily comparison", "cases.compare_daily", settings.web.time_zone)
    _daily("zhuiwen: database statistics", "backups.refresh_statistics", settings.web.time_zone, STATISTICS_HOUR)
    _every("zhuiwen: removals of pages", "notices.follow_removals", REMOVALS_INTERVAL_S)
    _every("zhuiwen: stamp evidence", "evidence.stamp_evidence", STAMPS_INTERVAL_S)
    _every("zhuiwen: backup", "backups.back_up", BACKUP_INTERVAL_S)
    _daily("zhuiwen: check evidence", "evidence.check_evidence", settings.web.time_zone, EVIDENCE_HOUR)
    _daily("zhuiwen: check stores", "backups.check_stores", settings.web.time_zone, STORES_HOUR)


def _every(name: str, task: str, seconds: int) -> None:
    interval, _ = IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)
    # A tick that waited longer than its interval is worth nothing: the next one does the same.
    PeriodicTask.objects.update_or_create(
        name=name, defaults={"task": task, "interval": interval, "crontab": None, "expire_seconds": seconds}
    )


def _daily(name: str, task: str, zone: str, hour: int = DAILY_HOUR) -> None:
    at, _ = CrontabSchedule.objects.get_or_create(
        minute="0", hour=str(hour), day_of_week="*", day_of_month="*", month_of_year="*", timezone=zone
    )
    PeriodicTask.objects.get_or_create(name=name, defaults={"task": task, "crontab": at, "expire_seconds": DAY_S})
