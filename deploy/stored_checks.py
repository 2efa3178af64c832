"""Doctor's look at what is stored: the table of readings, the index, failed messages, missed crawls, evidence."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.errors import BadConfiguration, BrokenInvariant, ZhuiwenError
from deploy.cli.session import session
from deploy.doctor import Context, Finding

if TYPE_CHECKING:
    from webadmin.evidence_book import Standing

MAX_AGE_OF_CHECK = timedelta(days=2)  # it runs each night; one that failed is named after the next


def readings(_: Context) -> list[Finding]:
    """The table of readings must be the one that the algorithms were frozen with."""
    from fingerprint.fingerprinting import fingerprint_text

    try:
        fingerprint_text("追文")
    except BrokenInvariant as error:
        return [Finding("fingerprint.readings", str(error), "install this version of Zhuiwen anew")]
    return []


def index(_: Context) -> list[Finding]:
    """The index must be there, and have what the rights holders have."""
    try:
        with session() as settings:
            from pipeline.wiring import live
            from webadmin.catalogue import corpus_texts

            held, state = corpus_texts(), live(settings).index.state()
            missing = len(held - live(settings).index.text_ids()) if state.generation else len(held)
    except ZhuiwenError:
        return []  # a service does not answer: the check of services says so
    if state.generation == 0:
        return [Finding("index.empty", "the index is empty: nothing can be found", "zhuiwen index rebuild")]
    if missing:
        problem = f"{missing} of {len(held)} texts are not in the index yet"
        return [Finding("index.behind", problem, "wait a minute for the sweeper, or: zhuiwen index rebuild")]
    return []


def failures(_: Context) -> list[Finding]:
    """Messages that no retry could carry out, and expected crawls that did not happen."""
    try:
        with session():
            from django.utils import timezone

            from webadmin.models import CrawlRun, FailedMessage

            failed = FailedMessage.objects.count()
            day_ago = timezone.now() - timedelta(days=1)
            missed = CrawlRun.objects.filter(state=CrawlRun.State.MISSED, due_at__gte=day_ago).count()
    except ZhuiwenError:
        return []
    found = []
    if failed:
        remedy = "look at them in the admin, mend the cause, delete them: the sweeper sends again what is owed"
        found.append(Finding("messages.failed", f"{failed} messages failed for good", remedy))
    if missed:
        remedy = "see that beat and crawler run (zhuiwen status), then: zhuiwen crawl --due"
        found.append(Finding("crawls.missed", f"{missed} crawls of the last day did not happen", remedy))
    return found


def evidence(_: Context) -> list[Finding]:
    """Bundles that were changed, that are owed, that no authority stamps; a nightly check that does not happen."""
    try:
        with session() as settings:
            from django.utils import timezone

            from webadmin.evidence_authorities import authorities_of
            from webadmin.evidence_book import standing

            names = [authority.name for authority in authorities_of(settings.evidence)]
            stands, now = standing(names), timezone.now()
    except BadConfiguration as error:
        return [Finding("evidence.authorities", sentence, "mend it, then: zhuiwen up") for sentence in error.faults]
    except ZhuiwenError:
        return []
    return _evidence_faults(stands, now)


def _evidence_faults(stands: "Standing", now: datetime) -> list[Finding]:
    found = []
    if stands.damaged:
        remedy = "restore the evidence store from a backup; the admin lists them under Evidence"
        problem = f"{stands.damaged} of {stands.bundles} evidence bundles are changed or missing"
        found.append(Finding("evidence.damaged", problem, remedy))
    if stands.waiting_stamps:
        problem = f"{stands.waiting_stamps} time stamps are waited for; the last answer was: {stands.last_error}"
        found.append(Finding("evidence.stamps", problem, "see that the authorities of ZHUIWEN_TSA_URLS answer"))
    last = stands.last_check.started_at if stands.last_check else stands.oldest
    if last is not None and now - last > MAX_AGE_OF_CHECK:
        problem = f"the evidence was not read again since {last:%Y-%m-%d %H:%M}"
        found.append(Finding("evidence.unchecked", problem, "see that beat and worker run (zhuiwen status)"))
    return found


CHECKS = (readings, index, failures, evidence)
