"""What beat does, kept in django-celery-beat's tables so that an operator sees and may pause it."""

from django_celery_beat.models import IntervalSchedule, PeriodicTask

from core.settings import Settings

DUE_CRAWLS_INTERVAL_S = 60  # a site's time of day is met within a minute


def ensure_schedule(settings: Settings) -> None:
    """Write the two periodic tasks; one that an operator has disabled stays so."""
    _every("zhuiwen: sweep", "pipeline.sweep", max(1, round(settings.pipeline.sweep_interval_s)))
    _every("zhuiwen: start due crawls", "pipeline.start_due_crawls", DUE_CRAWLS_INTERVAL_S)


def _every(name: str, task: str, seconds: int) -> None:
    interval, _ = IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)
    # A tick that waited longer than its interval is worth nothing: the next one does the same.
    PeriodicTask.objects.update_or_create(
        name=name, defaults={"task": task, "interval": interval, "crontab": None, "expire_seconds": seconds}
    )
