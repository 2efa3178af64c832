"""A long text written in blocks, of which a browser lays out and draws those that are seen.

Nothing is left out of the page for it: find, print and screen readers have the whole text. A block ends with a line, so
that it shows no break that the text has not; but for lines that are longer than many blocks.
"""

from collections.abc import Iterator

from django.utils.safestring import SafeString, mark_safe

BLOCK_CHARS = 800  # about what a column shows at once
MAX_LINE_BLOCKS = 5  # as many blocks of one line are one; a text without any line is cut all the same


class TextBlocks:
    """Markup that is added piece by piece. What is `open` stands around all that follows, in each of its blocks."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._parts: list[str] = []
        self._chars = 0
        self._again, self._close = "", ""

    def add_piece(self, markup: str, text: str) -> None:
        """Add what stands for a piece of the text; behind it a block may end."""
        self._parts.append(markup)
        self._chars += len(text)
        is_line = text.endswith("\n")
        if self._chars >= BLOCK_CHARS and (is_line or self._chars >= MAX_LINE_BLOCKS * BLOCK_CHARS):
            self._end()

    def open(self, begin: str, again: str, end: str) -> None:
        """Put an element around what follows: how it begins, and how it does once more in each further block."""
        self._parts.append(begin)
        self._again, self._close = again, end

    def close(self) -> None:
        """End what was opened."""
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
        """Return all blocks. What was added is markup already."""
        if self._parts:
            self._end()
        return mark_safe("".join(self._done))  # noqa: S308 - made of markup


def split_lines(text: str) -> Iterator[str]:
    """Yield the text by its lines, each with its end; what is longer than a block may be is cut."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        end = min(end, at + MAX_LINE_BLOCKS * BLOCK_CHARS)
        yield text[at:end]
        at = end
