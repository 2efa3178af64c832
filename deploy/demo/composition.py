"""Articles before they have a site's dress: a text with what was done to it, and what must be found in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from html import escape
from random import Random

from core.matches import MatchClass
from deploy.demo import edits, sentences
from deploy.demo.edits import Edit, Step
from deploy.demo.library import DemoWork, Library
from deploy.demo.plan import PagePlan, PageVerdict, WorkRef

FIRST_DAY = datetime(2025, 9, 1, 7, 0)  # noqa: DTZ001 - printed on pages that name no zone
DAYS = 110


@dataclass(frozen=True, slots=True)
class Article:
    """What stands on one page. `lines`: its paragraphs as HTML."""

    author: str
    published: str
    lines: tuple[str, ...]
    plan: PagePlan

    @property
    def path(self) -> str:
        return self.plan.path

    @property
    def title(self) -> str:
        return self.plan.title


class Composer:
    """Makes the articles of one site. Each draws its chances from the seed, the site and its path only."""

    def __init__(self, library: Library, site: str, rights_holder: str, encoding: str, seed: int) -> None:
        self._works, self._others = library.works, library.others
        self._site, self._rights_holder, self._encoding, self._seed = site, rights_holder, encoding, seed

    def work(self, key: str) -> DemoWork:
        return self._works[key]

    def copy(self, path: str, key: str, chapter: int, *steps: Step, title: str = "") -> Article:
        """A copy of one chapter after these steps; to a rights holder who does not own it, an innocent page."""
        work, rng = self._works[key], self._chances(path)
        source = work.chapter(chapter)
        text = edits.edited(source.text, steps, rng)
        plan = self._plan(path, title or source.title, (WorkRef(key, chapter),), steps)
        return Article(work.author, self._date(path), tuple(edits.marked_up(text, steps, rng)), plan)

    def lawful(self, path: str, key: str, chapter: int, verdict: PageVerdict) -> Article:
        """A chapter as it was written, where it may stand."""
        article = self.copy(path, key, chapter)
        return replace(article, plan=replace(article.plan, verdict=verdict, classes=(), obfuscations=()))

    def innocent(self, path: str, key: str, *steps: Step) -> Article:
        """A text that copies nothing; one that cites is a quotation."""
        text, rng = self._others[key], self._chances(path)
        lines = edits.marked_up(edits.edited(text.text, steps, rng), steps, rng)
        verdict = PageVerdict.QUOTATION if text.quotes else PageVerdict.INNOCENT
        plan = PagePlan(path, text.title, verdict, self._encoding, edits=_names(steps))
        return Article(text.author, self._date(path), tuple(lines), plan)

    def excerpted(self, path: str, carrier: str, key: str, chapter: int, strength: float) -> Article:
        """A part of a chapter, set into a text of somebody else's."""
        frame, step = self._others[carrier], Step(Edit.EXCERPT, strength)
        before, after = frame.parts
        text = edits.edited(self._works[key].chapter(chapter).text, (step,), self._chances(path))
        lines = [escape(line) for part in (before, text, after) for line in part.split("\n")]
        plan = self._plan(path, frame.title, (WorkRef(key, chapter),), (step,))
        return Article(frame.author, self._date(path), tuple(lines), plan)

    def patchwork(self, path: str, title: str, author: str, refs: Sequence[WorkRef], strength: float) -> Article:
        """Passages of two chapters by turns, under a title of its own."""
        step = Step(Edit.PATCHWORK, strength)
        first, second = (self._works[ref.work].chapter(ref.chapter).text for ref in refs)
        text = sentences.patchwork(first, second, self._chances(path), strength)
        plan = self._plan(path, title, tuple(refs), (step,))
        return Article(author, self._date(path), tuple(escape(line) for line in text.split("\n")), plan)

    def index(self, path: str, title: str) -> PagePlan:
        """The plan of a page of links."""
        return PagePlan(path, title, PageVerdict.INNOCENT, self._encoding, is_index=True)

    def _plan(self, path: str, title: str, refs: tuple[WorkRef, ...], steps: Sequence[Step]) -> PagePlan:
        mine = tuple(ref for ref in refs if self._works[ref.work].rights_holder == self._rights_holder)
        foreign = tuple(ref for ref in refs if ref not in mine)
        if not mine:
            return PagePlan(
                path, title, PageVerdict.INNOCENT, self._encoding, edits=_names(steps), foreign_works=foreign
            )
        classes = tuple(sorted(edits.classes(steps)))
        return PagePlan(
            path,
            title,
            PageVerdict.COPY,
            self._encoding,
            works=mine,
            classes=classes,
            obfuscations=edits.obfuscations(steps),
            edits=_names(steps),
            foreign_works=foreign,
        )

    def _chances(self, path: str) -> Random:
        return Random(f"{self._seed} {self._site} {path}")  # noqa: S311 - a demo, not a secret

    def _date(self, path: str) -> str:
        minutes = self._chances(path + " date").randrange(DAYS * 24 * 60)
        return (FIRST_DAY + timedelta(minutes=minutes)).strftime("%Y-%m-%d %H:%M")


def halves(article: Article, second_path: str) -> tuple[Article, Article]:
    """A long article as two pages, which a crawl makes one of; read alone, the first is a part of the chapter."""
    middle = len(article.lines) // 2
    classes = tuple(sorted({*article.plan.classes, MatchClass.EXCERPT}))
    first, second = (
        replace(article.plan, path=path, title=f"{article.title}（{page}/2）", classes=classes)
        for page, path in ((1, article.path), (2, second_path))
    )
    return (
        replace(article, lines=article.lines[:middle], plan=first),
        replace(article, lines=article.lines[middle:], plan=second),
    )


def _names(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(f"{step.edit}:{step.strength:g}" for step in steps)
