"""How well pages are read, part by part: each part is a function of its own, and runs alone."""

from collections.abc import Sequence

from core.errors import BadInput
from laboratory.extraction import main_text, obfuscations
from laboratory.extraction.sections import ExtractPlan, Part, Say, Section

PARTS: tuple[tuple[str, Part], ...] = (
    ("text", main_text.section),
    ("obfuscations", obfuscations.section),
)


def measure(plan: ExtractPlan, names: Sequence[str], say: Say) -> dict[str, Section]:
    """The sections of the named parts, of all where none is named, in the order of PARTS.

    Raises BadInput for a part that there is not and UnreadableFile for sources that do not do.
    """
    known = [name for name, _ in PARTS]
    if unknown := [name for name in names if name not in known]:
        raise BadInput("laboratory.no-part", parts=unknown, known=known)
    return {name: part(plan, say) for name, part in PARTS if not names or name in names}
