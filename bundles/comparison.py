"""Writes and checks evidence/comparison.json: the corresponding sentences of a page and a work.

In the bundle of a suspected rewrite, it replaces the evidence/finding.json of a case. It does not claim a copy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bundles.faults import require
from bundles.shapes import in_both_languages, text_digest
from core.errors import BadInput
from core.ids import Digest
from core.wording import Message

FIELDS = frozenset(
    {
        "work",
        "page_version",
        "page_text_digest",
        "class",
        "score",
        "elsewhere",
        "band",
        "pairs",
        "sentences",
        "in_order",
    }
    | {"algorithm_version", "model", "code_version"}
)
CAUTION = Message("reworded.caution")


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two corresponding sentences, as half-open ranges of code points in the page's text and in the work's text."""

    page: tuple[int, int]
    work: tuple[int, int]
    strength: float  # [0, 1]; not a share


@dataclass(frozen=True, slots=True)
class MeasuredBand:
    """A band of scores. alarms: how many of the measured innocent `passages` have a score in this band."""

    name: str
    alarms: int
    passages: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing a page with a text of a work by meaning.

    score: has no upper bound and is not a share. band: None if not measured. The bundle contains only the part of the
    work's text from the first to the last corresponding sentence, and the digest of the whole text.
    """

    work_title: str
    work_author: str
    chapter_title: str
    work_text_id: str
    work_text: str
    page_version: str
    found_as: str
    score: float
    elsewhere: float
    band: MeasuredBand | None
    pairs: tuple[SentencePair, ...]
    sentence_count: int  # on the page
    in_order: int  # among the pairs
    algorithm_version: int
    model: str
    ingredients: Mapping[str, Digest]  # the models and tables on which scores and pairs depend, by name
    code_version: str


def statement(found: Comparison, page_text: str) -> dict[str, Any]:
    """Return a comparison as JSON values.

    Raises BadInput if there are no pairs, or if a range is outside its text.
    """
    if not found.pairs:
        raise BadInput("evidence.no-pairs")
    start, end = min(pair.work[0] for pair in found.pairs), max(pair.work[1] for pair in found.pairs)
    return {
        "caution": in_both_languages(CAUTION),
        "work": {
            "title": found.work_title,
            "author": found.work_author,
            "chapter": found.chapter_title,
            "text_id": found.work_text_id,
            "digest": text_digest(found.work_text),
            "chars": len(found.work_text),
            "passage": {"start": start, "end": end, "text": found.work_text[start:end]},
        },
        "page_version": found.page_version,
        "page_text_digest": text_digest(page_text),
        "class": found.found_as,
        "score": found.score,
        "elsewhere": found.elsewhere,
        "band": found.band
        and {"name": found.band.name, "alarms": found.band.alarms, "innocent_passages": found.band.passages},
        "pairs": [_pair_record(number, pair, page_text, found.work_text) for number, pair in enumerate(found.pairs, 1)],
        "sentences": found.sentence_count,
        "in_order": found.in_order,
        "algorithm_version": found.algorithm_version,
        "model": {"name": found.model, "sha256": dict(found.ingredients)},
        "code_version": found.code_version,
    }


def check(said: Mapping[str, Any], page_text: str, part: str) -> None:
    """Check that each quoted sentence equals the text of its range.

    said: the values in comparison.json. Raises DoesNotHold, naming `part`, if a sentence differs, and KeyError or
    TypeError if a field is missing or has another type.
    """
    work = said["work"]
    passage = work["passage"]
    start, text = passage["start"], passage["text"]
    is_all = (start, len(text)) == (0, work["chars"])
    fits = passage["end"] == start + len(text) and start >= 0 and passage["end"] <= work["chars"]
    require(fits and (not is_all or text_digest(text) == work["digest"]), part, "flaw.work-passage")
    for number, pair in enumerate(said["pairs"], 1):
        on_page = _range_text(page_text, *pair["page"])
        in_work = _range_text(text, *(place - start for place in pair["work"]))
        are_quoted = on_page == pair["page_sentence"] and in_work == pair["work_sentence"]
        require(are_quoted, part, "flaw.pair", number=number)


def _pair_record(number: int, pair: SentencePair, page_text: str, work_text: str) -> dict[str, Any]:
    on_page, in_work = _range_text(page_text, *pair.page), _range_text(work_text, *pair.work)
    if not on_page or not in_work:
        raise BadInput("evidence.pair", number=number)
    return {
        "page": list(pair.page),
        "work": list(pair.work),
        "strength": pair.strength,
        "page_sentence": on_page,
        "work_sentence": in_work,
    }


def _range_text(text: str, start: int, end: int) -> str | None:
    """Return the text of a range, or None if it is outside the text."""
    return text[start:end] if 0 <= start < end <= len(text) else None
