"""Waits for crawls, shows their progress, and detects that no worker is running."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import RetryLater
from core.settings import Settings
from core.wording import Message
from deploy.outages import MAX_OUTAGE_S, Outages
from webadmin.ui.console.faults import complain
from webadmin.ui.console.interrupts import Interrupts, record_interrupts
from webadmin.ui.console.output import Meter, progress

if TYPE_CHECKING:
    from pipeline.pending import Pending
    from webadmin.sites.models import CrawlRun

POLL_S = 0.5
MAX_QUEUED_TO_NAME = 2  # chosen: three names of sites fill a line of a terminal


@dataclass(frozen=True, slots=True)
class Patience:
    """The times without any change after which workers are pinged, pinged again and given up.

    A busy worker responds within a second or two; the supervisor restarts a dead worker within half a minute.
    """

    asked_after_s: float = 20.0
    asked_every_s: float = 10.0
    given_up_after_s: float = 120.0


USUAL = Patience()


def wait_for_runs(
    runs: "Sequence[CrawlRun]", settings: Settings, patience: Patience = USUAL, max_outage_s: float = MAX_OUTAGE_S
) -> "list[CrawlRun]":
    """Wait until the runs have ended and their pages have been compared with the corpus, and return the runs.

    An interrupted run is replaced by the run that resumed it. The time in the queue is not limited. Raises RetryLater
    if no worker responds for too long, or if a service is down longer than `max_outage_s`.
    """
    followed = list(runs)
    try:
        with progress(Message("tracking.waiting")) as meter, record_interrupts() as interrupts:
            crawlers = RunWatch(settings, "crawl", Message("tracking.no-crawler"), patience)
            outages = Outages(meter.text, interrupts.check, max_outage_s)
            _wait_until_ended(followed, crawlers, meter, interrupts, outages)
            workers = RunWatch(settings, "pages", Message("tracking.no-worker"), patience)
            _wait_until_compared(settings, workers, meter, interrupts, outages)
    except KeyboardInterrupt:
        complain(Message("tracking.no-longer", outcome=_describe_continuation(followed)))
        raise
    return followed


def _describe_continuation(runs: "Sequence[CrawlRun]") -> Message:
    """Return a message on what happens to the runs after this command has ended."""
    queued = [run for run in runs if run.state == run.State.QUEUED]
    if queued:
        named = [Message("tracking.run-of", run=run.pk, site=run.site.name) for run in queued]
        return Message("tracking.stays-queued", runs=named)
    if any(run.state in run.LIVE for run in runs):
        return Message("tracking.goes-on")
    return Message("tracking.has-ended")


def _wait_until_ended(
    runs: "list[CrawlRun]", watch: "RunWatch", meter: Meter, interrupts: Interrupts, outages: Outages
) -> None:
    """Wait until all runs have ended; replace interrupted runs in `runs` by the runs that resumed them."""
    from webadmin.sites.services.interruptions import newest_run

    def states() -> list[Message]:
        runs[:] = map(newest_run, runs)
        live = [run for run in runs if run.state in run.LIVE]
        if live:
            watch.saw([(run.pk, run.state, run.heartbeat_at) for run in live])
        return [*_describe_states(live), *_describe_queue(live), *watch.warning] if live else []

    while True:
        interrupts.check()
        said = outages.repeat_until_back(states, watch.begin_again)
        if not said:
            return
        meter.text(Message("tracking.several", states=said))
        time.sleep(POLL_S)


def _describe_states(live: "Sequence[CrawlRun]") -> list[Message]:
    """Return a message on each run; if many are queued, on the runs in progress and on the number of queued runs."""
    in_progress = [run for run in live if run.state == run.State.RUNNING]
    queued = len(live) - len(in_progress)
    if queued <= MAX_QUEUED_TO_NAME:
        return list(map(_describe_state, live))
    return [*map(_describe_state, in_progress), Message("tracking.many-queued", count=queued)]


def _describe_state(run: "CrawlRun") -> Message:
    """Return a message on the state of a run; waiting times are rounded so that few lines are printed."""
    from django.utils import timezone

    if run.state == run.State.RUNNING:
        return Message("tracking.running", site=run.site.name, pages=run.pages_fetched)
    if run.resume_at is not None and run.resume_at > timezone.now():
        when = f"{timezone.localtime(run.resume_at):%Y-%m-%d %H:%M}"
        if run.outages and run.finish_reason is not None:
            return Message("tracking.queued-because", site=run.site.name, reason=run.finish_reason)
        return Message("tracking.queued-until", site=run.site.name, when=when)
    minutes = int((timezone.now() - run.due_at).total_seconds() // 60)
    if minutes >= 10:
        minutes -= minutes % 10
    if minutes <= 0:
        return Message("tracking.queued", site=run.site.name)
    return Message("tracking.queued-for", site=run.site.name, minutes=minutes)


def _describe_queue(live: "Sequence[CrawlRun]") -> list[Message]:
    """Return a message on the number of other running crawls if one of these runs is queued, otherwise nothing."""
    from webadmin.sites.models import CrawlRun

    if all(run.state == run.State.RUNNING for run in live):
        return []
    others = CrawlRun.objects.filter(state=CrawlRun.State.RUNNING).exclude(pk__in=[run.pk for run in live]).count()
    return [Message("tracking.others-running", count=others)] if others else []


def _wait_until_compared(
    settings: Settings, watch: "RunWatch", meter: Meter, interrupts: Interrupts, outages: Outages
) -> None:
    from pipeline.connections import redis_client
    from pipeline.pending import pending
    from pipeline.redis_lock import MAINTENANCE, redis_lock
    from webadmin.cases.services.maintenance import sweep_all
    from webadmin.stores import live

    client, ports = redis_client(settings), live(settings)

    def is_done() -> bool:
        left = _count_messages(pending(client))
        watch.saw(left)
        if left:
            meter.text(
                Message("tracking.several", states=[Message("tracking.messages-left", left=left), *watch.warning])
            )
            return False
        with redis_lock(client, MAINTENANCE) as is_ours:  # comparisons may be due without a message
            return is_ours and sweep_all(ports).found_nothing

    while True:
        interrupts.check()
        if outages.repeat_until_back(is_done, watch.begin_again):
            return
        time.sleep(POLL_S)


def _count_messages(left: "Pending") -> int:
    return left.total - left.waiting.get("crawl", 0)


class RunWatch:
    """Detects that no worker processes a queue: pings the workers if the state of the work does not change.

    told: the message to the user if no worker responds.
    """

    def __init__(self, settings: Settings, queue: str, told: Message, patience: Patience) -> None:
        self._settings, self._queue, self._told, self._patience = settings, queue, told, patience
        self._seen: object = None
        self._alive_at = self._asked_at = time.monotonic()
        self.warning: tuple[Message, ...] = ()

    def saw(self, state: object) -> None:
        """Record the current state of the work, and ping the workers if it has not changed for some time.

        Raises RetryLater if the state has not changed and no worker has responded for too long.
        """
        now = time.monotonic()
        if state != self._seen:
            self._seen = state
            self._note_life(now)
            return
        if now - self._alive_at < self._patience.asked_after_s or now - self._asked_at < self._patience.asked_every_s:
            return
        hindrance = self._find_hindrance()
        if hindrance is None:
            self._note_life(time.monotonic())
            return
        self._asked_at = time.monotonic()
        told, remedy = hindrance
        self.warning = (told,)
        if self._asked_at - self._alive_at > self._patience.given_up_after_s:
            raise RetryLater("start.problem-and-remedy", problem=told, remedy=remedy)

    def begin_again(self) -> None:
        """Restart the timers, because nothing could change while a service was down."""
        self._note_life(time.monotonic())

    def _find_hindrance(self) -> tuple[Message, Message] | None:
        """Return the reason why the work makes no progress and its remedy, or None if a worker responds.

        Raises ServiceUnavailable if the broker is down.
        """
        from core import disk
        from deploy.services import health
        from pipeline.connections import redis_client
        from pipeline.pending import pending

        for space in disk.full_file_systems(self._settings):
            return space.problem, space.remedy
        pending(redis_client(self._settings))  # raises if the broker is down
        if health.any_worker_answers(self._settings.redis_url, self._queue):
            return None
        return self._told, Message("tracking.see-status")

    def _note_life(self, now: float) -> None:
        self._alive_at = self._asked_at = now
        self.warning = ()
