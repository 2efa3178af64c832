"""Crawled text made fit to be shown: no character that hides, reorders or breaks what stands around it."""

import re
import unicodedata

MAX_SHOWN_CHARS = 2_000  # a title or URL beyond it says nothing more to a reader; a spreadsheet's cell holds 32,767

# Invisible and without effect on the order of characters: zero-width ones, soft hyphen, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
# The full-width ones are read as operators by spreadsheets with an East Asian input method.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_BLANK = re.compile(r"[\s\x00\x1c-\x1f\x85]+")
_DISRUPTIVE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Cs"})


def clean_line(text: str, max_chars: int = MAX_SHOWN_CHARS) -> str:
    r"""`text` on one line, at most `max_chars` long (an ellipsis marks a cut).

    White space becomes one space, invisible characters go; controls, marks that turn the direction of writing, halves
    of surrogate pairs and unassigned code points are written by their number. What a page really carried is in the
    case's evidence.

    >>> clean_line("a\u202eb\u200b\n c")
    'a[U+202E]b c'
    """
    head = _INVISIBLE.sub("", text[: max_chars * 4])
    line = _BLANK.sub(" ", head).strip()
    safe = "".join(character if _is_harmless(character) else by_number(character) for character in line)
    return safe if len(safe) <= max_chars else safe[: max_chars - 1] + "…"


def by_number(character: str) -> str:
    """Write a character so that anyone can name it: [U+202E]."""
    return f"[U+{ord(character):04X}]"


def defuse_formula(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula (OWASP, "CSV Injection").

    >>> defuse_formula("=1+1"), defuse_formula("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def text_width(text: str) -> int:
    """Measure the room that `text` takes, in digits' widths: a Chinese character takes two.

    >>> text_width("案件 12")
    7
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _is_harmless(character: str) -> bool:
    return " " <= character <= "~" or unicodedata.category(character) not in _DISRUPTIVE_CATEGORIES
