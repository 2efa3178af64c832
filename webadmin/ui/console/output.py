"""Prints tables, passages and JSON: coloured on a terminal, plain lines elsewhere, never with control characters.

Crawled text may be hostile: a title may contain sequences that move the cursor of a terminal or reverse its text.
"""

import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import Any

import typer

from core.wording import Message, has_words
from webadmin.ui.console.words import translate_for_console

HIDDEN = "◌"  # replaces an invisible character
MARK_OPEN, MARK_CLOSE = "⟦", "⟧"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs"})

Piece = tuple[str, bool]  # a text, and whether it was changed


def terminal_text(text: str) -> str:
    r"""Return `text` on one line and safe for a terminal.

    >>> terminal_text("a\u200bb\x1b[31m")
    'a◌b◌[31m'
    """
    return "".join(_visible_character(char) for char in text)


def _visible_character(char: str) -> str:
    if char in "\n\r\t\v\f\u2028\u2029":
        return " "
    return HIDDEN if unicodedata.category(char) in _INVISIBLE else char


def width(text: str) -> int:
    """Return the width of a text in terminal columns.

    >>> width("追文"), width("up")
    (4, 2)
    """
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def pad_text(text: str, columns: int) -> str:
    """Return a text padded with spaces to a width in terminal columns."""
    return text + " " * (columns - width(text))


def translate_heading(name: str) -> str:
    """Translate the message code of a column heading or a value. Any other text is returned unchanged."""
    return translate_for_console(Message(name)) if has_words(name) else name


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[str] = ()) -> None:
    """Print a table: in columns on a terminal, elsewhere as lines with tabs, the headings first.

    right: the columns that are aligned to the right.
    """
    cells = [[terminal_text(translate_for_console(cell)) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in [list(map(translate_heading, columns)), *cells]:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False)
    for column in columns:
        drawn.add_column(translate_heading(column), justify="right" if column in right else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*(Text(cell) for cell in row))
    Console().print(drawn)


def as_json(value: object) -> None:
    """Print a value as JSON, with control characters escaped. Messages are always in English."""
    text = json.dumps(value, ensure_ascii=False, indent=1, default=_json_value)
    acting = {char for char in text if char != "\n" and unicodedata.category(char) in {*_INVISIBLE, "Zl", "Zp"}}
    typer.echo(text.translate({ord(char): json.dumps(char)[1:-1] for char in acting}))


def _json_value(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, Message):
        return {field.name: getattr(value, field.name) for field in fields_of(value)}
    return str(value)


def print_line(line: object, *, err: bool = False) -> None:
    """Print one line: a message, an error of the product, or plain text. err: print to stderr."""
    typer.echo(terminal_text(translate_for_console(line)), err=err)


def print_fields(pairs: Iterable[tuple[str, object]]) -> None:
    """Print named values, one on each line. Empty values are left out."""
    for name, value in pairs:
        if value not in ("", None):
            print_line(Message("cli.field", name=translate_heading(name), value=translate_for_console(value)))


def print_passage(side: str, pieces: Iterable[Piece]) -> None:
    """Print one side of a copied passage on a line, with marks around the changed pieces.

    On a terminal, continuation lines are indented to distinguish page and work.
    """
    name = f"  {translate_heading(side)}  "
    marked = [
        (f"{MARK_OPEN}{terminal_text(text)}{MARK_CLOSE}" if is_changed else terminal_text(text), is_changed)
        for text, is_changed in pieces
    ]
    if not sys.stdout.isatty():
        typer.echo(name + "".join(text for text, _ in marked))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid()
    grid.add_column(width=width(name))
    grid.add_column(overflow="fold")
    grid.add_row(name, Text.assemble(*((text, "red" if is_changed else "") for text, is_changed in marked)))
    Console().print(grid)


def excerpt_pieces(span: Mapping[str, Any], side: str, max_chars: int) -> list[Piece]:
    """Return one side of a passage stored with a case, divided into equal and changed pieces.

    side: "page" or "work". max_chars: longer excerpts are cut.
    """
    first = 1 if side == "page" else 3
    excerpt, start = span.get(f"{side}_excerpt", ""), span[side][0]
    pieces: list[Piece] = []
    position = 0
    for change in sorted(span.get("changes", ()), key=lambda change: tuple(change[first : first + 2])):
        begin, end = max(position, change[first] - start), min(len(excerpt), change[first + 1] - start)
        if begin >= end:
            continue
        pieces += [(excerpt[position:begin], False), (excerpt[begin:end], True)]
        position = end
    pieces.append((excerpt[position:], False))
    return list(_shorten([piece for piece in pieces if piece[0]], max_chars))


def _shorten(pieces: Iterable[Piece], max_chars: int) -> Iterator[Piece]:
    left = max_chars
    for text, is_changed in pieces:
        if len(text) > left:
            yield text[:left], is_changed
            yield "…", False
            return
        left -= len(text)
        yield text, is_changed


@contextmanager
def progress(label: Message | str) -> Iterator["Meter"]:
    """Yield a progress meter on stderr, which moves on a terminal and prints lines elsewhere."""
    meter = Meter(label)
    try:
        yield meter
    finally:
        meter.close()


class Meter:
    """Displays the progress of long work. If stderr is not a terminal, it prints a line for each tenth."""

    def __init__(self, label: Message | str) -> None:
        self._label = translate_for_console(label)
        self._is_terminal = sys.stderr.isatty()
        self._tenth = -1
        self._last = ""

    def update(self, done: int, total: int) -> None:
        """Display that `done` of `total` items are done."""
        tenth = 10 * done // max(1, total)
        if self._is_terminal or tenth != self._tenth:
            self._tenth = tenth
            self.text(Message("cli.done-of", done=done, total=total))

    def of_part(self, part: str, done: int, total: int) -> None:
        """Display the progress of one of several parts.

        If stderr is not a terminal, only the end of the part is printed.
        """
        if self._is_terminal or (done >= total and total):
            self.text(Message("backup.progress", part=part, done=done, total=total))

    def text(self, state: Message) -> None:
        """Display a state as a message."""
        line = terminal_text(translate_for_console(Message("cli.field", name=self._label, value=state)))
        if line == self._last:
            return
        sys.stderr.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()
        self._last = line

    def close(self) -> None:
        if self._is_terminal and self._last:
            sys.stderr.write("\r\x1b[K")
