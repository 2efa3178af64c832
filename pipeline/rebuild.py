"""The index made anew from the store: what `zhuiwen index rebuild` does, and the sweeper when it finds none."""

from collections.abc import Callable, Collection

from core.errors import NotFound
from core.ids import WorkTextId
from pipeline.steps import Ports, work_fingerprint


def rebuild_index(
    ports: Ports, texts: Collection[WorkTextId], on_progress: Callable[[int, int], None] | None = None
) -> list[WorkTextId]:
    """Fill a new generation of the index and switch to it; the old one answers until then. Returns texts not found."""
    missing: list[WorkTextId] = []
    with ports.index.rebuilding() as generation:
        for done, text_id in enumerate(sorted(texts), start=1):
            try:
                generation.add(text_id, work_fingerprint(text_id, ports))
            except NotFound:
                missing.append(text_id)
            if on_progress is not None:
                on_progress(done, len(texts))
    now = ports.clock.now()
    for text_id in texts:
        ports.cases.indexed(text_id, now)
    return missing
