"""Reworded pages with their truth, innocent pages, and works to search, from the shared corpora."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from core.ids import WorkTextId
from core.text import TextRange
from laboratory.cases.rewrites import WORKS, Rewrite, rewrites
from laboratory.markov import ChainText

FILES = ("editions_dev", "single_dev", "reuse_dev_docs", "wiki_dev", "news_xwlb_dev")
DOCS = Path(__file__).parents[2] / "docs"
# Works that are excluded from the reference corpus, because innocent pages are made from them. Sequels have the heroes
# and the style of works in it.
WIKI = "zhwiki"
ITEMS = ("xwlb", WIKI)  # their "works" are unrelated articles and items
HELD_BACK = {
    "醒世姻缘": "classical",
    "官场现形记": "classical",
    "儿女英雄传": "classical",
    "东度记": "classical",
    "说岳全传": "classical",
    "英烈传": "classical",
    "热血痕": "retelling",  # of 东周列国志, which is in the reference corpus, so not innocent
    "小五义": "sequel",
    "续西游记": "sequel",
    "后西游记": "sequel",
    "萧红作品": "modern",
    "鲁迅杂文甲": "modern",
    "xwlb": "news",
    WIKI: "encyclopedia",
}
MODERN = ("news", "encyclopedia", "modern")
PASSAGE_CHARS, ENGLISH_CHARS = 400, 1_200
CHAIN_OF_CHARS, CHAIN_TEXT_CHARS = 8_000_000, 5_000  # source of generated texts, and length of each
AROUND = 4  # number of unrelated passages around the relevant one
FROM_ENGLISH = "from_english"  # of laboratory.cases.rewrites
ENGLISH = "English"  # part of the names of kinds of English pages
STRENGTHS = {"light": "light", "strong": "strong", "extreme": "extreme", "en": "English"}

Record = dict[str, Any]
NOWHERE = TextRange(0, 0)


@dataclass(frozen=True, slots=True)
class RewordedCase:
    """A page. text_id and work: the text that it rewords, None if it is innocent. page: the reworded part."""

    case_id: str
    kind: str
    text: str
    text_id: WorkTextId | None = None
    work: TextRange = NOWHERE
    page: TextRange = NOWHERE
    origin: str = ""  # its chapter, item or article

    @property
    def is_of_first_half(self) -> bool:
        """True for the half of chapters, items and articles on which thresholds are chosen."""
        return sha256(self.origin.encode()).digest()[0] % 2 == 0


class RewordedCorpora:
    """The shared corpora in a folder, each file read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _records(self) -> list[Record]:
        found = [record for name in FILES for record in _zipped(self._folder / f"{name}.jsonl.gz")]
        return sorted(found, key=lambda record: str(record["id"]))

    @cached_property
    def _editions(self) -> Mapping[str, str]:
        """The first edition of each work."""
        first: dict[str, str] = {}
        for record in self._records:
            first.setdefault(record["work"], record["edition"])
        return first

    def works(self, chars: int) -> dict[WorkTextId, str]:
        """Return the works that pages were made from, then others up to that many characters: first editions, then all.

        If the corpora are too short, generated text of a Markov chain is added.
        """
        found = {**demo_works(), **{WorkTextId(case["source_id"]): case["source_text"] for case in self.bible[::2]}}
        left = chars - sum(map(len, found.values()))
        kept = [record for record in self._records if record["work"] not in HELD_BACK]
        for record in sorted(kept, key=lambda each: each["edition"] != self._editions[each["work"]]):
            if len(record["text"]) > left:
                break
            found[WorkTextId(record["id"])] = record["text"]
            left -= len(record["text"])
        else:
            chain = ChainText(found.values(), CHAIN_OF_CHARS)
            for number, start in enumerate(range(0, left, CHAIN_TEXT_CHARS)):
                found[WorkTextId(f"chain/{number}")] = chain.text(min(CHAIN_TEXT_CHARS, left - start), seed=number)
        return found

    @cached_property
    def _overlapping(self) -> frozenset[str]:
        """Records that share at least 8 % of their 8-grams, or of those of the other, with a record of another work."""
        pairs = _zipped(self._folder / "overlaps_dev.jsonl.gz")
        return frozenset(str(pair[side]) for pair in pairs for side in ("a", "b"))

    @cached_property
    def bible(self) -> list[Record]:
        """Passages of the Bible in English and Chinese. Those with even numbers are in the reference corpus."""
        return _lines(self._folder / "translation_kjv_cuv.jsonl")

    def rewritten(self) -> list[RewordedCase]:
        """The reworded pages, by strength."""
        rows = _lines(self._folder / "reworded_dev.jsonl")
        cases = [_case(row, STRENGTHS[row["strength"]], TextRange(row["start"], row["end"])) for row in rows]
        bible = [_case(row, "English Bible", TextRange(0, len(row["source_text"]))) for row in self.bible[::2]]
        return cases + [_ours(each) for each in rewrites() if each.manner != FROM_ENGLISH] + bible

    def innocent(self, count: int, rng: Random) -> list[RewordedCase]:
        """Return that many random passages of held-out works, in proportion to the kinds.

        Chapters that are known to contain text of other works are left out, because they are not innocent.
        """
        found = []
        for record in self._records:
            work = record["work"]
            is_taken = work in ITEMS or record["edition"] == self._editions.get(work)
            if work in HELD_BACK and is_taken and record["id"] not in self._overlapping:
                origin = _origin(record)
                texts = _passages(record["text"], PASSAGE_CHARS)
                found += [RewordedCase(record["id"], HELD_BACK[work], text, origin=origin) for text in texts]
        return rng.sample(found, min(count, len(found)))

    def of_one_trade(self, chars: int, count: int, rng: Random) -> tuple[dict[WorkTextId, str], list[RewordedCase]]:
        """Return half of the items of MODERN as works, up to `chars` characters, and `count` passages of the others.

        Items that are known to share text with another are not used as pages; items on the same events may be.
        """
        works: dict[WorkTextId, str] = {}
        cases: list[RewordedCase] = []
        news = _zipped(self._folder / "news_xwlb_dev_pairs.jsonl.gz")
        shared = self._overlapping | {str(pair[side]) for pair in news for side in ("a", "b")}
        for record in self._records:
            kind, text, origin = HELD_BACK.get(record["work"], ""), record["text"], _origin(record)
            if kind in MODERN and sha256(origin.encode()).digest()[1] % 2:
                if len(text) <= chars:
                    works[WorkTextId(record["id"])] = text
                    chars -= len(text)
            elif kind in MODERN and record["id"] not in shared:
                cases += [
                    RewordedCase(record["id"], kind, part, origin=origin) for part in _passages(text, PASSAGE_CHARS)
                ]
        return works, rng.sample(cases, min(count, len(cases)))

    def development(self) -> tuple[dict[WorkTextId, str], list[RewordedCase]]:
        """Return all other records as works, and the innocent pages of the development data.

        Works include editions and news, but no other records of the articles and books that pages are made from.
        """
        rows = _lines(self._folder / "reworded_negatives_dev.jsonl")
        records = {str(record["id"]): record for record in self._records}
        cases, left_out = [], set()
        for row in rows:
            record = records[row["record"]]
            text = record["text"][row["start"] : row["start"] + row["chars"]]
            cases.append(RewordedCase(row["id"], row["kind"], text, origin=_origin(record)))
            left_out.add(_origin(record) if record["work"] in ITEMS else record["work"])
        kept = [record for record in self._records if left_out.isdisjoint((_origin(record), record["work"]))]
        return {**demo_works(), **{WorkTextId(record["id"]): record["text"] for record in kept}}, cases

    def english_works(self) -> dict[WorkTextId, str]:
        """Return works in English: the passages of the Bible with even numbers, and the product's documentation."""
        found = {WorkTextId(row["id"]): row["text"] for row in self.bible[::2]}
        found |= {WorkTextId(each.work): each.source for each in rewrites() if each.manner == FROM_ENGLISH}
        return found | {WorkTextId(path.name): path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))}

    def translated(self) -> list[RewordedCase]:
        """Return the Chinese versions of those passages, and of English passages of this project, as pages."""
        ours = [_ours(each) for each in rewrites() if each.manner == FROM_ENGLISH]
        return ours + [_chinese(row, WorkTextId(row["id"])) for row in self.bible[::2]]

    def innocent_chinese(self, count: int, rng: Random) -> list[RewordedCase]:
        """Return the same as `innocent`, and the Chinese of passages of the Bible that are not works."""
        return self.innocent(count, rng) + [_chinese(row, None) for row in self.bible[1::2]]

    def innocent_english(self) -> list[RewordedCase]:
        """Return English passages of the Bible without Chinese in the reference corpus, and of the documentation."""
        cases = [RewordedCase(row["id"], "English Bible", row["text"], origin=row["id"]) for row in self.bible[1::2]]
        for path in sorted(DOCS.rglob("*.md")):
            texts = _passages(path.read_text(encoding="utf-8"), ENGLISH_CHARS)
            cases += [RewordedCase(path.name, "English documentation", text, origin=path.name) for text in texts]
        return cases


def demo_works() -> dict[WorkTextId, str]:
    """Return the works of the demo by the names used in rewrites, for example demo/river-town/001-水位簿."""
    paths = sorted(WORKS.rglob("*.txt"))
    return {WorkTextId(f"demo/{path.relative_to(WORKS).with_suffix('')}"): path.read_text("utf-8") for path in paths}


def among_others(case: RewordedCase, others: Sequence[RewordedCase], rng: Random) -> RewordedCase:
    """Return the page between AROUND unrelated passages."""
    drawn = [other.text for other in rng.sample(others, AROUND)]
    before = "\n".join([*drawn[: AROUND // 2], ""])
    text = "\n".join([before + case.text, *drawn[AROUND // 2 :]])
    return replace(case, text=text, page=TextRange(len(before), len(before) + len(case.text)))


def _case(row: Record, kind: str, work: TextRange) -> RewordedCase:
    page = TextRange(0, len(row["text"]))
    return RewordedCase(row["id"], kind, row["text"], WorkTextId(row["source_id"]), work, page, row["source_id"])


def _ours(rewrite: Rewrite) -> RewordedCase:
    """Return the case of a rewrite; its kind is the manner."""
    name = rewrite.work if rewrite.manner == FROM_ENGLISH else f"demo/{rewrite.work}"
    kind = {"english": "English of ours", FROM_ENGLISH: "Chinese of ours"}.get(rewrite.manner, rewrite.manner)
    page = TextRange(0, len(rewrite.text))
    return RewordedCase(rewrite.rewrite_id, kind, rewrite.text, WorkTextId(name), rewrite.place, page, name)


def _chinese(row: Record, text_id: WorkTextId | None) -> RewordedCase:
    text, work = row["source_text"], TextRange(0, len(row["text"]))
    return RewordedCase(row["id"], "Chinese Bible", text, text_id, work, TextRange(0, len(text)), row["id"])


def _origin(record: Record) -> str:
    """Return the chapter, item or article of a record; an article may have several records."""
    name = str(record["id"])
    return name.rsplit("-", 1)[0] if record["work"] == WIKI else name


def _passages(text: str, chars: int) -> Iterator[str]:
    for start in range(0, max(1, len(text) - chars // 2), chars):
        yield text[start : start + chars]


def _zipped(path: Path) -> list[Record]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _lines(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def by_kind(cases: Sequence[RewordedCase]) -> dict[str, list[RewordedCase]]:
    """Return the cases of each kind, kinds in order of the first case."""
    found: dict[str, list[RewordedCase]] = defaultdict(list)
    for case in cases:
        found[case.kind].append(case)
    return found
