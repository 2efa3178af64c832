"""Renders the columns of a comparison with escaped text, visible hidden characters and numbered changes.

Long text is divided into blocks, so that browsers lay out and paint only the visible blocks.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from core.counting import count_characters
from core.hidden_characters import spell_hidden
from core.matches import ChangeKind
from webadmin.review.pages.case_page.comparison import (
    ChangeLink,
    ComparisonColumn,
    CopiedBlock,
    MissingBlock,
    PassagePiece,
    SourcedBlock,
    UncopiedBlock,
)
from webadmin.ui.models.phrases import CHANGES
from webadmin.ui.pages.visible_text import _visible_html, visible

BLOCK_CHARS = 800  # about the part of a column that is visible at once
MAX_LINE_BLOCKS = 5  # Longer lines are cut.


class TextBlocks:
    """Builds markup in blocks. An open element is repeated in each following block."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._parts: list[str] = []
        self._chars = 0
        self._again, self._close = "", ""

    def add_piece(self, markup: str, text: str) -> None:
        """Add the markup for a piece of text. A block may end after it."""
        self._parts.append(markup)
        self._chars += len(text)
        is_line = text.endswith("\n")
        if self._chars >= BLOCK_CHARS and (is_line or self._chars >= MAX_LINE_BLOCKS * BLOCK_CHARS):
            self._end_block()

    def open(self, begin: str, again: str, end: str) -> None:
        """Open an element.

        begin: its start tag. again: the start tag to repeat in each further block. end: its end tag.
        """
        self._parts.append(begin)
        self._again, self._close = again, end

    def close(self) -> None:
        """Close the open element."""
        if self._parts[-1] == self._again:  # Nothing was added since the last block.
            self._parts.pop()
        else:
            self._parts.append(self._close)
        self._again = self._close = ""

    def _end_block(self) -> None:
        self._done.append("".join(('<div class="zw-block">', *self._parts, self._close, "</div>")))
        self._parts = [self._again] if self._again else []
        self._chars = 0

    def markup(self) -> SafeString:
        """Return the markup of all blocks."""
        if self._parts:
            self._end_block()
        return mark_safe("".join(self._done))  # noqa: S308 - made of markup


def split_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their line endings. Lines longer than MAX_LINE_BLOCKS blocks are split."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        end = min(end, at + MAX_LINE_BLOCKS * BLOCK_CHARS)
        yield text[at:end]
        at = end


CONTEXT_CHARS = 80  # characters left unfolded before and after a passage: two lines of a column on a laptop
MIN_FOLDED_CHARS = 120  # Folding less would not save space.
_DETAIL_CHARS = 60  # characters of each side in a tooltip

_TAGS = {
    ChangeKind.HOMOPHONE: pgettext_lazy("mark above a changed character", "snd"),
    ChangeKind.SHAPE: pgettext_lazy("mark above a changed character", "shp"),
    ChangeKind.SCRIPT: pgettext_lazy("mark above a changed character", "form"),
    ChangeKind.PINYIN: pgettext_lazy("mark above a changed character", "pin"),
    ChangeKind.REPLACED: pgettext_lazy("mark above a changed character", "rep"),
    ChangeKind.INSERTED: pgettext_lazy("mark above a changed character", "add"),
    ChangeKind.DELETED: pgettext_lazy("mark above a changed character", "cut"),
    ChangeKind.NOISE: pgettext_lazy("mark above a changed character", "noise"),
    ChangeKind.MOVED: pgettext_lazy("mark above a changed character", "mov"),
}


def column_html(column: ComparisonColumn) -> SafeString:
    """Return the markup for one side, to be placed in an element that preserves white space."""
    begun: set[int] = set()
    blocks = TextBlocks()
    for block in column.blocks:
        match block:
            case CopiedBlock():
                _add_copied(block, begun, blocks)
                begun.update(block.passages)
            case UncopiedBlock():
                _add_uncopied(block, blocks)
            case SourcedBlock():
                blocks.add_piece(_sourced_html(block), "")
            case MissingBlock():
                missing = _("text that is no longer stored")
                blocks.add_piece(format_html('<span class="zw-missing">{}</span>', missing), "")
    return blocks.markup()


def tag(kind: ChangeKind) -> str:
    """Return the short label displayed above changed characters, by the kind of change."""
    return str(_TAGS[kind])


def _add_uncopied(block: UncopiedBlock, blocks: TextBlocks) -> None:
    head = 0 if block.is_first else CONTEXT_CHARS
    tail = len(block.text) - (0 if block.is_last else CONTEXT_CHARS)
    if tail - head < MIN_FOLDED_CHARS:
        head = tail = len(block.text)
    for line in split_lines(block.text[:head]):
        blocks.add_piece(visible(line), line)
    if tail > head:
        count = count_characters(block.text[head:tail])
        label = ngettext("%(count)s other character", "%(count)s other characters", count) % {"count": f"{count:,}"}
        blocks.add_piece(_fold_html(block.text[head:tail], label), "")
    for line in split_lines(block.text[tail:]):
        blocks.add_piece(visible(line), line)


def _sourced_html(block: SourcedBlock) -> str:
    head, tail = CONTEXT_CHARS, len(block.text) - CONTEXT_CHARS
    label = ngettext(
        "%(count)s more character from %(source)s", "%(count)s more characters from %(source)s", tail - head
    )
    folded = _fold_middle(block.text, head, tail, label % {"count": f"{tail - head:,}", "source": block.source.name})
    return format_html(
        '<span class="zw-taken" role="group" aria-label="{}"><a href="{}">{}</a>{}</span>',
        _("As in %(source)s") % {"source": spell_hidden(block.source.name)},
        block.source.address,
        visible(_("from %(source)s") % {"source": block.source.name}),
        mark_safe("".join(folded)),  # noqa: S308 - made by format_html or visible
    )


def _fold_middle(text: str, head: int, tail: int, label: str) -> Iterator[str]:
    """Yield the text as markup, with the part from `head` to `tail` folded under a label if it is long."""
    if tail - head < MIN_FOLDED_CHARS:
        yield visible(text)
        return
    yield visible(text[:head])
    yield _fold_html(text[head:tail], label)
    yield visible(text[tail:])


def _fold_html(text: str, label: str) -> str:
    blocks = TextBlocks()
    for line in split_lines(text):
        blocks.add_piece(visible(line), line)
    return format_html('<details class="zw-fold"><summary>{}</summary>{}</details>', visible(label), blocks.markup())


def _add_copied(block: CopiedBlock, begun: set[int], blocks: TextBlocks) -> None:
    numbers = " ".join(str(number) for number in block.passages)
    fresh = [str(number) for number in block.passages if number not in begun]
    blocks.open(
        format_html(
            '<span class="zw-passage" tabindex="0" role="group" data-passages="{}" data-no="{}" aria-label="{}">',
            numbers,
            "·".join(fresh),
            _("Passage %(numbers)s") % {"numbers": numbers},
        ),
        f'<span class="zw-passage" data-passages="{numbers}">',
        "</span>",
    )
    for (pairs, is_moved), pieces in groupby(block.pieces, lambda piece: (piece.pairs, piece.is_moved)):
        of_pair, moved = list(pieces), ' class="zw-elsewhere"' if is_moved else ""
        blocks.add_piece(
            f'<span{moved} data-pair="{" ".join(map(str, pairs))}">'
            f"{''.join(_piece_html(piece) for piece in of_pair)}</span>",
            "".join(piece.text for piece in of_pair),
        )
    blocks.close()


def _piece_html(piece: PassagePiece) -> str:
    if not piece.links:
        return _visible_html(piece.text)
    kind = piece.links[0].kind
    keys = " ".join(link.key for link in piece.links)
    title = escape("; ".join(describe_change(link) for link in piece.links[:3]))
    gap, role = ("", "group") if piece.text else (" zw-gap", "img")
    return (
        f'<span class="zw-change zw-{kind}{gap}" role="{role}" data-changes="{keys}" '
        f'data-tag="{escape(tag(kind))}" title="{title}">{_visible_html(piece.text)}</span>'
    )


def describe_change(link: ChangeLink) -> str:
    """Return a description of a change in one line, for a tooltip."""
    said = {"kind": CHANGES[link.kind], "page": _shorten_text(link.page), "work": _shorten_text(link.work)}
    if link.kind is ChangeKind.MOVED:
        return _("%(kind)s: “%(begins)s…” comes after other text") % {**said, "begins": _shorten_text(link.begins)}
    if not link.work:
        return _("%(kind)s: on the page only: “%(page)s”") % said
    if not link.page:
        return _("%(kind)s: in the work only: “%(work)s”") % said
    return _("%(kind)s: work “%(work)s”, page “%(page)s”") % said


def _shorten_text(text: str) -> str:
    return spell_hidden(text if len(text) <= _DETAIL_CHARS else text[:_DETAIL_CHARS] + "…")
