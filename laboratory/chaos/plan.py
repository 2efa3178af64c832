"""The plan of a run, drawn from one seed: sites with their pages, works, acts of people, and faults with their times.

The same options give the same plan in every process, so a quiet and a disturbed run have the same plan.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from core.states import Verdict
from laboratory.draws import generator

PAGES_A_LIST = 50
COPY_EVERY = 3  # every third page is a copy, the others copy nothing
DECIDED_A_SITE = 6
MIN_PAGES_A_SITE, MAX_SITES = 25, 4
FOLLOWED_SHARE = 0.7  # share of the time with acts and faults; the rest is for their backlog
# After the acts, until everything must be done: a message stays with a dead worker for this long. A whole run, with
# five minutes for the quiet one, ends within 40 minutes.
LEFT_S = 900.0
# Each of these is killed as often as the others.
VICTIMS = ("worker", "crawler", "beat", "web", "redis", "mongo", "sql")
STALLED = ("redis", "mongo", "worker", "sql")
KINDS = ("kill", "stall", "disk", "clock", "failover")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run. minutes: duration of the acts. stall_s: duration of a stall."""

    seed: int
    pages: int
    kills: int
    minutes: float
    faults: tuple[str, ...] = KINDS
    stall_s: float = 60.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Options":
        return cls(**{**stored, "faults": tuple(stored["faults"])})


@dataclass(frozen=True, slots=True)
class WorkText:
    """A work of the demo: its chapters' titles and texts."""

    title: str
    chapters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Act:
    """An act of a person. at_s: seconds after the beginning. kind: work, crawl, verdict, notice."""

    at_s: float
    kind: str
    subject: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault to be injected at a time."""

    at_s: float
    kind: str
    victim: str = ""
    lasts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class PageText:
    """The title and text of a page, with the work and chapter that it copies, if it is a copy."""

    title: str
    text: str
    work: int | None = None
    chapter: int = 0


def all_done_within_s(options: Options) -> float:
    """Return the maximum duration of a run in seconds, including the backlog after the last act and fault."""
    return options.minutes * 60 + LEFT_S


def site_count(options: Options) -> int:
    return max(1, min(MAX_SITES, options.pages // MIN_PAGES_A_SITE))


def page_count(options: Options, site: int) -> int:
    """Return the number of pages of a site."""
    return options.pages // site_count(options) + (site < options.pages % site_count(options))


@cache
def works() -> tuple[WorkText, ...]:
    """Return the works of the demo; each folder is a novel."""
    root = files("deploy") / "demo" / "works"
    found = []
    for entry in sorted(root.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            chapters = sorted((each for each in entry.iterdir() if each.name.endswith(".txt")), key=lambda x: x.name)
            found.append(WorkText(entry.name, tuple(_titled(each.read_text(encoding="utf-8")) for each in chapters)))
        elif entry.name.endswith(".txt"):
            found.append(WorkText(entry.name.removesuffix(".txt"), (_titled(entry.read_text(encoding="utf-8")),)))
    return tuple(work for work in found if work.chapters)


@cache
def page(options: Options, site: int, number: int) -> PageText:
    """Return the content of a page; a third of the pages are copies of a chapter, each edited differently.

    Each page begins with a distinct line, because the same text at two addresses of a site would be one case.
    """
    chance = generator(options.seed, "page", site, number)
    opening = f"这是第{site}站第{number}页自己的开头。"
    if number % COPY_EVERY:
        sentences = _foreign_sentences()
        text = "\n".join("".join(chance.choices(sentences, k=6)) for _ in range(8))
        return PageText(f"第{number}则 见闻", f"{opening}\n{text}")
    work = chance.randrange(len(works()))
    chapter = chance.randrange(len(works()[work].chapters))
    title, text = works()[work].chapters[chapter]
    return PageText(f"{title} {number}", f"{opening}\n{_marred(text, chance)}", work, chapter)


def acts(options: Options) -> list[Act]:
    """Return the acts in order. All are carried out, however long it takes; their times are the earliest starts."""
    chance = generator(options.seed, "acts")
    end_s = options.minutes * 60 * FOLLOWED_SHARE
    numbers = range(len(works()))
    late = chance.sample(numbers, k=len(numbers) // 2)
    found = [Act(0.0, "work", (work,)) for work in numbers if work not in late]
    found += [Act(0.0, "crawl", (site,)) for site in range(site_count(options))]
    found += [Act(chance.uniform(0, end_s), "work", (work,)) for work in late]
    arrivals: dict[object, float] = {act.subject[0]: act.at_s for act in found if act.kind == "work"}
    found += [Act(chance.uniform(end_s / 3, end_s), "crawl", (site,)) for site in range(site_count(options))]
    for site in range(site_count(options)):
        copies = [each for each in range(page_count(options, site)) if page(options, site, each).work is not None]
        decided = chance.sample(copies, k=min(DECIDED_A_SITE, len(copies)))
        moments = sorted(chance.uniform(end_s / 4, end_s) for _ in decided)
        for at_s, number in zip(moments, decided, strict=True):
            verdict = Verdict.CONFIRMED if number != decided[-1] else Verdict.FALSE_ALARM
            known_s = max(at_s, arrivals[page(options, site, number).work])  # there is no case before its work
            found.append(Act(known_s, "verdict", (site, number, str(verdict))))
        found.append(Act(end_s, "notice", (site, *decided[:-1])))
    return sorted(found, key=lambda act: act.at_s)


def faults(options: Options, *, has_sql_server: bool) -> list[Fault]:
    """Return the faults in order; each victim is killed as often as the others, at random times."""
    chance = generator(options.seed, "faults")
    end_s = options.minutes * 60 * FOLLOWED_SHARE
    victims = [each for each in VICTIMS if has_sql_server or each != "sql"]
    found: list[Fault] = []
    if "kill" in options.faults:
        found += [
            Fault(chance.uniform(0.02 * end_s, end_s), "kill", victims[number % len(victims)])
            for number in range(options.kills)
        ]
    rare = max(1, options.kills // 10)  # number of faults of each other kind, which take longer than a kill
    if "stall" in options.faults:
        stalled = [each for each in STALLED if has_sql_server or each != "sql"]
        found += [
            Fault(chance.uniform(0.1 * end_s, 0.8 * end_s), "stall", chance.choice(stalled), options.stall_s)
            for _ in range(rare)
        ]
    if "failover" in options.faults and has_sql_server:
        found += [Fault(chance.uniform(0, end_s), "failover", "sql") for _ in range(2 * rare)]
    if "disk" in options.faults:
        found += [
            Fault(chance.uniform(0.1 * end_s, 0.8 * end_s), "disk", lasts_s=options.stall_s / 3) for _ in range(rare)
        ]
    if "clock" in options.faults:
        for jump_s in (3 * 3600.0, -900.0):
            found.append(Fault(chance.uniform(0.1 * end_s, 0.8 * end_s), "clock", str(jump_s), options.stall_s / 3))
    return sorted(found, key=lambda fault: fault.at_s)


def _marred(text: str, chance: Random) -> str:
    """Return an edited copy of a text: unchanged, or without some paragraphs, with invisible characters or slogans."""
    paragraphs = text.split("\n")
    match chance.randrange(4):
        case 1:
            return "\n".join(each for at, each in enumerate(paragraphs) if at % 7 != 3)
        case 2:
            return "\n".join("\u200b".join((each[:9], each[9:])) for each in paragraphs)
        case 3:
            return "\n".join((*paragraphs[:4], "更多精彩内容请收藏本站。", *paragraphs[4:]))
    return text


@cache
def _foreign_sentences() -> Sequence[str]:
    """Return sentences that are in no work of the demo."""
    root = files("laboratory.chaos") / "others"
    own = "".join(text for work in works() for _, text in work.chapters)
    names = sorted(each.name for each in root.iterdir() if each.name.endswith(".txt"))
    texts = [(root / name).read_text(encoding="utf-8") for name in names]
    sentences = [f"{each}。" for text in texts for line in text.split("\n") for each in line.split("。") if each]
    return [each for each in dict.fromkeys(sentences) if each[:8] not in own]


def _titled(content: str) -> tuple[str, str]:
    title, _, text = content.strip().partition("\n")
    return title, text.strip()
