"""Makes characters visible that are invisible or change how their neighbours are displayed.

A crawled text may reverse the reading direction (U+202E), hide characters between the letters (U+200B) or use code
points without a glyph. A screen used as evidence must show each of these characters as a label with its name.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

# Categories C* except line feed, tab and carriage return; line and paragraph separators; variation selectors; invisible
# fillers; spaces other than U+0020 and U+3000 (Unicode 15).
_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
# The bidirectional controls and marks among them (UAX #9), for a character class of `re`.
BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_RUNS = re.compile(f"[{_HIDDEN}]+|[^{_HIDDEN}]+")
_FIRST = re.compile(f"[{_HIDDEN}]")
_SHORT_NAMES = {
    0x00A0: "NBSP", 0x00AD: "SHY", 0x061C: "ALM", 0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM",
    0x200F: "RLM", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x2060: "WJ",
    0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xFEFF: "BOM",
}  # fmt: skip
_MOST_NAMES = 3  # a run with more kinds ends in an ellipsis, so that a label is about as wide as a word


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A run of text. label: what to display in its place, or "" if it can be displayed. detail: its code points."""

    text: str
    label: str = ""
    detail: str = ""


def glyphs(text: str) -> Iterator[Glyphs]:
    r"""Yield the runs of `text`: those that can be displayed, and those that cannot.

    >>> [run.label or run.text for run in glyphs("甲\u200b\u200b乙")]
    ['甲', 'ZWSP×2', '乙']
    """
    for run in _RUNS.findall(text):
        if _FIRST.match(run):
            yield Glyphs(run, _run_label(run), _run_detail(run))
        else:
            yield Glyphs(run)


def spell_hidden(text: str) -> str:
    r"""Return `text` with labels such as ‹RLO› for hidden characters, for output without markup.

    >>> spell_hidden("甲\u202e乙")
    '甲‹RLO›乙'
    """
    if not has_hidden(text):
        return text
    return "".join(f"‹{run.label}›" if run.label else run.text for run in glyphs(text))


def clip_text(text: str, most: int = 60) -> str:
    r"""Cut a text to `most` characters, with hidden characters spelled out.

    >>> clip_text("一二三四五", 3), clip_text("一\u202e二")
    ('一二…', '一‹RLO›二')
    """
    spelled = spell_hidden(text[: most + 1])
    return spelled if len(spelled) <= most else f"{spelled[: most - 1]}…"


def has_hidden(text: str) -> bool:
    r"""Return whether `text` contains a hidden character.

    >>> has_hidden("甲\u200b乙"), has_hidden("甲乙")
    (True, False)
    """
    return _FIRST.search(text) is not None


def _run_label(run: str) -> str:
    kinds = list(dict.fromkeys(run))
    names = " ".join(_character_label(kind) for kind in kinds[:_MOST_NAMES]) + ("…" if len(kinds) > _MOST_NAMES else "")
    return names if len(run) == 1 else f"{names}×{len(run)}"


def _run_detail(run: str) -> str:
    kinds = list(dict.fromkeys(run))[:_MOST_NAMES]
    return ", ".join(f"U+{ord(kind):04X} {unicodedata.name(kind, '')}".strip() for kind in kinds)


def _character_label(character: str) -> str:
    return _SHORT_NAMES.get(ord(character), f"U+{ord(character):04X}")
