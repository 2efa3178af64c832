"""Checks the index against the stored fingerprints, and rebuilds it if it differs."""

from core.errors import IndexStale, RetryLater, ServiceUnavailable
from core.ids import WorkTextId
from core.wording import Message
from fingerprint.fingerprinting import Fingerprint
from pagestore.checking import FaultKind
from pipeline.connections import redis_client, redis_index
from pipeline.rebuild import rebuild_index
from pipeline.redis_lock import MAINTENANCE, redis_lock
from pipeline.steps import decode_stored_fingerprint
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import Damage, Remedy, Store
from webadmin.works.services.catalogue import corpus_texts

WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds


def check_index(context: CheckContext) -> None:
    """Check every posting of the index. A rebuilt index is used as soon as it is complete."""
    if not context.part.covers(6):
        return
    step, index, corpus = context.step("checking.step-index"), redis_index(context.settings), corpus_texts()
    with redis_lock(redis_client(context.settings), MAINTENANCE, wait_s=WAIT_S) as is_ours:
        if not is_ours:
            context.report.unread.append(Message("corpus.index-busy"))
            return
        faults = index.verify(lambda text_id: _load_fingerprint(text_id, context), step)
        if faults is None:
            context.report.unread.append(Message("index.changing"))
            return
        context.report.items += faults.texts
        if faults.found:  # A text added meanwhile appears as an error in only one of two readings.
            again = index.verify(lambda text_id: _load_fingerprint(text_id, context), step)
            if again is None:
                context.report.unread.append(Message("index.changing"))
                return
            faults.found = {place: count for place, count in again.found.items() if place in faults.found}
        if not faults.found:
            return
        remedy = Remedy.CAN_BE_MADE
        if context.may_mend:
            remedy = Remedy.MADE_ANEW if _rebuild_index(context, corpus) else Remedy.RESTORE
    for place, count in faults.found.items():
        context.report.add_damages(Damage(Store.INDEX, place.value, "", FaultKind.CHANGED, remedy, detail=str(count)))


def _load_fingerprint(text_id: WorkTextId, context: CheckContext) -> Fingerprint | None:
    return decode_stored_fingerprint(context.ports.fingerprints.get(text_id, context.ports.algorithm.id))


def _rebuild_index(context: CheckContext, corpus: frozenset[WorkTextId]) -> bool:
    """Rebuild the index next to the old one, or in its place if that fails. Return True if that succeeded."""
    index = redis_index(context.settings)
    try:
        rebuild_index(context.ports, corpus)
        after = index.verify(lambda text_id: _load_fingerprint(text_id, context), lambda done, total: None)
        if after is None or not after.found:
            return True  # None: the index is being changed, so it is intact enough to accept additions.
    except (ServiceUnavailable, IndexStale, ValueError, UnicodeDecodeError):
        pass  # Damaged values in the old index prevent the switch to the new index.
    try:
        index.delete_keys()
        rebuild_index(context.ports, corpus)
    except RetryLater:
        return False
    return True
