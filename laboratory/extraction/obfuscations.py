"""Counts, for each way to obfuscate a text, the generated pages that the crawler reads as a reader sees them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from core.errors import UnreadableFile
from core.obfuscations import Obfuscation
from crawler.fetching.resources import Resources
from crawler.obfuscation.deobfuscation import RenderContext, open_render_context
from crawler.obfuscation.glyph_ocr import NoRecognizer, Recognizer
from crawler.obfuscation.reference_fonts import ReferenceFonts, free_fonts
from crawler.opening import Rejected
from crawler.reading import read_page
from laboratory.cases.corpora import read
from laboratory.extraction.obfuscated_pages.page import ADDRESS, HiddenPage, PageFiles
from laboratory.extraction.obfuscated_pages.ways import CLEAN, MARKUP_WAYS, Way, drawn_ways, pages_of
from laboratory.report import Say, Section, TextTable

PAGES = 200  # for each way
PASSAGE_CHARS, PARAGRAPH_CHARS = 440, 110  # of a real text
MARKS = "，。！？；：、"
_KEPT, _MARKS = re.compile(f"[\u4e00-\u9fff{MARKS}]"), re.compile(f"([{MARKS}])[{MARKS}]+")
_HEADERS = {"Content-Type": "text/html; charset=utf-8"}
_LETTERS = re.compile(r"[^\w\n]+")


@dataclass(frozen=True, slots=True)
class WayScore:
    """The score of one way. undone: pages with the true text. told: pages on which the obfuscation was reported."""

    name: str
    kind: Obfuscation | None
    pages: int
    undone: int
    told: int
    failures: tuple[str, ...] = ()  # the first pages on which it was not undone, one line each


class _Served:
    """The files of the page that is currently read."""

    def __init__(self) -> None:
        self.files = PageFiles({})

    def of_page(self, url: str) -> Resources:
        return self.files


def measure(
    seed: int, pages: int = PAGES, say: Say = lambda line: None, passages: Sequence[Sequence[str]] = ()
) -> list[WayScore]:
    """Measure all ways with the fonts and OCR of the machine, and the drawn ones also without references or OCR.

    passages: paragraphs of real texts, with which the drawn ways are measured as well.
    """
    known, foreign = faces()
    results = [score_way(way, seed, pages, None, None) for way in (CLEAN, *MARKUP_WAYS)]
    labels = [(face, face.stem) for face in known] + [(face, f"{face.stem} (no reference)") for face in foreign]
    for way in (way for face, label in labels for way in drawn_ways(face, label)):
        say(f"{way.name}: {pages} pages")
        results.append(score_way(way, seed, pages, None, None))
        if passages:
            results.append(
                score_way(replace(way, name=f"{way.name}, real texts"), seed, pages, None, None, passages=passages)
            )
    for group, label in ((known[:1], "no OCR"), (foreign, "no reference, no OCR")):
        unseconded = [way for face in group for way in drawn_ways(face, label)]
        results += [score_way(way, seed, pages, None, NoRecognizer()) for way in unseconded]
    for face in known[:1]:
        blind = drawn_ways(face, "no reference face")
        results += [score_way(way, seed, max(1, pages // 10), ReferenceFonts([]), None) for way in blind]
    return results


def section(corpora: Path, seed: int, say: Say) -> Section:
    """Return the part `obfuscations` of `bench extract`, with real texts only if the corpora are present."""
    try:
        passages = _passages(corpora, seed)
    except UnreadableFile as error:
        say(f"no real texts: {error}")
        passages = []
    return shown(measure(seed, PAGES, say, passages))


def _passages(corpora: Path, seed: int) -> list[list[str]]:
    """Return passages of encyclopedia articles in both scripts, with some rare characters. Raises UnreadableFile."""
    rng = Random(seed)  # noqa: S311, no secret
    texts = [_MARKS.sub(r"\1", "".join(_KEPT.findall(one["text"]))) for one in read(corpora, "wiki_dev.jsonl.gz")]
    long = [text for text in texts if len(text) >= PASSAGE_CHARS]
    chosen = rng.sample(long, min(PAGES, len(long)))
    return [
        [text[at : at + PARAGRAPH_CHARS].lstrip(MARKS) for at in range(0, PASSAGE_CHARS, PARAGRAPH_CHARS)]
        for text in chosen
    ]


def shown(results: Sequence[WayScore]) -> Section:
    """Return the results as a table and a record."""
    columns = ("obfuscation", "kind", "pages", "undone", "told of")
    rows = tuple(
        (
            one.name,
            str(one.kind or "-"),
            f"{one.pages:,}",
            f"{one.undone / one.pages:.1%}",
            f"{one.told / one.pages:.1%}",
        )
        for one in results
    )
    record = {one.name: {"pages": one.pages, "undone": one.undone, "told": one.told} for one in results}
    return Section((TextTable("Obfuscations undone", columns, rows, ("pages", "undone", "told of")),), record)


def score_way(
    way: Way,
    seed: int,
    pages: int,
    references: ReferenceFonts | None,
    recognizer: Recognizer | None,
    *,
    passages: Sequence[Sequence[str]] = (),
) -> WayScore:
    """Return the score of one way on `pages` pages of generated prose or of `passages`."""
    served = _Served()
    eyes = open_render_context(served.of_page, references or _References.shared(), recognizer)
    good = told = 0
    failures: list[str] = []
    try:
        for number, page in enumerate(pages_of(way, seed, pages, passages)):
            served.files = PageFiles(page.files)
            text, kinds = _read(page, eyes)
            is_good = _same(text, page.truth, marks_count=way.marks_count)
            good += is_good
            told += way.kind in kinds if way.kind else not kinds
            if not is_good and len(failures) < 3:
                failures.append(f"page {number}: {_difference(text, page.truth)}")
    finally:
        eyes.close()
    return WayScore(way.name, way.kind, pages, good, told, tuple(failures))


def faces() -> tuple[list[Path], list[Path]]:
    """Return the font faces to draw with: those among the references, and one that is not."""
    known = [path for path in free_fonts() if path.suffix != ".ttc"]
    foreign = list(known[0].parent.glob("SimHei.ttf")) if known else []
    return known, foreign


class _References:
    """The machine's references, drawn once for all ways."""

    _drawn: ReferenceFonts | None = None

    @classmethod
    def shared(cls) -> ReferenceFonts:
        cls._drawn = cls._drawn or ReferenceFonts()
        return cls._drawn


def _read(page: HiddenPage, eyes: RenderContext) -> tuple[str, set[Obfuscation]]:
    reading = read_page(page.html.encode(), _HEADERS, ADDRESS, context=eyes)
    if isinstance(reading, Rejected):
        return "", set()
    return reading.text, {one.kind for one in reading.obfuscations}


def _same(text: str, truth: str, *, marks_count: bool) -> bool:
    return text == truth if marks_count else _LETTERS.sub("", text) == _LETTERS.sub("", truth)


def _difference(text: str, truth: str) -> str:
    at = next(
        (at for at, (one, other) in enumerate(zip(text, truth, strict=False)) if one != other),
        min(len(text), len(truth)),
    )
    return f"{text[max(0, at - 8) : at + 12]!r} for {truth[max(0, at - 8) : at + 12]!r}"
