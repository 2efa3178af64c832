"""Makes crawled text safe to display: without characters that hide, reorder or break the surrounding text."""

import re
import unicodedata

MAX_SHOWN_CHARS = 2_000  # a longer title or URL does not help a reader; a spreadsheet cell may contain 32,767

# Invisible characters that do not affect the order: zero-width ones, soft hyphen, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
# Spreadsheets with an East Asian input method read the full-width signs as operators.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_BLANK = re.compile(r"[\s\x00\x1c-\x1f\x85]+")
_DISRUPTIVE_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Cs"})


def clean_line(text: str, max_chars: int = MAX_SHOWN_CHARS) -> str:
    r"""Return `text` on one line of at most `max_chars` characters, with an ellipsis if it was cut.

    Each run of white space becomes one space, and invisible characters are removed. Control characters, bidirectional
    controls, lone surrogates and unassigned code points are replaced by their code points. The evidence of the case
    contains the original text.

    >>> clean_line("a\u202eb\u200b\n c")
    'a[U+202E]b c'
    """
    head = _INVISIBLE.sub("", text[: max_chars * 4])
    line = _BLANK.sub(" ", head).strip()
    safe = "".join(character if _is_harmless(character) else code_point_label(character) for character in line)
    return safe if len(safe) <= max_chars else safe[: max_chars - 1] + "…"


def code_point_label(character: str) -> str:
    """Return the code point of a character in brackets, such as [U+202E]."""
    return f"[U+{ord(character):04X}]"


def defuse_formula(text: str) -> str:
    """Return `text` with an apostrophe in front if a spreadsheet would run it as a formula (OWASP, "CSV Injection").

    >>> defuse_formula("=1+1"), defuse_formula("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def text_width(text: str) -> int:
    """Return the display width of `text` in digits; a Chinese character has the width of two.

    >>> text_width("案件 12")
    7
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _is_harmless(character: str) -> bool:
    return " " <= character <= "~" or unicodedata.category(character) not in _DISRUPTIVE_CATEGORIES
