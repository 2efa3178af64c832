"""Writes a document as one HTML file that runs no script and fetches nothing."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, Template

from documents.explanation_blocks import Block, block_values

_TEMPLATES = Path(__file__).parent / "templates"


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """Return the page; texts in `blocks` are displayed as text, never interpreted as markup."""
    return _page_template().render(
        title=_visible_text(title), blocks=[block_values(block, _visible_text) for block in blocks]
    )


@cache
def _page_template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("explanation.html")


def _visible_text(text: str) -> str:
    """Return the text with characters that hide or reverse text written as numbers, since titles may be hostile."""
    return "".join(char if _is_plain(char) else f"[U+{ord(char):04X}]" for char in text)


def _is_plain(char: str) -> bool:
    return char in "\n\t" or (char.isprintable() and not "\u2066" <= char <= "\u2069") or char == "\u3000"
