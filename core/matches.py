"""What is known of a text that stands in two places."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.ids import WorkTextId
from core.obfuscations import ObfuscationFound
from core.taken import Places
from core.text import TextRange
from core.zones import Zone


class ChangeKind(StrEnum):
    """What became of a character or a run of them between the work and the page."""

    HOMOPHONE = "homophone"  # another character of the same sound or one that people confuse with it
    SHAPE = "shape"  # another character of like shape
    SCRIPT = "script"  # simplified <-> traditional or variant
    PINYIN = "pinyin"  # Latin pinyin in place of a character, with its brackets and tone
    REPLACED = "replaced"
    INSERTED = "inserted"  # on the page only
    DELETED = "deleted"  # in the work only
    NOISE = "noise"  # zero-width, spaces, pinyin behind a character, private use: on the page only, said to hide
    MOVED = "moved"  # a run that stands in another order than the rest of the span


class MatchClass(StrEnum):
    """How much of a copy a match is."""

    IDENTICAL = "identical"
    LIGHTLY_EDITED = "lightly_edited"
    HEAVILY_EDITED = "heavily_edited"
    EXCERPT = "excerpt"
    PATCHWORK = "patchwork"
    QUOTATION = "quotation"
    TEASER = "teaser"  # stands in announcements of other pages or in the site's frame alone

    @property
    def is_copy(self) -> bool:
        """Whether more was taken than a quotation or an announcement."""
        return self not in (MatchClass.QUOTATION, MatchClass.TEASER)


class RewordedClass(StrEnum):
    """What kind of lead it is that a page says the same as a work; neither is a class of copies."""

    REWORDED = "reworded"  # page and work in one language
    TRANSLATED = "translated"


class RewordedState(StrEnum):
    """What people said of a lead."""

    WAITING = "waiting"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


STRENGTH_STEPS = 4  # of a pair of sentences, that are shown: the figure itself would pass for a share


def strength_step(strength: float) -> int:
    """Of a strength in [0, 1]: from 1 to STRENGTH_STEPS."""
    return min(STRENGTH_STEPS, 1 + int(strength * STRENGTH_STEPS))


def strength_dots(step: int) -> str:
    """Return a step as it is drawn.

    >>> strength_dots(3)
    '●●●○'
    """
    return "●" * step + "○" * (STRENGTH_STEPS - step)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference inside a span. An INSERTED change has an empty `work`, a DELETED one an empty `page`.

    A MOVED one says where a piece of the page stands and where the work has it, and nothing about the characters in it:
    what was changed in it are changes of their own, behind it. It counts neither for nor against similarity. No other
    changes overlap.
    """

    kind: ChangeKind
    page: TextRange
    work: TextRange


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of the page that was taken from a passage of the work; offsets of both texts as given.

    similarity: how much of the passage is the same, character by character: of all places along the alignment of page
    and work, the share where both have the same character. Simplified, traditional and compatibility forms of a
    character and its variants are the same. Places with another character (of the same sound or not), pinyin in place
    of a character, and inserted and deleted text are not. Neither counted for nor against: signs that only hide the
    text (`NOISE`: zero-width characters, spaces, pinyin behind a character, characters that nobody can read), and what
    has no reading (punctuation, line ends, foreign scripts). The order of sentences (`MOVED`) does not enter: a
    shuffled passage may have 1.0.
    """

    page: TextRange
    work: TextRange
    similarity: float  # [0, 1]
    changes: Sequence[Change] = ()  # in order of `page`; MOVED before those that begin where it does
    zone: Zone = Zone.MAIN  # beside the main text offsets are of core.pages.Reading.whole_text


@dataclass(frozen=True, slots=True)
class Match:
    """All that one page took from one text of the reference corpus.

    similarity: as of a `Span`, over the places of all spans; so 1 less the share of the wording that was changed. A
    match is IDENTICAL only at 0.99 or more, HEAVILY_EDITED below 0.85 or when its order was changed as well.
    matched_chars: characters of the page that stand for one of the work, that is, the same character, another form of
    it, one of like sound by any of its readings or of like shape, or its pinyin (a syllable counts as one character).
    It tells how much was taken, however it was obfuscated; `similarity` tells how faithfully.
    taken: the characters of the work that these stand for, each once, however often the page has it.
    longest_equal_run_chars: the most characters of the page in one go that are the work's, in order, as the same
    character or another form of it; nothing of like sound or shape, no pinyin. Punctuation and `NOISE` do not break a
    run, but for characters that nobody can read.
    """

    text_id: WorkTextId
    match_class: MatchClass
    similarity: float  # [0, 1]
    page_containment: float  # share of the page's tokens that stand in spans
    work_containment: float  # share of the work's tokens that are `taken`
    matched_chars: int
    taken: Places
    longest_equal_run_chars: int
    spans: tuple[Span, ...]  # in order of the page
    obfuscations: tuple[ObfuscationFound, ...]  # those seen by comparison
    algorithm_id: int
    also: tuple[WorkTextId, ...] = ()  # other texts that carry the same passages
