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
    counted: dict[WorkTextId, int] = {}
    before = ports.index.text_ids() if ports.index.state().generation else frozenset[WorkTextId]()
    ports.index.rebuild(_entries(ports, texts, missing, counted, on_progress))
    ports.cases.unindexed(counted.keys() - before)
    ports.cases.indexed(counted, ports.clock.now())
    return missing


def _entries(
    ports: Ports,
    texts: Collection[WorkTextId],
    missing: list[WorkTextId],
    counted: dict[WorkTextId, int],
    on_progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[WorkTextId, Fingerprint]]:
    for done, text_id in enumerate(sorted(texts), start=1):
        try:
            fingerprint = work_fingerprint(text_id, ports)
            counted[text_id] = fingerprint.tokens.size
            yield text_id, fingerprint
        except NotFound:
            missing.append(text_id)
        if on_progress is not None:
            on_progress(done, len(texts))
