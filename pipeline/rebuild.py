"""The index made anew from the store: what `zhuiwen index rebuild` does, and the sweeper when it finds none."""

from collections.abc import Callable, Collection, Iterator

from core.errors import NotFound
from core.ids import WorkTextId
from fingerprint.record import Fingerprint
from pipeline.steps import Ports, work_fingerprint


def rebuild_index(
    ports: Ports, texts: Collection[WorkTextId], on_progress: Callable[[int, int], None] | None = None
) -> list[WorkTextId]:
    """Fill a new generation of the index and switch to it; the old one answers until then.

    texts: all that the rights holders have. on_progress is told how many are done, and of how many.
    Returns those that the store does not have: they can be found again only when their works are added again.
    """
    missing: list[WorkTextId] = []
    before = ports.index.text_ids() if ports.index.state().generation else frozenset[WorkTextId]()
    ports.index.rebuild(_entries(ports, texts, missing, on_progress))
    found = frozenset(texts) - frozenset(missing)
    ports.cases.unindexed(found - before)
    ports.cases.indexed(found, ports.clock.now())
    return missing


def _entries(
    ports: Ports,
    texts: Collection[WorkTextId],
    missing: list[WorkTextId],
    on_progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[WorkTextId, Fingerprint]]:
    for done, text_id in enumerate(sorted(texts), start=1):
        try:
            yield text_id, work_fingerprint(text_id, ports)
        except NotFound:
            missing.append(text_id)
        if on_progress is not None:
            on_progress(done, len(texts))
