"""Writes an explanation as one HTML file without scripts and external resources."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from documents.explanation_blocks import Block, block_values
from documents.plain import printable

if TYPE_CHECKING:
    from jinja2 import Template

_TEMPLATES = Path(__file__).parent / "templates"


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """Return the HTML of an explanation with these blocks. Their texts are escaped."""
    return _page_template().render(title=printable(title), blocks=[block_values(block, printable) for block in blocks])


@cache
def _page_template() -> "Template":
    from jinja2 import Environment, FileSystemLoader  # take 2 MB, and only exports need them

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("explanation.html")
