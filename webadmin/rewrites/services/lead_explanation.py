"""Writes the explanation in the export of a lead. It begins with what a comparison of meaning does not prove."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bundles import layout
from bundles.comparison import CAUTION
from bundles.opened import OpenedBundle
from bundles.shapes import moment
from core.matches import RewordedClass, RewordedState, strength_dots, strength_step
from core.terms import term
from core.wording import Message
from documents.explanation_blocks import (
    BOTH_LANGUAGES,
    HEADLINE,
    Block,
    ExplanationHeading,
    ExplanationPairs,
    ExplanationParagraph,
    ExplanationSides,
    Points,
    Words,
)
from documents.explanation_html import as_html
from documents.explanation_pdf import as_pdf
from webadmin.evidence.services.circumstances_text import circumstance_blocks
from webadmin.evidence.services.explanation import (
    Example,
    bundle_rows,
    capture_rows,
    check_blocks,
    check_steps,
    page_rows,
    shorten,
)

SIDES, HEADS = "逐句对照 Sentences side by side", ("", "网页 Page", "作品 Work")
MORE = "另有 {count:,} 对，见 evidence/comparison.json。 {count:,} more pairs stand in evidence/comparison.json."
_CONTENTS = ("bundles/*.wacz", "pages/", "lead.json", "manifest.json, SHA256SUMS", "seal/")
MAX_PAIRS_SHOWN = 400  # as many as on the page of a lead


@dataclass(frozen=True, slots=True)
class LeadSummary:
    """The input of the explanation.

    facts: the facts in lead.json. is_sealed: whether an authority sealed the export.
    """

    lead: int
    facts: Mapping[str, Any]
    bundle: OpenedBundle
    is_sealed: bool


def lead_explanation(lead: LeadSummary, at: datetime, code_version: str) -> dict[str, bytes]:
    """Return README.html, without scripts and external resources, and the same text as PDF, by file name.

    at: the time of the confirmation.
    """
    title = f"{HEADLINE} L{lead.lead}"
    blocks: list[Block] = []
    for words in BOTH_LANGUAGES:
        opening = words("explanation.lead-opening", at=moment(at), version=code_version)
        blocks += [
            ExplanationHeading(words("explanation.lead-title", kind=_kind_name(words, lead), lead=lead.lead)),
            ExplanationParagraph(opening),
        ]
        blocks += _language_blocks(words, lead)
    blocks += _side_by_side(lead.bundle.finding["pairs"])
    return {
        layout.EXPLANATION: as_html(title, blocks).encode("utf-8", "replace"),
        layout.PRINTED: as_pdf(title, blocks, at),
    }


def _language_blocks(words: Words, lead: LeadSummary) -> list[Block]:
    found = lead.bundle.finding
    missing = () if lead.is_sealed else (words("explanation.lead-unsealed"),)
    first, *others = words.lines("explanation.lead-first-points")
    example = Example(lead.bundle.digest, layout.bundle_file(lead.bundle.digest), None)
    return [
        ExplanationHeading(words("explanation.lead-first"), 2),
        Points((CAUTION.in_language(words.language), first, _band_sentence(words, found), *others)),
        ExplanationHeading(words("explanation.lead-about"), 2),
        ExplanationPairs(tuple(_lead_rows(words, lead))),
        ExplanationHeading(words("explanation.lead-verdicts"), 2),
        ExplanationPairs(tuple(_verdict_rows(words, lead.facts))),
        *circumstance_blocks(words, [lead.bundle]),
        ExplanationHeading(words("explanation.proves"), 2),
        Points(words.lines("explanation.lead-proves-points")),
        ExplanationHeading(words("explanation.proves-not"), 2),
        Points(
            (
                *words.lines("explanation.proves-not-of-fetching"),
                words("explanation.proves-not-of-stamps"),
                words("explanation.withheld"),
                *missing,
            )
        ),
        ExplanationHeading(words("explanation.contents"), 2),
        ExplanationPairs(tuple(zip(_CONTENTS, words.lines("explanation.lead-contents-files"), strict=True))),
        *check_blocks(words, check_steps(words, example, lead.is_sealed)),
        ExplanationParagraph(words("explanation.check-replay")),
    ]


def _kind_name(words: Words, lead: LeadSummary) -> str:
    return term(RewordedClass(lead.bundle.finding["class"])).in_language(words.language)


def _band_sentence(words: Words, found: Mapping[str, Any]) -> str:
    band = found["band"]
    if not band:
        return words("explanation.lead-not-measured")
    return words("explanation.lead-measured", alarms=band["alarms"], passages=band["innocent_passages"])


def _lead_rows(words: Words, lead: LeadSummary) -> Iterator[tuple[str, str]]:
    found = lead.bundle.finding
    work, passage = found["work"], found["work"]["passage"]
    counts = {"pairs": len(found["pairs"]), "sentences": found["sentences"], "in_order": found["in_order"]}
    yield from page_rows(words, lead.bundle)
    yield words("explanation.lead-page-version"), found["page_version"]
    yield words("explanation.work"), f"{work['title']} {work['author']} {work['chapter']}".strip()
    yield words("explanation.work-digest"), work["digest"]
    start, end = passage["start"] + 1, passage["end"]  # People count from 1.
    yield (
        words("explanation.lead-passage"),
        words("explanation.lead-passage-said", start=start, end=end, chars=work["chars"]),
    )
    yield words("explanation.lead-kind"), _kind_name(words, lead)
    yield words("explanation.lead-counterparts"), Message("reworded.sentences", **counts).in_language(words.language)
    yield from _score_rows(words, found)
    yield words("explanation.lead-algorithm"), f"{found['algorithm_version']} ({found['code_version']})"
    yield words("explanation.lead-model"), found["model"]["name"]
    yield from ((f"SHA-256: {name}", hashed) for name, hashed in found["model"]["sha256"].items())
    yield from bundle_rows(words, lead.bundle)
    yield from capture_rows(words, lead.bundle, {})


def _score_rows(words: Words, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    band, language = found["band"], words.language
    if not band:
        yield words("explanation.lead-score"), words("explanation.lead-score-said", score=found["score"])
        return
    name = Message(f"reworded-band.{band['name']}").in_language(language)
    yield words("explanation.lead-score"), words("explanation.lead-band-said", score=found["score"], band=name)
    counts = {"alarms": band["alarms"], "passages": band["innocent_passages"]}
    yield words("explanation.lead-innocent"), Message("reworded.band", **counts).in_language(language)


def _verdict_rows(words: Words, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    language = words.language
    for each in facts["verdicts"]:
        verdict = term(RewordedState(each["verdict"])).in_language(language)
        by = words.name(f"staff.{each['by']}", each["by"])
        said = words("explanation.lead-verdict-said", **{**each, "verdict": verdict, "by": by})
        yield each["at"], f"{said}{words.semicolon}{each['note']}" if each.get("note") else said
    if facts["lapsed_at"]:
        yield words("explanation.lead-lapsed"), facts["lapsed_at"]


def _side_by_side(pairs: list[Mapping[str, Any]]) -> list[Block]:
    rows = tuple(
        (_pair_label(number, pair), _join_lines(pair["page_sentence"]), _join_lines(pair["work_sentence"]))
        for number, pair in enumerate(pairs[:MAX_PAIRS_SHOWN], 1)
    )
    left = len(pairs) - MAX_PAIRS_SHOWN
    more = [ExplanationParagraph(MORE.format(count=left))] if left > 0 else []
    return [
        ExplanationHeading(SIDES),
        *(ExplanationParagraph(words("explanation.lead-sides")) for words in BOTH_LANGUAGES),
        ExplanationSides(HEADS, rows),
        *more,
    ]


def _join_lines(sentence: str) -> str:
    return shorten(" ".join(sentence.split()))


def _pair_label(number: int, pair: Mapping[str, Any]) -> str:
    places = "\n".join(f"{start:,}–{end:,}" for start, end in (pair["page"], pair["work"]))
    return f"{number} {strength_dots(strength_step(pair['strength']))}\n{places}"
