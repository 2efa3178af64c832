"""What the reading process reads with: two threads, and what is known of the site whose pages come."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from core.errors import BrokenInvariant
from core.pages import CrawlPlan, Reading
from crawler.fetching.resources import NO_RESOURCES, Resources
from crawler.main_text.templates import SiteTemplates
from crawler.obfuscation.deobfuscation import MARKUP_ALONE
from crawler.obfuscation.render_context import open_render_context
from crawler.opening import OpenPage, ReadingRules, Rejected
from crawler.readers.task import Task
from crawler.reading import read_opened

THREADS = 2  # so that pages are read beside a slow one, too; more would only share the one interpreter

ResourcesOf = Callable[[str], Resources]


class Desk:
    """Reads for one plan, or for nobody's. templates: a folder with what was learnt of the site, and where it is kept.

    cache: the machine's folder of what is costly to make.
    """

    def __init__(
        self,
        plan: CrawlPlan | None,
        templates: Path | None = None,
        resources_of: ResourcesOf | None = None,
        cache: Path | None = None,
    ) -> None:
        self._plan = plan
        self.templates = SiteTemplates(templates)
        self.render_context = open_render_context(resources_of or (lambda url: NO_RESOURCES), kept_in=cache)
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="reader")

    @property
    def plan(self) -> CrawlPlan:
        if self._plan is None:
            raise BrokenInvariant("page.no-plan")
        return self._plan

    def text_of(self, page: OpenPage, rules: ReadingRules) -> Reading | Rejected:
        """What stands on a page of the plan's site, without the site's template; the page's tree is used up."""
        return read_opened(page, rules, self.templates.sieve(page.url), self.render_context)

    def text_by(self, rules: ReadingRules, page: OpenPage, *, is_seen: bool) -> Reading | Rejected:
        """What stands on a page of nobody's plan. is_seen: with what it refers to, where it cannot be read without."""
        return read_opened(page, rules, context=self.render_context if is_seen else MARKUP_ALONE)

    def submit(self, task: Task, on_begin: Callable[[], None] = lambda: None) -> "Future[object]":
        """What the task reads; the future raises what it raises. on_begin: called in its thread."""
        return self._threads.submit(self._read, task, on_begin)

    def close(self) -> None:
        """Keep what was learnt; what is still being read is given up."""
        self._threads.shutdown(wait=False)
        self.templates.close()
        self.render_context.close()

    def _read(self, task: Task, on_begin: Callable[[], None]) -> object:
        on_begin()
        return task.read(self)
