"""Texts made fit for a paper: what would hide, reorder or break what stands around it is written by its number."""

from core.hidden_characters import spelled
from core.text import storable


def printable(text: str) -> str:
    """The text with its lines, every hidden character spelled; what no XML may have is left out."""
    return "\n".join(spelled(line) for line in storable(text).replace("\r\n", "\n").replace("\t", " ").split("\n"))
