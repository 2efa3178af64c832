"""The explanation in the export of a lead: before all else what a comparison of meaning does not prove."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.matches import RewordedClass, RewordedState, strength_dots, strength_step
from core.terms import REWORDED_BANDS, REWORDED_CLASSES, REWORDED_STATES, STAFF
from core.wording import Message, say
from evidence import layout
from evidence.circumstances_told import told
from evidence.comparison import CAUTION
from evidence.document import Block, Heading, Pairs, Paragraph, Points, Sides
from evidence.document_html import as_html
from evidence.document_pdf import as_pdf
from evidence.explanation import Example, bundle_rows, by_hand, capture_rows, page_rows, short, steps
from evidence.explanation_words import HEADLINE
from evidence.lead_words import CHINESE, ENGLISH, HEADS, MORE, SIDES, LeadWords
from evidence.opened import Opened
from evidence.shapes import moment

MAX_PAIRS_SHOWN = 400  # as the desk does: a page of two hours' reading has no more


@dataclass(frozen=True, slots=True)
class ToldLead:
    """What the explanation is written from. facts: as lead.json has them."""

    lead: int
    facts: Mapping[str, Any]
    bundle: Opened
    is_sealed: bool


def lead_explanation(lead: ToldLead, at: datetime, code_version: str) -> dict[str, bytes]:
    """README.html, which needs no network and runs nothing, and the same as PDF."""
    title = f"{HEADLINE} L{lead.lead}"
    blocks: list[Block] = []
    for words in (CHINESE, ENGLISH):
        opening = words.opening.format(at=moment(at), version=code_version)
        blocks += [Heading(words.title.format(kind=_kind(words, lead), lead=lead.lead)), Paragraph(opening)]
        blocks += _in_one_language(words, lead)
    blocks += _side_by_side(lead.bundle.finding["pairs"])
    return {
        layout.EXPLANATION: as_html(title, blocks).encode("utf-8", "replace"),
        layout.PRINTED: as_pdf(title, blocks, at),
    }


def _in_one_language(words: LeadWords, lead: ToldLead) -> list[Block]:
    common, found = words.words, lead.bundle.finding
    missing = () if lead.is_sealed else (words.unsealed,)
    first, *others = words.first_points
    example = Example(lead.bundle.digest, layout.bundle_file(lead.bundle.digest), None)
    return [
        Heading(words.first, 2),
        Points((say(CAUTION, common.language), first, _measured(words, found), *others)),
        Heading(words.about, 2),
        Pairs(tuple(_rows(words, lead))),
        Heading(words.verdicts, 2),
        Pairs(tuple(_verdicts(words, lead.facts))),
        *told(common.language, [lead.bundle]),
        Heading(common.proves, 2),
        Points(words.proves_points),
        Heading(common.proves_not, 2),
        Points((*common.proves_not_of_fetching, common.proves_not_of_stamps, common.withheld, *missing)),
        Heading(common.contents, 2),
        Pairs(words.contents_pairs),
        *by_hand(common, steps(common, example, lead.is_sealed)),
        Paragraph(common.check_replay),
    ]


def _kind(words: LeadWords, lead: ToldLead) -> str:
    return REWORDED_CLASSES[RewordedClass(lead.bundle.finding["class"])].in_language(words.words.language)


def _measured(words: LeadWords, found: Mapping[str, Any]) -> str:
    band = found["band"]
    if not band:
        return words.not_measured
    return words.measured.format(alarms=band["alarms"], passages=band["innocent_passages"])


def _rows(words: LeadWords, lead: ToldLead) -> Iterator[tuple[str, str]]:
    common, found = words.words, lead.bundle.finding
    work, passage = found["work"], found["work"]["passage"]
    counts = {"pairs": len(found["pairs"]), "sentences": found["sentences"], "in_order": found["in_order"]}
    yield from page_rows(common, lead.bundle)
    yield words.page_version, found["page_version"]
    yield common.work, f"{work['title']} {work['author']} {work['chapter']}".strip()
    yield common.work_digest, work["digest"]
    start, end = passage["start"] + 1, passage["end"]  # as people count: the first is 1
    yield words.passage, words.passage_said.format(start=start, end=end, chars=work["chars"])
    yield words.kind, _kind(words, lead)
    yield words.counterparts, say(Message("reworded.sentences", **counts), common.language)
    yield from _scores(words, found)
    yield words.algorithm, f"{found['algorithm_version']} ({found['code_version']})"
    yield words.model, found["model"]["name"]
    yield from ((f"SHA-256: {name}", hashed) for name, hashed in found["model"]["sha256"].items())
    yield from bundle_rows(common, lead.bundle)
    yield from capture_rows(common, lead.bundle, {})


def _scores(words: LeadWords, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    band, language = found["band"], words.words.language
    if not band:
        yield words.score, words.score_said.format(score=found["score"])
        return
    name = REWORDED_BANDS[band["name"]].in_language(language)
    yield words.score, words.band_said.format(score=found["score"], band=name)
    counts = {"alarms": band["alarms"], "passages": band["innocent_passages"]}
    yield words.innocent, say(Message("reworded.band", **counts), language)


def _verdicts(words: LeadWords, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    language = words.words.language
    for each in facts["verdicts"]:
        verdict = REWORDED_STATES[RewordedState(each["verdict"])].in_language(language)
        by = STAFF[each["by"]].in_language(language) if each["by"] in STAFF else each["by"]
        said = words.verdict_said.format(**{**each, "verdict": verdict, "by": by})
        yield each["at"], f"{said}{words.words.semicolon}{each['note']}" if each.get("note") else said
    if facts["lapsed_at"]:
        yield words.lapsed, facts["lapsed_at"]


def _side_by_side(pairs: list[Mapping[str, Any]]) -> list[Block]:
    rows = tuple(
        (_label(number, pair), _on_one_line(pair["page_sentence"]), _on_one_line(pair["work_sentence"]))
        for number, pair in enumerate(pairs[:MAX_PAIRS_SHOWN], 1)
    )
    left = len(pairs) - MAX_PAIRS_SHOWN
    more = [Paragraph(MORE.format(count=left))] if left > 0 else []
    return [Heading(SIDES), Paragraph(CHINESE.sides), Paragraph(ENGLISH.sides), Sides(HEADS, rows), *more]


def _on_one_line(sentence: str) -> str:
    return short(" ".join(sentence.split()))


def _label(number: int, pair: Mapping[str, Any]) -> str:
    places = "\n".join(f"{start:,}–{end:,}" for start, end in (pair["page"], pair["work"]))
    return f"{number} {strength_dots(strength_step(pair['strength']))}\n{places}"
