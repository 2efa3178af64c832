"""Scores whether a comparison shows the change of each character correctly, on pages where the truth is known."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, ChangeKind, Span
from fingerprint.readings import code_points
from laboratory.edits.edited import Edited
from laboratory.edits.substitution import han_places

KINDS = tuple(ChangeKind)
PUT_IN = frozenset({ChangeKind.INSERTED, ChangeKind.NOISE})  # kinds of characters that are not from the work
_OUTSIDE, _UNCHANGED = -2, -1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Numbers of Chinese characters. Those of several pages can be added.

    unchanged: characters of the page that are literal copies; they are shown as such, shown as changed, or in no span.
    changed: characters of the page that stand for another character of the work, and those of them that are shown under
    the correct kind next to that character. foreign: characters of the page from elsewhere, and those of them shown as
    from the work. deleted: characters of the work that are shown as left out, and those of them that are on the page.
    """

    unchanged: int = 0
    as_unchanged: int = 0
    as_changed: int = 0
    left_out: int = 0
    changed: int = 0
    right_kind: int = 0
    foreign: int = 0
    claimed: int = 0
    deleted: int = 0
    falsely_deleted: int = 0

    @property
    def shares(self) -> dict[str, float | None]:
        """The shares for unchanged, changed, foreign and deleted characters, each None if there are none."""
        parts = {
            "as_unchanged": (self.as_unchanged, self.unchanged),
            "as_changed": (self.as_changed, self.unchanged),
            "left_out": (self.left_out, self.unchanged),
            "right_kind": (self.right_kind, self.changed),
            "claimed": (self.claimed, self.foreign),
            "falsely_deleted": (self.falsely_deleted, self.deleted),
        }
        return {name: part / whole if whole else None for name, (part, whole) in parts.items()}

    def __add__(self, other: "Comparison") -> "Comparison":
        return Comparison(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def compare(page: Edited, work: str, spans: Iterable[Span], kinds: Collection[ChangeKind]) -> Comparison:
    """Score the comparison of one page against the truth. page: its origins are offsets in the work.

    kinds: the correct kinds for a character that differs.
    """
    ours, theirs = page.codes, code_points(work)
    shown, partner_start, partner_end, deleted = _shown(ours.size, theirs.size, spans)
    is_han, is_han_of_work = _is_han(ours), _is_han(theirs)
    is_copied = is_han & (page.origins >= 0)
    is_same = np.zeros(ours.size, np.bool_)
    is_same[is_copied] = ours[is_copied] == theirs[page.origins[is_copied]]
    is_changed = (page.origins >= 0) & ~is_same & (is_han | _stands_for_han(page, is_han_of_work))
    is_foreign = is_han & (page.origins < 0)
    right = np.isin(shown, [KINDS.index(kind) for kind in kinds])
    right &= (partner_start <= page.origins) & (page.origins < partner_end)
    is_put_in = np.isin(shown, [KINDS.index(kind) for kind in PUT_IN])
    is_on_page = np.zeros(theirs.size, np.bool_)
    is_on_page[page.origins[page.origins >= 0]] = True
    deleted &= is_han_of_work
    return Comparison(
        unchanged=int(is_same.sum()),
        as_unchanged=int((is_same & (shown == _UNCHANGED)).sum()),
        as_changed=int((is_same & (shown >= 0)).sum()),
        left_out=int((is_same & (shown == _OUTSIDE)).sum()),
        changed=int(is_changed.sum()),
        right_kind=int((is_changed & right).sum()),
        foreign=int(is_foreign.sum()),
        claimed=int((is_foreign & (shown != _OUTSIDE) & ~is_put_in).sum()),
        deleted=int(deleted.sum()),
        falsely_deleted=int((deleted & is_on_page).sum()),
    )


def _shown(
    page_chars: int, work_chars: int, spans: Iterable[Span]
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Return the kind of each character of the page, the work's range shown next to it, and the deleted ones."""
    shown, deleted = np.full(page_chars, _OUTSIDE, np.int8), np.zeros(work_chars, np.bool_)
    starts, ends = np.full(page_chars, -1, np.int32), np.full(page_chars, -1, np.int32)
    for span in spans:
        shown[span.page.start : span.page.end] = _UNCHANGED
        for change in _but_moves(span):
            place = slice(change.page.start, change.page.end)
            shown[place] = KINDS.index(change.kind)
            starts[place], ends[place] = change.work.start, change.work.end
            if change.kind is ChangeKind.DELETED:
                deleted[change.work.start : change.work.end] = True
    return shown, starts, ends, deleted


def _but_moves(span: Span) -> Sequence[Change]:
    return [change for change in span.changes if change.kind is not ChangeKind.MOVED]


def _is_han(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    found = np.zeros(codes.size, np.bool_)
    found[han_places(codes)] = True
    return found


def _stands_for_han(page: Edited, is_han_of_work: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return True for each character of the page, of any kind, that stands for a Chinese one."""
    found = np.zeros(page.origins.size, np.bool_)
    is_of_work = page.origins >= 0
    found[is_of_work] = is_han_of_work[page.origins[is_of_work]]
    return found
