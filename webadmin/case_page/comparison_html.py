"""The columns of a comparison as markup: every character escaped, hidden ones as marks, changes linked by number."""

import unicodedata
from collections.abc import Iterator, Sequence

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from core.hidden_characters import glyphs, spelled
from core.matches import ChangeKind
from records.models.phrases import CHANGES
from webadmin.case_page.comparison import Column, Comparison, Copied, Link, Missing, Piece, Side, Taken, Uncopied

CONTEXT_CHARS = 80  # kept before and after a passage: two lines of a column on a laptop
MIN_FOLDED_CHARS = 120  # a fold that hides less than it takes to say so is a nuisance
_DETAIL_CHARS = 60  # of each side in a tooltip

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

_SPACES = {
    " ": pgettext_lazy("mark in place of white space", "space"),
    "\u3000": pgettext_lazy("mark in place of white space", "wide space"),
    "\n": pgettext_lazy("mark in place of white space", "line break"),
    "\t": pgettext_lazy("mark in place of white space", "tab"),
}


def visible(text: str) -> SafeString:
    """Escape `text` and put a mark in place of each run of hidden characters."""
    return mark_safe("".join(_glyphs(text)))  # noqa: S308 - every part is escaped in _glyphs


def named_spaces(spaces: str) -> SafeString:
    """Put one mark in place of a text of spaces: what they are called, for their signs look like empty boxes."""
    kinds = list(dict.fromkeys(spaces))
    detail = ", ".join(f"U+{ord(space):04X} {unicodedata.name(space, '')}".strip() for space in kinds)
    label = " ".join(str(_SPACES.get(space, f"U+{ord(space):04X}")) for space in kinds)
    label += "" if len(spaces) == 1 else f"×{len(spaces)}"
    return format_html(
        '<span class="zw-hidden" role="img" data-mark="{}" title="{}" aria-label="{}"></span>', label, detail, detail
    )


def column_html(column: Column) -> SafeString:
    """Write the text of one side, to be placed in an element that keeps white space."""
    begun: set[int] = set()
    parts: list[str] = []
    for block in column.blocks:
        match block:
            case Copied():
                parts.append(_copied(block, column.side, begun))
                begun.update(block.passages)
            case Uncopied():
                parts += _uncopied(block)
            case Taken():
                parts.append(_taken(block))
            case Missing():
                parts.append(_missing(block.chars))
    return mark_safe("".join(parts))  # noqa: S308 - every part is made by format_html or visible


def tag(kind: ChangeKind) -> str:
    """Name a kind of change in one or two letters, to stand above the changed characters."""
    return str(_TAGS[kind])


def _glyphs(text: str) -> Iterator[str]:
    for run in glyphs(text):
        if run.label:
            yield format_html(
                '<span class="zw-hidden" role="img" data-mark="{}" title="{}" aria-label="{}"></span>',
                run.label,
                run.detail,
                run.detail,
            )
        else:
            yield conditional_escape(run.text)


def _uncopied(block: Uncopied) -> Iterator[str]:
    head = 0 if block.is_first else CONTEXT_CHARS
    tail = len(block.text) - (0 if block.is_last else CONTEXT_CHARS)
    label = ngettext("%(count)s character not copied", "%(count)s characters not copied", tail - head)
    yield from _folded(block.text, head, tail, label % {"count": f"{tail - head:,}"})


def _taken(block: Taken) -> str:
    head, tail = CONTEXT_CHARS, len(block.text) - CONTEXT_CHARS
    label = ngettext(
        "%(count)s more character from %(source)s", "%(count)s more characters from %(source)s", tail - head
    )
    folded = _folded(block.text, head, tail, label % {"count": f"{tail - head:,}", "source": block.source.name})
    return format_html(
        '<span class="zw-taken" role="group" aria-label="{}"><a href="{}">{}</a>{}</span>',
        _("Copied from %(source)s") % {"source": spelled(block.source.name)},
        block.source.address,
        visible(_("from %(source)s") % {"source": block.source.name}),
        mark_safe("".join(folded)),  # noqa: S308 - made by format_html or visible
    )


def _folded(text: str, head: int, tail: int, label: str) -> Iterator[str]:
    """The text; what lies between head and tail folded under a label, where that is worth it."""
    if tail - head < MIN_FOLDED_CHARS:
        yield visible(text)
        return
    yield visible(text[:head])
    yield format_html(
        '<details class="zw-fold"><summary>{}</summary>{}</details>', visible(label), visible(text[head:tail])
    )
    yield visible(text[tail:])


def _missing(chars: int) -> str:
    label = ngettext("%(count)s character no longer stored", "%(count)s characters no longer stored", chars)
    return format_html('<span class="zw-missing">{}</span>', label % {"count": f"{chars:,}"})


def _copied(block: Copied, side: Side, begun: set[int]) -> str:
    numbers = " ".join(str(number) for number in block.passages)
    fresh = [str(number) for number in block.passages if number not in begun]
    return format_html(
        '<span class="zw-passage" tabindex="0" role="group" data-passages="{}" data-no="{}" aria-label="{}">{}</span>',
        numbers,
        "·".join(fresh),
        _("Passage %(numbers)s") % {"numbers": numbers},
        mark_safe("".join(_piece(piece, side) for piece in block.pieces)),  # noqa: S308 - made by format_html
    )


def _piece(piece: Piece, side: Side) -> str:
    if not piece.links:
        return visible(piece.text)
    kind = piece.links[0].kind
    return format_html(
        '<span class="zw-change zw-{}{}" tabindex="-1" data-changes="{}" data-tag="{}" title="{}">{}</span>',
        kind,
        "" if piece.text else " zw-gap",
        " ".join(link.key for link in piece.links),
        tag(kind),
        "; ".join(detail(link) for link in piece.links[:3]),
        visible(piece.text),
    )


def detail(link: Link) -> str:
    """Say in one line what a change did, for a tooltip."""
    name = CHANGES[link.kind]
    if link.kind is ChangeKind.MOVED:
        return _("%(kind)s: “%(begins)s…” comes after other text") % {"kind": name, "begins": _short(link.begins)}
    if not link.work:
        return _("%(kind)s: on the page only: “%(page)s”") % {"kind": name, "page": _short(link.page)}
    if not link.page:
        return _("%(kind)s: in the work only: “%(work)s”") % {"kind": name, "work": _short(link.work)}
    return _("%(kind)s: work “%(work)s”, page “%(page)s”") % {
        "kind": name,
        "work": _short(link.work),
        "page": _short(link.page),
    }


def _short(text: str) -> str:
    return spelled(text if len(text) <= _DETAIL_CHARS else text[:_DETAIL_CHARS] + "…")


def ribbons(comparison: Comparison) -> Sequence[tuple[int, str]]:
    """Join each passage of the work, on the left, with that of the page: (passage, points of a shape 40 x 1,000)."""
    ends = [_scaled(column) for column in (comparison.work, comparison.page)]
    return [
        (
            number,
            f"0,{work[0]:.1f} 6,{work[0]:.1f} 34,{page[0]:.1f} 40,{page[0]:.1f} 40,{page[1]:.1f} 34,{page[1]:.1f} "
            f"6,{work[1]:.1f} 0,{work[1]:.1f}",
        )
        for number, work in ends[0].items()
        if (page := ends[1].get(number)) is not None
    ]


def _scaled(column: Column) -> dict[int, tuple[float, float]]:
    """Where each passage begins and ends, of 1,000; none is narrower than can be seen."""
    scale = 1000 / max(1, column.chars)
    return {
        number: (min(start * scale, 997.0), max(start * scale + 3.0, end * scale))
        for number, start, end in column.extents
    }
