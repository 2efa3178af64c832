"""Prepares text for Typst: writes characters missing from its fonts as code points, and lets long runs break."""

import re
from functools import cache
from typing import Any

from core.plain_text import code_point_label
from core.typesetting import fonts

_FONT_FILES = ("NotoSansCJKsc-Regular.otf", "NotoSerifCJKsc-Regular.otf")

# A run without a line break opportunity that is longer than the narrowest column; Chinese text breaks anywhere.
_LONG_RUN = re.compile("[^\\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]{15,}")
_PIECE = re.compile(r"[^/?&=._-]{1,10}[/?&=._-]{0,4}|[/?&=._-]{1,4}")


def fit_text(value: Any) -> Any:
    """Prepare each string in `value`, at any depth, for the fonts and for narrow columns.

    A string with long runs becomes the list of its parts, between which a line may break.
    """
    match value:
        case str():
            safe = value if value.isascii() else "".join(map(_write_character, value))
            pieces = cut_runs(safe)
            return pieces if len(pieces) > 1 else safe
        case dict():
            return {key: fit_text(item) for key, item in value.items()}
        case list() | tuple():
            return [fit_text(item) for item in value]
        case _:
            return value


def cut_runs(text: str) -> list[str]:
    """Split `text` at the positions inside its long runs where a line may break. Returns one part if there are none.

    >>> cut_runs("https://example.com/a")
    ['https://', 'example.', 'com/', 'a']
    """
    pieces: list[str] = []
    end = 0
    for run in _LONG_RUN.finditer(text):
        head, *rest = _PIECE.findall(run[0])
        pieces += [text[end : run.start()] + head, *rest]
        end = run.end()
    return [*pieces, text[end:]] if text[end:] or not pieces else pieces


def _write_character(character: str) -> str:
    return character if ord(character) in _covered_characters() else code_point_label(character)


@cache
def _covered_characters() -> frozenset[int]:
    """Return the code points that both fonts can display. Their tables are read once, in 0.4 s."""
    from fontTools.ttLib import TTFont  # takes 1 MB

    tables = [TTFont(fonts() / name, lazy=True).getBestCmap() for name in _FONT_FILES]
    return frozenset(set(tables[0]).intersection(*tables[1:]))
