"""Writes a long text in blocks, so that a browser lays out and draws only the visible ones.

The page still has the whole text for find, print and screen readers. A block ends with a line, so that it adds no line
break, except within lines that are longer than many blocks.
"""

from collections.abc import Iterator

from django.utils.safestring import SafeString, mark_safe

BLOCK_CHARS = 800  # about what a column shows at once
MAX_LINE_BLOCKS = 5  # a longer line is cut


class TextBlocks:
    """Markup built piece by piece. An open element is repeated in each following block."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._parts: list[str] = []
        self._chars = 0
        self._again, self._close = "", ""

    def add_piece(self, markup: str, text: str) -> None:
        """Add the markup of a piece of the text, after which a block may end."""
        self._parts.append(markup)
        self._chars += len(text)
        is_line = text.endswith("\n")
        if self._chars >= BLOCK_CHARS and (is_line or self._chars >= MAX_LINE_BLOCKS * BLOCK_CHARS):
            self._end()

    def open(self, begin: str, again: str, end: str) -> None:
        """Open an element: its start tag, and the start tag to repeat in each further block."""
        self._parts.append(begin)
        self._again, self._close = again, end

    def close(self) -> None:
        """Close the open element."""
        if self._parts[-1] == self._again:  # nothing has come since the last block
            self._parts.pop()
        else:
            self._parts.append(self._close)
        self._again = self._close = ""

    def _end(self) -> None:
        self._done.append("".join(('<div class="zw-block">', *self._parts, self._close, "</div>")))
        self._parts = [self._again] if self._again else []
        self._chars = 0

    def markup(self) -> SafeString:
        """Return the markup of all blocks."""
        if self._parts:
            self._end()
        return mark_safe("".join(self._done))  # noqa: S308 - made of markup


def split_lines(text: str) -> Iterator[str]:
    """Yield the lines of the text with their ends; longer ones than a block may have are cut."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        end = min(end, at + MAX_LINE_BLOCKS * BLOCK_CHARS)
        yield text[at:end]
        at = end
