"""Doctor's look at what is stored: the table of readings, the index, failed messages, crawls that did not happen."""

from datetime import timedelta

from core.errors import BrokenInvariant, ZhuiwenError
from deploy.cli.session import session
from deploy.doctor import Context, Finding


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


CHECKS = (readings, index, failures)
