"""How well pages are read, part by part: each part is a function of its own, and runs alone."""

from collections.abc import Sequence

from core.errors import BadInput
from laboratory import extract_disguises, extract_encodings, extract_particulars, extract_text
from laboratory.extract_sections import ExtractPlan, Part, Say, Section
from laboratory.tables import TextTable


def encodings(plan: ExtractPlan, say: Say) -> Section:
    """The matrix of texts, encodings and wrong labels. Raises UnreadableFile for an incomplete folder of corpora."""
    say("encodings: the whole matrix is decoded")
    corpora = plan.corpora if plan.corpora.is_dir() else None
    result = extract_encodings.measure(corpora, peers=("charset-normalizer", "chardet"))
    rows = [("all cells", f"{result.total:,}", f"{result.share_right:.2%}")]
    rows += [(name, f"{count:,}", f"{result.right[name] / count:.2%}") for name, count in result.cells.items()]
    rows += [(f"{name} (codec alone)", "", f"{share:.2%}") for name, share in result.peers.items()]
    title = f"Encodings read rightly (asked for: {extract_encodings.MIN_SHARE_RIGHT:.1%})"
    table = TextTable(title, ("bytes", "cells", "right"), tuple(rows), ("cells", "right"))
    return Section((table,), result.as_dict())


PARTS: tuple[tuple[str, Part], ...] = (
    ("text", extract_text.section),
    ("particulars", extract_particulars.section),
    ("encodings", encodings),
    ("disguises", extract_disguises.section),
)


def measure(plan: ExtractPlan, names: Sequence[str], say: Say) -> dict[str, Section]:
    """The sections of the named parts, of all where none is named, in the order of PARTS.

    Raises BadInput for a part that there is not and UnreadableFile for sources that do not do.
    """
    known = [name for name, _ in PARTS]
    if unknown := [name for name in names if name not in known]:
        raise BadInput(f"there is no part {', '.join(unknown)}; choose of {', '.join(known)}")
    return {name: part(plan, say) for name, part in PARTS if not names or name in names}
