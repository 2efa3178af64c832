"""How many characters of chapters that are pictures are read, style by style; the part `pictures` of `bench extract`.

`python -m laboratory.extraction.pictured_pages FOLDER`: the same of the texts (*.txt) of a folder.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from random import Random

from opencc import OpenCC
from rapidfuzz.distance import Levenshtein

from core.errors import UnreadableFile
from core.pages import Reading
from crawler.fetching.resources import Resources
from crawler.obfuscation.recognition import missing_recognition
from crawler.obfuscation.render_context import OpenRenderContext, open_render_context
from crawler.reading import read_page
from laboratory.cases.corpora import read
from laboratory.extraction.obfuscated_pages.page import ADDRESS, Body, PageFiles, page_of
from laboratory.extraction.obfuscated_pages.prose import paragraphs
from laboratory.extraction.obfuscations import faces
from laboratory.extraction.pictured_text import Style, pictures_of
from laboratory.extraction.sections import ExtractPlan, Say, Section
from laboratory.text_table import TextTable

PAGES = 3  # of each style and source of texts
CHARS = 600  # of a page
_MIN_CHARS_OF_PARAGRAPH = 12
_HEADERS = {"Content-Type": "text/html; charset=utf-8"}
_TRADITIONAL, _SIMPLIFIED = OpenCC("s2t"), OpenCC("t2s")


@dataclass(frozen=True, slots=True)
class StyleScore:
    """errors: characters to insert, leave out or replace; folded_errors: with both texts in simplified characters.

    whole: paragraphs that are one line of what was read, for the most part of it. seconds: on the clock.
    """

    name: str
    pages: int
    chars: int
    errors: int
    folded_errors: int
    paragraphs: int
    whole: int
    seconds: float

    @property
    def accuracy(self) -> float:
        return 1 - self.errors / self.chars

    @property
    def folded_accuracy(self) -> float:
        return 1 - self.folded_errors / self.chars


def styles() -> list[tuple[Style, bool]]:
    """Each with whether its texts are in traditional characters."""
    (hei, song, *_), foreign = faces()
    plain = Style("Song 22 px, grey on beige", song)
    found = [
        plain,
        replace(plain, name="Hei 22 px", face=hei),
        replace(plain, name="Song 16 px", size=16),
        replace(plain, name="Hei 16 px, 360 px wide, dense", face=hei, size=16, width=360, spacing=1.4),
        replace(plain, name="Song 32 px, black on white", size=32, ink=(0, 0, 0), ground=(255, 255, 255)),
        replace(plain, name="Hei 20 px, light on dark", face=hei, size=20, ink=(200, 200, 200), ground=(24, 24, 32)),
        replace(plain, name="Song 18 px, JPEG of quality 60", size=18, format="JPEG"),
        replace(plain, name="Song 24 px, WebP of quality 60", size=24, format="WEBP"),
        replace(plain, name="Song 22 px, GIF", format="GIF"),
        replace(plain, name="Hei 18 px, noise, JPEG", face=hei, size=18, noise=8, format="JPEG"),
        replace(plain, name="Song 22 px, watermark across", watermark="墨香阁 www.mo.example"),
        replace(plain, name="Song 22 px, pale: 110 on 200", ink=(110, 110, 110), ground=(200, 200, 200)),
        replace(plain, name="Hei 20 px, no indents", face=hei, size=20, is_indented=False),
        replace(plain, name="Song 22 px, several pictures", page_px=400),
        replace(plain, name="Song 44 px, 1,600 px wide", size=44, width=1600),
    ]
    found += [replace(plain, name=f"{face.stem} 20 px (no reference)", face=face, size=20) for face in foreign]
    traditional = [
        replace(plain, name="Song 22 px, traditional"),
        replace(plain, name="Hei 18 px, traditional, JPEG", face=hei, size=18, format="JPEG"),
        replace(plain, name="Song 24 px, traditional, columns", size=24, is_upright=True, spacing=1.6),
    ]
    return [(style, False) for style in found] + [(style, True) for style in traditional]


def section(plan: ExtractPlan, say: Say) -> Section:
    """The part `pictures` of `bench extract`: generated prose, and articles where the corpora are."""
    missing = missing_recognition()
    if missing is not None:
        return Section((), {}, (str(missing),))
    rng = Random(plan.seed)  # noqa: S311, no secret
    sources = {"generated": [paragraphs(rng, 7) for _ in range(PAGES)]}
    try:
        sources["articles"] = _articles(plan, rng)
    except UnreadableFile as error:
        say(f"no real texts: {error}")
    return shown({name: measure(texts, say) for name, texts in sources.items()})


def measure(texts: Sequence[Sequence[str]], say: Say = lambda line: None) -> list[StyleScore]:
    """Each style over all texts, of which each is a page."""
    served = _Served()
    eyes = open_render_context(served.of_page)
    try:
        found = []
        for style, is_traditional in styles():
            found.append(_score(style, is_traditional, texts, served, eyes))
            say(f"{style.name}: {found[-1].accuracy:.4f}")
        return found
    finally:
        eyes.close()


def page_with(pictures: Sequence[bytes], kind: str = "png") -> tuple[str, dict[str, bytes]]:
    """The markup of a chapter that is pictures, and these by their paths."""
    files = {f"/img/{number}.{kind}": picture for number, picture in enumerate(pictures)}
    markup = [f'<p><img src="{escape(path)}"></p>' for path in files]
    return page_of("pictured", None, Body(markup, "", files=files)).html, files


def shown(results: dict[str, list[StyleScore]]) -> Section:
    """Results as a table and a record."""
    columns = ("style", "texts", "pages", "characters", "right", "but for the script", "paragraphs whole", "s a page")
    rows = [
        (
            one.name,
            source,
            f"{one.pages}",
            f"{one.chars:,}",
            f"{one.accuracy:.2%}",
            f"{one.folded_accuracy:.2%}",
            f"{one.whole}/{one.paragraphs}",
            f"{one.seconds / one.pages:.1f}",
        )
        for source, scores in results.items()
        for one in (*scores, _together(scores))
    ]
    record = {
        source: {one.name: {"chars": one.chars, "errors": one.errors, "pages": one.pages} for one in scores}
        for source, scores in results.items()
    }
    return Section((TextTable("Chapters that are pictures", columns, tuple(rows), columns[2:]),), record)


class _Served:
    def __init__(self) -> None:
        self.files = PageFiles({})

    def of_page(self, url: str) -> Resources:
        return self.files


def _score(
    style: Style, is_traditional: bool, texts: Sequence[Sequence[str]], served: _Served, eyes: OpenRenderContext
) -> StyleScore:
    score = StyleScore(style.name, 0, 0, 0, 0, 0, 0, 0.0)
    for text in texts:
        truth = [_TRADITIONAL.convert(each) for each in text] if is_traditional else list(text)
        html, files = page_with(pictures_of(truth, style))
        served.files = PageFiles(files)
        begun = time.perf_counter()
        reading = read_page(html.encode(), _HEADERS, ADDRESS, context=eyes)
        lines = reading.text.split("\n") if isinstance(reading, Reading) else []
        whole, said = "".join(truth), "".join(lines)
        score = StyleScore(
            style.name,
            score.pages + 1,
            score.chars + len(whole),
            score.errors + Levenshtein.distance(said, whole),
            score.folded_errors + Levenshtein.distance(_SIMPLIFIED.convert(said), _SIMPLIFIED.convert(whole)),
            score.paragraphs + len(truth),
            score.whole + sum(_is_one_of(each, lines) for each in truth),
            score.seconds + time.perf_counter() - begun,
        )
    return score


def _is_one_of(paragraph: str, lines: Sequence[str]) -> bool:
    return any(Levenshtein.normalized_similarity(paragraph, line) > 0.85 for line in lines)


def _together(scores: Sequence[StyleScore]) -> StyleScore:
    return StyleScore(
        "all",
        sum(one.pages for one in scores),
        sum(one.chars for one in scores),
        sum(one.errors for one in scores),
        sum(one.folded_errors for one in scores),
        sum(one.paragraphs for one in scores),
        sum(one.whole for one in scores),
        sum(one.seconds for one in scores),
    )


def _articles(plan: ExtractPlan, rng: Random) -> list[list[str]]:
    """Of an encyclopedia, in simplified characters. Raises UnreadableFile."""
    texts = [_SIMPLIFIED.convert(one["text"]) for one in read(plan.corpora, "wiki_dev.jsonl.gz")]
    found = [page for text in texts if (page := _page_of(text.splitlines()))]
    return rng.sample(found, min(PAGES, len(found)))


def _page_of(lines: Iterable[str]) -> list[str]:
    """The first paragraphs of a text, CHARS of them; none where there are fewer."""
    page: list[str] = []
    for line in lines:
        paragraph = "".join(line.split())
        if len(paragraph) >= _MIN_CHARS_OF_PARAGRAPH and paragraph.isprintable():
            page.append(paragraph[:CHARS])
        if sum(map(len, page)) >= CHARS:
            return page
    return []


def main() -> None:
    folder = Path(sys.argv[1])
    texts = [_page_of(path.read_text("utf-8").splitlines()) for path in sorted(folder.rglob("*.txt"))]
    (table,) = shown({folder.name: measure([text for text in texts if text][:PAGES])}).tables
    for row in (table.columns, *table.rows):
        sys.stdout.write("\t".join(row) + "\n")


if __name__ == "__main__":
    main()
