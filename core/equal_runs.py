"""Finds the longest run of equal characters in a passage with excluded parts.

The text between two changes is equal on both sides, so its letters correspond in order. A moved run corresponds to its
own range of the work.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.matches import Change, ChangeKind, Span
from core.taken import Places
from core.text import TextRange


def longest_equal_run(
    span: Span, page: Sequence[int], work: Sequence[int], page_left_out: Places, work_left_out: Places
) -> int:
    """Return the number of letters in the longest run of a span that is equal, contiguous and not excluded.

    page, work: the offsets of the letters in both texts, ascending. page_left_out, work_left_out: the excluded offsets.

    >>> replaced = Change(ChangeKind.REPLACED, TextRange(3, 4), TextRange(3, 4))
    >>> span = Span(TextRange(0, 9), TextRange(0, 9), 0.9, (replaced,))
    >>> longest_equal_run(span, range(9), range(9), Places.from_starts([8]), Places())
    4
    """
    hidden_letters = _letter_numbers(page, [change.page for change in span.changes if _only_hides(change)])
    page = [page[number] for number in sorted(_letter_numbers(page, [span.page]) - hidden_letters)]
    work = [work[number] for number in sorted(_letter_numbers(work, [span.work]))]
    on_page, in_work = _flag_places(page_left_out), _flag_places(work_left_out)
    pairs = sorted(
        (page_index, work_index)
        for page_index, work_index in _equal_pairs(span, page, work)
        if "1"
        not in (on_page[page[page_index] : page[page_index] + 1], in_work[work[work_index] : work[work_index] + 1])
    )
    longest = run = min(1, len(pairs))
    for (page_index, work_index), next_pair in pairwise(pairs):
        run = run + 1 if next_pair == (page_index + 1, work_index + 1) else 1
        longest = max(longest, run)
    return longest


def _only_hides(change: Change) -> bool:
    return change.kind is ChangeKind.NOISE and change.work.start == change.work.end


def _is_difference(change: Change) -> bool:
    return change.kind not in (ChangeKind.SCRIPT, ChangeKind.MOVED) and not _only_hides(change)


def _equal_pairs(span: Span, page: Sequence[int], work: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of each pair of equal letters on the page and in the work, those in moved runs first."""
    changed = [change for change in span.changes if _is_difference(change)]
    used_letters = (
        _letter_numbers(page, [change.page for change in changed]),
        _letter_numbers(work, [change.work for change in changed]),
    )
    pieces = [(change.page, change.work) for change in span.changes if change.kind is ChangeKind.MOVED]
    for piece in [*pieces, (span.page, span.work)]:
        letters_of_piece = (
            _letter_numbers(page, [piece[0]]) - used_letters[0],
            _letter_numbers(work, [piece[1]]) - used_letters[1],
        )
        yield from zip(*map(sorted, letters_of_piece), strict=False)
        used_letters = used_letters[0] | letters_of_piece[0], used_letters[1] | letters_of_piece[1]


def _letter_numbers(letters: Sequence[int], ranges: Sequence[TextRange]) -> set[int]:
    """Return the indexes of the letters that are in any of these ranges."""
    numbers = set[int]()
    for text_range in ranges:
        numbers.update(range(bisect_left(letters, text_range.start), bisect_left(letters, text_range.end)))
    return numbers


def _flag_places(places: Places) -> str:
    """Return a string with "1" at each of the offsets and "0" elsewhere, up to the last offset."""
    return f"{places.bits:b}"[::-1]
