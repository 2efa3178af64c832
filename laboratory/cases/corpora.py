"""The shared corpora as sources of cases. What each file holds: its README, beside it.

Of every work that has several editions one is in the reference corpus and the others make natural pages; of works with
three or more whole editions two are in it, so that a natural page has several true sources.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import UnreadableFile
from core.text import TextRange
from laboratory.cases.sources import Copy, Kind, Outside, Sources, Work, joined
from laboratory.draws import generator, mixed
from laboratory.edits.edited import Passage
from laboratory.edits.material import Material

Record = Mapping[str, Any]

# Single works that stay outside: novels of the genre, one of them with the heroes of a reference work.
OUTSIDE_NOVELS = ("后西游记", "小五义", "英烈传", "热血痕")
MODERN_PROSE = ("鲁迅杂文甲", "萧红作品")
NEWS_YEAR_INSIDE = "2013"
MIN_SHARE_OF_CHAPTERS = 0.9  # of the longest edition: fragments of an edition are no reference work
MIN_EDITIONS_FOR_TWO = 3
MIN_WIKI_ARTICLE_CHARS = 2_000  # shorter articles are too much alike to be works
MAX_CHAPTER_WORK_CHARS = 8_000  # longer modern prose is a book, not a chapter
BANDS = (0.5, 0.8, 0.95, 1.0)


def read(corpora: Path, name: str) -> list[Record]:
    """Return the records of one file, in their order. Raises UnreadableFile."""
    path = corpora / name
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except FileNotFoundError as error:
        raise UnreadableFile(path, "laboratory.no-corpora") from error
    except (OSError, EOFError, ValueError) as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error) from error


def sources(corpora: Path, seed: int) -> Sources:
    """Return all works, outside texts and natural copies, with the confusions that people made.

    Raises UnreadableFile.
    """
    records = {name: read(corpora, f"{name}_dev.jsonl.gz") for name in ("editions", "single")}
    documents = read(corpora, "reuse_dev_docs.jsonl.gz")
    labels = read(corpora, "reuse_dev_labels.jsonl.gz")
    named = {label["source"] for label in labels}
    shelves = _Editions(records["editions"], seed, named)
    works = [*shelves.works()]
    works += _whole(documents, {label["source"].rsplit("/", 1)[0] for label in labels})
    novels = [record for record in records["single"] if record["work"] not in (*OUTSIDE_NOVELS, *MODERN_PROSE)]
    works += _whole(novels, {record["id"].rsplit("/", 1)[0] for record in novels})
    inside, outside = _halves([record for record in records["single"] if record["work"] in MODERN_PROSE], seed)
    works += [_short_work(record) for record in inside]
    news_works, news = _news(corpora)
    wiki_works, wiki = _wiki(corpora)
    works += [*news_works, *wiki_works]
    outside_texts = [
        *(Outside(Kind.GENRE, record["text"]) for record in records["single"] if record["work"] in OUTSIDE_NOVELS),
        *(Outside(Kind.MODERN, record["text"]) for record in outside),
        *wiki,
        *news,
    ]
    places = _Places(works, shelves.records_of(works))
    places.learn(documents)
    natural = shelves.copies(places, read(corpora, "editions_dev_pairs.jsonl.gz"))
    by_id = {record["id"]: record for record in documents}
    copies = (*natural, *_reuse(by_id, labels, places))
    return Sources(tuple(works), tuple(outside_texts), copies, Material.of_corpora(corpora))


class _Editions:
    """The works of the editions file, and which of their editions are in the reference corpus."""

    def __init__(self, records: Sequence[Record], seed: int, named: set[str]) -> None:
        self._by_edition: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in records:
            self._by_edition[record["work"]][record["edition"]].append(record)
        self._inside = {work: self._chosen(work, seed, named) for work in self._by_edition}

    def _chosen(self, work: str, seed: int, named: set[str]) -> list[str]:
        editions = self._by_edition[work]
        most = max(map(len, editions.values()))
        whole = [name for name, chapters in editions.items() if len(chapters) >= MIN_SHARE_OF_CHAPTERS * most]
        order = mixed(generator(seed, "editions", work), whole)
        order.sort(key=lambda name: not any(chapter["id"] in named for chapter in editions[name]))
        return order[: 2 if len(whole) >= MIN_EDITIONS_FOR_TWO else 1]

    def works(self) -> Iterable[Work]:
        for work, editions in self._by_edition.items():
            inside = self._inside[work]
            for edition in inside:
                texts = [record["text"] for record in editions[edition]]
                yield joined(f"{work}/{edition}", work, texts, is_unique=len(inside) == 1)

    def records_of(self, works: Sequence[Work]) -> dict[str, list[Record]]:
        """Return the chapters of each of these works that is an edition."""
        return {
            f"{work}/{edition}": self._by_edition[work][edition]
            for work, inside in self._inside.items()
            for edition in inside
            if any(each.work_id == f"{work}/{edition}" for each in works)
        }

    def copies(self, places: "_Places", pairs: Sequence[Record]) -> list[Copy]:
        """Return a copy for each chapter of an edition outside the reference corpus that has a counterpart inside."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for pair in pairs:
            for page, work in ((pair["a"], pair["b"]), (pair["b"], pair["a"])):
                if work in places and page not in places:
                    found[page][work] = pair["jaccard5"]
        records = [record for editions in self._by_edition.values() for each in editions.values() for record in each]
        return [
            Copy("natural", "edition", _band(max(found[record["id"]].values())), record["text"], passages)
            for record in records
            if record["id"] in found
            and (
                passages := tuple(
                    Passage(work_id, TextRange(0, len(record["text"])), chapter)
                    for work_id, chapter in map(places.of, found[record["id"]])
                )
            )
        ]


class _Places:
    """The place of each record of the corpora in the reference works."""

    def __init__(self, works: Sequence[Work], records: Mapping[str, Sequence[Record]]) -> None:
        self._works = {work.work_id: work for work in works}
        self._places: dict[str, tuple[str, TextRange]] = {}
        for work_id, chapters in records.items():
            self._add(work_id, chapters)

    def learn(self, records: Sequence[Record]) -> None:
        """Learn the places of records that are chapters of works named after their ids."""
        chapters: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            chapters[record["id"].rsplit("/", 1)[0]].append(record)
        for work_id, own in chapters.items():
            if work_id in self._works:
                self._add(work_id, own)

    def _add(self, work_id: str, chapters: Sequence[Record]) -> None:
        for record, chapter in zip(chapters, self._works[work_id].chapters, strict=True):
            self._places[record["id"]] = (work_id, chapter)

    def __contains__(self, record_id: str) -> bool:
        return record_id in self._places

    def of(self, record_id: str) -> tuple[str, TextRange]:
        """Return the work, and the chapter in it."""
        return self._places[record_id]


def _whole(records: Sequence[Record], work_ids: set[str]) -> list[Work]:
    """Return the works with these ids, which are prefixes of the ids of their records."""
    chapters: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        work_id = record["id"].rsplit("/", 1)[0]
        if work_id in work_ids:
            chapters[work_id].append(record)
    return [joined(work_id, own[0]["work"], [record["text"] for record in own]) for work_id, own in chapters.items()]


def _halves(records: Sequence[Record], seed: int) -> tuple[list[Record], list[Record]]:
    order = mixed(generator(seed, "modern"), records)
    short = [record for record in order if len(record["text"]) <= MAX_CHAPTER_WORK_CHARS]
    inside = short[: len(order) // 2]
    ids = {record["id"] for record in inside}
    return inside, [record for record in order if record["id"] not in ids]


def _short_work(record: Record) -> Work:
    return joined(record["id"], record["title"], [record["text"]], is_chapter=True)


def _news(corpora: Path) -> tuple[list[Work], list[Outside]]:
    """Return one year as works of a month each; the other year stays outside."""
    months: dict[str, list[str]] = defaultdict(list)
    outside = []
    for record in read(corpora, "news_xwlb_dev.jsonl.gz"):
        day = str(record["chapter"])
        if day.startswith(NEWS_YEAR_INSIDE):
            months[day[:6]].append(record["text"])
        else:
            outside.append(Outside(Kind.NEWS, record["text"]))
    return [joined(f"news/{month}", month, items) for month, items in months.items()], outside


def _wiki(corpora: Path) -> tuple[list[Work], list[Outside]]:
    """Return long traditional articles as works, and the simplified ones as outside texts."""
    articles: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in read(corpora, "wiki_dev.jsonl.gz"):
        articles[record["lang_variant"], record["title"]].append(record["text"])
    works, outside = [], []
    for (variant, title), paragraphs in articles.items():
        if variant == "zh-Hans":
            outside.append(Outside(Kind.WIKI, "\n".join(paragraphs)))
        elif sum(map(len, paragraphs)) >= MIN_WIKI_ARTICLE_CHARS:
            works.append(joined(f"wiki/{title}", title, paragraphs))
    return works, outside


def _reuse(records: Mapping[str, Record], labels: Sequence[Record], places: _Places) -> list[Copy]:
    """Return a copy for each work that took over passages, with the passages of all its sources."""
    of_page: dict[str, list[Record]] = defaultdict(list)
    for label in labels:
        if label["source"] in places and label["doc"] not in places:
            of_page[label["doc"]].append(label)
    copies = []
    for page, own in of_page.items():
        passages = []
        for label in own:
            work_id, chapter = places.of(label["source"])
            for page_start, page_end, work_start, work_end in label["spans"]:
                work = TextRange(chapter.start + work_start, chapter.start + work_end)
                passages.append(Passage(work_id, TextRange(page_start, page_end), work))
        strength = _band(max(label["doc_coverage"] for label in own))
        copies.append(Copy("reuse", own[0]["kind"], strength, records[page]["text"], tuple(passages)))
    return copies


def _band(share: float) -> str:
    """Return the name that the tables use for the range of a share."""
    lower = 0.0
    for upper in BANDS:
        if share < upper:
            return f"{lower:g}-{upper:g}"
        lower = upper
    return f"{lower:g}"
