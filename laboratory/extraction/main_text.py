"""Part `text` of `bench extract`: main text of saved pages by the product, trafilatura, readability-lxml and GNE."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

from lxml import etree, html

from core.errors import BadInput
from core.pages import Reading
from core.states import MIN_CONFIDENCE_TO_TRUST
from core.zones import Zone
from laboratory.extraction.extractors import PRODUCT, Extractor, extractors, product_reading, quiet
from laboratory.extraction.saved_pages import SavedPage, saved_pages
from laboratory.extraction.text_scores import TextScore, bootstrap_interval, grams, mean_score, text_score
from laboratory.report import Say, Section, TextTable

TARGET_F1, TARGET_RECALL = 0.97, 0.995
GOOD_F1 = 0.9  # a page with this F1 needs no review
ALL = "all"
SURROUNDING = "all beside"  # all characters of the page outside its text, labelled or not
TAKEN = (Zone.MAIN, Zone.COMMENT, Zone.TEASER, SURROUNDING)
_NOT_SHOWN = ("script", "style", "noscript", "template", "head")
CONFIDENCE_BOUNDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class PageScore:
    """The score of one extractor on one labelled page. fault: the exception that it raised, or "".

    taken: the share of each part of the page that is in the reading.
    """

    page: str
    kind: str
    page_kind: str
    score: TextScore
    taken: Mapping[str, float]
    fault: str


@dataclass(frozen=True, slots=True)
class Measured:
    """The scores of one extractor on all pages. seconds: processor time for reading every page once."""

    extractor: Extractor
    scores: tuple[PageScore, ...]
    pages: int
    seconds: float
    faults: int

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Trusted:
    """The product's confidence in its reading of one labelled page, with the score of the reading.

    zones: the share of the reference text that is in each zone and in no earlier one. placed: the same for each
    labelled part outside the main text.
    """

    page: str
    kind: str
    extractor: str
    confidence: float
    f1: float
    zones: Mapping[Zone, float]
    placed: Mapping[str, Mapping[Zone, float]]


def section(path: Path, seed: int, rounds: int, say: Say) -> Section:
    """Measure all extractors on the saved pages of a folder or archive; the fastest of the rounds counts.

    Raises UnreadableFile, and BadInput if no page has a reference.
    """
    pages = saved_pages(path)
    if not any(page.text for page in pages):
        raise BadInput("laboratory.no-reference", path=path)
    present, absent = extractors()
    measured = []
    with quiet():
        for extractor in present:
            say(f"text: {extractor.name} reads {len(pages)} pages")
            measured.append(_measured(extractor, pages, rounds))
        trusted = _trusted(pages, measured[0])
    record = {
        "pages": path.name,
        "measure": "character pairs with their counts, blanks left out; mean over pages",
        "target_f1": TARGET_F1,
        "seed": seed,
        "extractors": [_extractor_record(each, seed) for each in measured],
        "confidence": [asdict(each) for each in trusted],
        "absent": [{"name": name, "reason": reason} for name, reason in absent.items()],
    }
    notes = tuple(f"{name} is not measured: {reason}" for name, reason in absent.items())
    return Section(_tables(measured, trusted, seed), record, notes)


def _measured(extractor: Extractor, pages: Sequence[SavedPage], rounds: int) -> Measured:
    extractor.read(pages[0])  # libraries load their tables with the first page
    best, texts, faults = float("inf"), [""] * len(pages), [""] * len(pages)
    for _ in range(max(1, rounds)):
        begun = process_time()
        for number, page in enumerate(pages):
            texts[number], faults[number] = _read(extractor, page)
        best = min(best, process_time() - begun)
    scores = tuple(
        PageScore(
            page.name, page.kind, page.page_kind, text_score(text, page.text), _taken(text, _labelled(page)), fault
        )
        for page, text, fault in zip(pages, texts, faults, strict=True)
        if page.text
    )
    return Measured(extractor, scores, len(pages), best, sum(map(bool, faults)))


def _read(extractor: Extractor, page: SavedPage) -> tuple[str, str]:
    try:
        return extractor.read(page), ""
    except Exception as error:  # a peer that raises is scored as having read nothing
        return "", f"{type(error).__name__}: {error}"[:200]


def _trusted(pages: Sequence[SavedPage], product: Measured) -> list[Trusted]:
    f1 = {score.page: score.score.f1 for score in product.scores}
    found = []
    for page in pages:
        reading = product_reading(page) if page.text else None
        if reading is not None:
            zones = _recall_by_zone(reading, page.text)
            placed = {zone: _recall_by_zone(reading, text) for zone, text in page.zones.items()}
            trust = reading.extractor, reading.confidence, f1[page.name]
            found.append(Trusted(page.name, page.kind, *trust, zones, placed))
    return found


def _recall_by_zone(reading: Reading, reference: str) -> dict[Zone, float]:
    shares, taken, before = dict[Zone, float](), "", 0.0
    for zone in Zone:
        taken += "\n".join(line.text for line in reading.lines if line.zone is zone) + "\n"
        recall = text_score(taken, reference).recall
        shares[zone], before = recall - before, recall
    return shares


def _labelled(page: SavedPage) -> dict[str, Counter[str]]:
    """Return the character pairs of each part of a page.

    Pairs that occur in the text are not counted in the other parts.
    """
    main = grams(page.text)
    parts = {zone: grams(text) for zone, text in page.zones.items()}
    return {Zone.MAIN: main, **parts, SURROUNDING: grams(_text_shown(page.markup)) - main}


def _taken(found: str, parts: Mapping[str, Counter[str]]) -> dict[str, float]:
    """Return the share of each part in a reading: the recall of the text, and of other parts without its pairs."""
    held = grams(found)
    surroundings = held - parts[Zone.MAIN]
    return {
        zone: ((held if zone == Zone.MAIN else surroundings) & part).total() / part.total()
        for zone, part in parts.items()
        if part
    }


def _text_shown(markup: str) -> str:
    if not markup.strip():
        return ""
    tree = html.fromstring(markup.encode(), parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    etree.strip_elements(tree, *_NOT_SHOWN, etree.Comment, with_tail=False)
    return "".join(tree.itertext())


def _kinds(scores: Iterable[PageScore]) -> dict[str, list[PageScore]]:
    kinds: dict[str, list[PageScore]] = defaultdict(list)
    for score in scores:
        kinds[score.kind].append(score)
    return dict(sorted(kinds.items()))


def _tables(measured: Sequence[Measured], trusted: Sequence[Trusted], seed: int) -> tuple[TextTable, ...]:
    names = tuple(each.extractor.name for each in measured)
    zones = ("pages", *map(str, Zone))
    scored = ("pages", "precision", "recall", "F1")
    title = f"Main text of saved pages, F1 over character pairs (asked for: {TARGET_F1})"
    parts = "Share of each part of the pages that stands in the reading (of the text: its recall)"
    surroundings = f"Where {PRODUCT} has what was labelled beside the text, share by zone"
    confidence = f"What {PRODUCT}'s confidence is worth (doubtful below {MIN_CONFIDENCE_TO_TRUST})"
    reference = f"Where {PRODUCT} has the reference text, share by zone (asked for in all: {TARGET_RECALL})"
    overview = (*scored, "95 % of F1", "worst F1", "failed", "pages/CPU s")
    tables = (
        (title, ("extractor",), overview, [_overview_row(each, seed) for each in measured]),
        ("By kind of reference", ("extractor", "kind of reference"), scored, _kind_rows(measured)),
        ("F1 by kind of page", ("kind",), ("pages", *names), _page_kind_rows(measured)),
        (parts, ("part",), ("pages", *names), _taken_rows(measured)),
        (surroundings, ("labelled",), zones, _placed_rows(trusted)),
        (confidence, ("confidence",), ("pages", "mean F1", f"below F1 {GOOD_F1}"), _trust_rows(trusted)),
        (reference, ("kind of reference",), (*zones, ALL, "worst"), _zone_rows(trusted, measured[0])),
    )
    made = (TextTable(title, (*left, *right), tuple(rows), right) for title, left, right, rows in tables)
    return tuple(table for table in made if table.rows)


def _kind_rows(measured: Sequence[Measured]) -> Iterable[tuple[str, ...]]:
    for each in measured:
        for kind, scores in _kinds(each.scores).items():
            yield each.extractor.name, kind, str(len(scores)), *_shown(mean_score([one.score for one in scores]))


def _page_kind_rows(measured: Sequence[Measured]) -> Iterable[tuple[str, ...]]:
    kinds = sorted({score.page_kind for score in measured[0].scores} - {""})
    for kind in kinds:
        own = [[score.score.f1 for score in each.scores if score.page_kind == kind] for each in measured]
        yield kind, str(len(own[0])), *(f"{fmean(scores):.3f}" for scores in own)


def _taken_rows(measured: Sequence[Measured]) -> Iterable[tuple[str, ...]]:
    for part in TAKEN:
        own = [[score.taken[part] for score in each.scores if part in score.taken] for each in measured]
        if own[0]:
            yield part, str(len(own[0])), *(f"{fmean(shares):.3f}" for shares in own)


def _placed_rows(trusted: Sequence[Trusted]) -> Iterable[tuple[str, ...]]:
    for part in sorted({part for each in trusted for part in each.placed}):
        pages = [each.placed[part] for each in trusted if part in each.placed]
        yield part, str(len(pages)), *(f"{fmean(page[zone] for page in pages):.3f}" for zone in Zone)


def _zone_rows(trusted: Sequence[Trusted], product: Measured) -> Iterable[tuple[str, ...]]:
    """Yield the rows of zones. Pages without a reading are included."""
    by_page = {each.page: each.zones for each in trusted}
    kinds = {ALL: list(product.scores), **_kinds(product.scores)}
    for kind, scores in kinds.items():
        pages = [by_page.get(score.page, {}) for score in scores]
        shares = [fmean(page.get(zone, 0.0) for page in pages) for zone in Zone]
        whole = [sum(page.values()) for page in pages]
        yield kind, str(len(pages)), *(f"{share:.3f}" for share in (*shares, fmean(whole), min(whole)))


def _overview_row(each: Measured, seed: int) -> tuple[str, ...]:
    scores = [score.score for score in each.scores]
    lower, upper = bootstrap_interval([score.f1 for score in scores], seed)
    name = f"{each.extractor.name} {each.extractor.version}".strip()
    worst, mean = min(score.f1 for score in scores), _shown(mean_score(scores))
    figures = f"{lower:.3f}-{upper:.3f}", f"{worst:.3f}", str(each.faults), f"{each.pages_per_s:.1f}"
    return name, str(len(scores)), *mean, *figures


def _shown(score: TextScore) -> tuple[str, str, str]:
    return f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}"


def _trust_rows(trusted: Sequence[Trusted]) -> Iterable[tuple[str, ...]]:
    for lower, upper in pairwise(CONFIDENCE_BOUNDS):
        within = [each.f1 for each in trusted if lower <= each.confidence < upper or (each.confidence == upper == 1.0)]
        if within:
            poor = sum(f1 < GOOD_F1 for f1 in within)
            yield f"{lower:g}-{upper:g}", str(len(within)), f"{sum(within) / len(within):.3f}", str(poor)


def _extractor_record(each: Measured, seed: int) -> dict[str, Any]:
    scores = [score.score for score in each.scores]
    kinds = {kind: asdict(mean_score([one.score for one in own])) for kind, own in _kinds(each.scores).items()}
    return {
        "name": each.extractor.name,
        "version": each.extractor.version,
        "labelled_pages": len(scores),
        **asdict(mean_score(scores)),
        "f1_interval": bootstrap_interval([score.f1 for score in scores], seed),
        "kinds": kinds,
        "pages_read": each.pages,
        "cpu_seconds": each.seconds,
        "pages_per_cpu_s": each.pages_per_s,
        "failed": each.faults,
        "scores": [_score_record(score) for score in each.scores],
    }


def _score_record(score: PageScore) -> dict[str, Any]:
    record = asdict(score)
    return {**record.pop("score"), **record}
