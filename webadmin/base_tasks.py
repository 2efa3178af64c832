"""Error handling for the tasks of all applications.

A task that raises RetryLater is retried with increasing delays. BadInput is logged and not retried. A message that
raises any other error, or that repeatedly kills the worker, is recorded as a FailedMessage for an operator.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from celery import Task
from celery.exceptions import CeleryError

from core.errors import BadInput, RetryLater
from core.ids import digest
from pipeline.app import SETTINGS
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from pipeline.connections import redis_client
from webadmin.accounts.services import failures
from webadmin.database import AWAY, is_outage

log = logging.getLogger("zhuiwen.pipeline")
MAX_BACKOFF_S = 600
SERVICE_AWAY = (RetryLater, *AWAY)  # Retried, although some are bugs: see _is_service_away.


class StepTask(Task):
    """A task that is retried after temporary errors; permanent errors are recorded."""

    autoretry_for = SERVICE_AWAY
    max_retries = SETTINGS.pipeline.max_retries
    retry_backoff = SETTINGS.pipeline.retry_backoff_s
    retry_backoff_max = MAX_BACKOFF_S
    retry_jitter = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """Record the failed message for an operator. Celery calls this once, when no retry is left."""
        log.error("%s %s failed: %s", self.name, kwargs, exc)
        failures.note_failure(self.name, str(next(iter(kwargs.values()), "")), exc)


class PeriodicTask(StepTask):
    """A scheduled task without retries, because its next run makes up for a failed one."""

    abstract = True
    max_retries = 0

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        if _is_service_away(exc):
            log.warning("%s waits for its next turn: %s", self.name, exc)
        else:
            super().on_failure(exc, task_id, args, kwargs, einfo)


class PagesStep(StepTask):
    """A task for several page versions, in which a version that fails or crashes the worker does not block the others.

    If a message with several versions fails, or is delivered again because its worker died, it is split into one
    message per version. A version that crashes its worker MAX_ATTEMPTS times is recorded as failed.
    """

    abstract = True

    def __call__(self, version_ids: Sequence[str]) -> Any:
        attempts = Attempts(redis_client(SETTINGS), self.name, digest("".join(version_ids).encode()))
        count = attempts.begin()
        try:
            if count > MAX_ATTEMPTS:
                failures.note_failure(self.name, version_ids[0], failures.WORKER_DIED)
            elif count > 1 and len(version_ids) > 1:
                self._split_message(version_ids)
            else:
                self._run_step(version_ids)
        finally:
            attempts.end()  # The count remains only if a worker died.

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """Record the failed version for an operator. Celery calls this once, when no retry is left."""
        version_ids = kwargs["version_ids"]
        log.error("%s %s failed: %s", self.name, version_ids, exc)
        # The sweeper resends the versions of a longer message, and those that failed because of a long outage.
        if len(version_ids) == 1 and not _is_service_away(exc):
            failures.note_failure(self.name, version_ids[0], exc)

    def _run_step(self, version_ids: Sequence[str]) -> None:
        try:
            super().__call__(version_ids=version_ids)
        except CeleryError:
            raise
        except Exception as error:
            if _is_service_away(error):
                raise
            if len(version_ids) == 1 and isinstance(error, BadInput):
                log.warning("%s: %s", self.name, error)
            elif len(version_ids) == 1:
                raise
            else:
                log.info(
                    "%s: one of %d pages is at fault (%s); each is tried alone", self.name, len(version_ids), error
                )
                self._split_message(version_ids)

    def _split_message(self, version_ids: Sequence[str]) -> None:
        for version in version_ids:
            self.apply_async(kwargs={"version_ids": [version]}, retry=False)


def _is_service_away(error: BaseException) -> bool:
    return isinstance(error, RetryLater) or is_outage(error)


def log_bad_input(name: str, call: Callable[[], object]) -> None:
    """Call `call`, and log a BadInput error under `name`, the task's name, instead of raising it."""
    try:
        call()
    except BadInput as error:
        log.warning("%s: %s", name, error)
