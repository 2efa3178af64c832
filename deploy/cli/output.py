"""Tables, passages and JSON on stdout: coloured on a terminal, plain lines elsewhere, and never a control character.

What was crawled is hostile: a title may carry the sequences that move a terminal's cursor or turn its text around.
"""

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer

HIDDEN = "◌"  # stands where an invisible character stands
MARK_OPEN, MARK_CLOSE = "⟦", "⟧"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs"})

Piece = tuple[str, bool]  # a run of characters, and whether it was changed


def shown(text: str) -> str:
    r"""`text` on one line, fit for a terminal.

    >>> shown("a\u200bb\x1b[31m")
    'a◌b◌[31m'
    """
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in "\n\r\t\v\f\u2028\u2029":
        return " "
    return HIDDEN if unicodedata.category(char) in _INVISIBLE else char


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[str] = ()) -> None:
    """Columns on a terminal; elsewhere a line a row, its cells parted by tabs, the first line naming them."""
    cells = [[shown(str(cell)) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in [list(columns), *cells]:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False)
    for column in columns:
        drawn.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*(Text(cell) for cell in row))
    Console().print(drawn)


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "chapter"), counted(1200, "chapter")
    ('1 chapter', '1,200 chapters')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def as_json(value: object) -> None:
    """`value` as JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=1, default=str))


def say(line: str) -> None:
    """One line of plain text."""
    typer.echo(shown(line))


def fields(pairs: Iterable[tuple[str, object]]) -> None:
    """Named values, one a line; those without a value are left out."""
    for name, value in pairs:
        if value not in ("", None):
            typer.echo(f"{name}: {shown(str(value))}")


def passage(side: str, pieces: Iterable[Piece]) -> None:
    """One side of a copied passage on a line, with what was changed between marks."""
    parts = [f"  {side}  "]
    for text, is_changed in pieces:
        inner = shown(text)
        marked = f"{MARK_OPEN}{inner}{MARK_CLOSE}" if is_changed else inner
        parts.append(typer.style(marked, fg="red") if is_changed and sys.stdout.isatty() else marked)
    typer.echo("".join(parts))


def pieces_of(span: Mapping[str, Any], side: str, max_chars: int) -> list[Piece]:
    """One side of a passage as `webadmin.frozen` writes it, cut into what agrees and what was changed."""
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
    return list(_shortened([piece for piece in pieces if piece[0]], max_chars))


def _shortened(pieces: Iterable[Piece], max_chars: int) -> Iterator[Piece]:
    left = max_chars
    for text, is_changed in pieces:
        if len(text) > left:
            yield text[:left], is_changed
            yield "…", False
            return
        left -= len(text)
        yield text, is_changed


@contextmanager
def progress(label: str) -> Iterator["Meter"]:
    """A meter that moves on a terminal and writes a line now and then elsewhere, on stderr."""
    meter = Meter(label)
    try:
        yield meter
    finally:
        meter.close()


class Meter:
    """Shows how far long work has come. Lines elsewhere than on a terminal: one for each tenth."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._is_terminal = sys.stderr.isatty()
        self._tenth = -1
        self._last = ""

    def at(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done."""
        tenth = 10 * done // max(1, total)
        if self._is_terminal or tenth != self._tenth:
            self._tenth = tenth
            self.text(f"{done:,} of {total:,}")

    def text(self, state: str) -> None:
        """Show a state in words."""
        line = f"{self._label}: {shown(state)}"
        if line == self._last:
            return
        sys.stderr.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()
        self._last = line

    def close(self) -> None:
        if self._is_terminal and self._last:
            sys.stderr.write("\r\x1b[K")


def counting(label: str) -> Callable[[int, int], None]:
    """A meter that is told how many are done, and of how many; it ends with the last."""
    meter = Meter(label)

    def at(done: int, total: int) -> None:
        meter.at(done, total)
        if done == total:
            meter.close()

    return at
