"""Matches between a page and a work: classes, spans and changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.ids import WorkTextId
from core.obfuscations import ObfuscationFound
from core.taken import Places
from core.text import TextRange
from core.zones import Zone


class ChangeKind(StrEnum):
    """The kind of a difference between the work and the page."""

    HOMOPHONE = "homophone"  # another character with the same or a commonly confused sound
    SHAPE = "shape"  # another character of similar shape
    SCRIPT = "script"  # simplified <-> traditional or variant
    PINYIN = "pinyin"  # Latin pinyin in place of a character, with its brackets and tone
    REPLACED = "replaced"
    INSERTED = "inserted"  # on the page only
    DELETED = "deleted"  # in the work only
    NOISE = "noise"  # zero-width, spaces, pinyin after a character, private use: on the page only, to obfuscate
    MOVED = "moved"  # a run in another order than the rest of the span


class MatchClass(StrEnum):
    """The class of a match by the extent of copying."""

    IDENTICAL = "identical"
    LIGHTLY_EDITED = "lightly_edited"
    HEAVILY_EDITED = "heavily_edited"
    EXCERPT = "excerpt"
    PATCHWORK = "patchwork"
    QUOTATION = "quotation"
    TEASER = "teaser"  # only in announcements of other pages or in the site's frame

    @property
    def is_copy(self) -> bool:
        """True if the match is more than a quotation or an announcement."""
        return self not in (MatchClass.QUOTATION, MatchClass.TEASER)


class RewordedClass(StrEnum):
    """The kind of a suspected rewrite, a page that means the same as a work. Neither kind counts as a copy."""

    REWORDED = "reworded"  # page and work in one language
    TRANSLATED = "translated"


class RewordedState(StrEnum):
    """A reviewer's decision on a suspected rewrite."""

    WAITING = "waiting"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


STRENGTH_STEPS = 4  # steps in which a strength is shown; readers would mistake the figure for a share


def strength_step(strength: float) -> int:
    """Return the step, from 1 to STRENGTH_STEPS, of a strength in [0, 1]."""
    return min(STRENGTH_STEPS, 1 + int(strength * STRENGTH_STEPS))


def strength_dots(step: int) -> str:
    """Return a step as filled and empty dots.

    >>> strength_dots(3)
    '●●●○'
    """
    return "●" * step + "○" * (STRENGTH_STEPS - step)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference inside a span. An INSERTED change has an empty `work`, a DELETED one an empty `page`.

    A MOVED change has the ranges of a run on the page and in the work; differences within the run are separate changes
    after it. It counts neither for nor against similarity. Other changes do not overlap.
    """

    kind: ChangeKind
    page: TextRange
    work: TextRange


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of the page copied from a passage of the work; offsets refer to both texts as given.

    similarity: the share of positions in the alignment of page and work where both have the same character. Simplified,
    traditional, compatibility and variant forms of a character are the same. Another character (with the same sound or
    not), pinyin in place of a character, and inserted or deleted text are not. Two things count neither for nor against
    similarity: `NOISE` (zero-width characters, spaces, pinyin after a character, unreadable characters) and text
    without a reading (punctuation, line endings, foreign scripts). The order of sentences (`MOVED`) does not matter: a
    shuffled passage may have 1.0.
    """

    page: TextRange
    work: TextRange
    similarity: float  # [0, 1]
    changes: Sequence[Change] = ()  # in order of `page`; a MOVED change precedes changes that begin at the same offset
    zone: Zone = Zone.MAIN  # outside the main text, offsets refer to core.pages.Reading.whole_text


@dataclass(frozen=True, slots=True)
class Match:
    """Everything that one page copied from one text of the reference corpus.

    similarity: as for a `Span`, over all spans: 1 minus the share of changed wording. A match is IDENTICAL only at 0.99
    or more. It is HEAVILY_EDITED below 0.85, or if its order was changed as well. matched_chars: the number of
    characters on the page that represent a character of the work: the same character, another form of it, a character
    with the same sound by any reading or with a similar shape, or its pinyin (a syllable counts as one character). It
    measures how much was copied, however obfuscated; `similarity` measures how faithfully. taken: the characters of the
    work that these represent, each counted once, however often the page repeats it. longest_equal_run_chars: the length
    of the longest run on the page that equals the work in order, in the same characters or other forms of them, but not
    by sound, shape or pinyin. Punctuation and `NOISE` do not break a run; unreadable characters do.
    """

    text_id: WorkTextId
    match_class: MatchClass
    similarity: float  # [0, 1]
    page_containment: float  # share of the page's tokens in spans
    work_containment: float  # share of the work's tokens in `taken`
    matched_chars: int
    taken: Places
    longest_equal_run_chars: int
    spans: tuple[Span, ...]  # in order of the page
    obfuscations: tuple[ObfuscationFound, ...]  # detected by comparison
    algorithm_id: int
    also: tuple[WorkTextId, ...] = ()  # other texts with the same passages
