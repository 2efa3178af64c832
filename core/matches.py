"""What is known of a text that stands in two places."""

from dataclasses import dataclass
from enum import StrEnum

from core.ids import WorkTextId
from core.pages import DisguiseFound
from core.text import TextRange


class ChangeKind(StrEnum):
    """What became of a character or a run of them between the work and the page."""

    HOMOPHONE = "homophone"  # another character of the same sound
    SHAPE = "shape"  # another character of like shape
    SCRIPT = "script"  # simplified <-> traditional or variant
    PINYIN = "pinyin"  # Latin pinyin in place of a character
    REPLACED = "replaced"
    INSERTED = "inserted"  # on the page only
    DELETED = "deleted"  # in the work only
    NOISE = "noise"  # zero-width, spaces, bracketed pinyin, private use: on the page only, said to hide


class MatchClass(StrEnum):
    """How much of a copy a match is."""

    IDENTICAL = "identical"
    LIGHTLY_EDITED = "lightly_edited"
    HEAVILY_EDITED = "heavily_edited"
    EXCERPT = "excerpt"
    PATCHWORK = "patchwork"
    QUOTATION = "quotation"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference inside a span. An INSERTED change has an empty `work`, a DELETED one an empty `page`."""

    kind: ChangeKind
    page: TextRange
    work: TextRange


@dataclass(frozen=True, slots=True)
class Span:
    """A passage of the page that was taken from a passage of the work; offsets of both texts as given."""

    page: TextRange
    work: TextRange
    similarity: float  # [0, 1]: share of tokens that agree along the alignment
    changes: tuple[Change, ...] = ()  # in order of `page`


@dataclass(frozen=True, slots=True)
class Match:
    """All that one page took from one text of the mother corpus."""

    text_id: WorkTextId
    match_class: MatchClass
    similarity: float  # [0, 1], over all spans
    page_containment: float  # share of the page's tokens that stand in spans
    work_containment: float  # share of the work's tokens that stand in spans
    matched_chars: int  # tokens that agree
    longest_run_chars: int  # longest run of tokens that agree without a break
    spans: tuple[Span, ...]  # in order of the page
    disguises: tuple[DisguiseFound, ...]  # those seen by comparison
    algorithm_id: int
    also: tuple[WorkTextId, ...] = ()  # other texts that carry the same passages
