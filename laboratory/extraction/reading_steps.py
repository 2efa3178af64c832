"""Part `steps` of `bench extract`: which share of the time to read saved pages each step has."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from importlib import import_module
from time import process_time
from typing import Any
from unittest import mock

from laboratory.extraction.extractors import product_reading, quiet
from laboratory.extraction.saved_pages import ARCHIVE, saved_pages
from laboratory.extraction.sections import ExtractPlan, Say, Section
from laboratory.text_table import TextTable

# Where each step is asked for, and as which name there. What a step does not pass on to another one is its own.
STEPS = (
    ("characters", "crawler.opening", "decode_page"),
    ("tree", "crawler.opening", "parse"),
    ("what scripts would write", "crawler.reading", "carried"),
    ("links to net disks", "crawler.reading", "net_disk_links"),
    ("obfuscations of the markup", "crawler.reading", "deobfuscate"),
    ("whether sheets are asked for", "crawler.obfuscation.page_styles", "needs_sheets"),
    ("style sheets", "crawler.obfuscation.page_styles", "cascade"),
    ("what is hidden", "crawler.obfuscation.visibility", "remove_hidden"),
    ("what is hidden", "crawler.obfuscation.page_styles", "hides_text"),
    ("order made by style", "crawler.obfuscation.reordered", "restore_order"),
    ("lines", "crawler.main_text.extraction", "lines"),
    ("remarks, neighbours", "crawler.main_text.extraction", "_own"),
    ("threads", "crawler.main_text.extraction", "is_thread"),
    ("choice of the main text", "crawler.main_text.extraction", "_chosen"),
    ("title, author, time", "crawler.main_text.headline", "title"),
    ("title, author, time", "crawler.main_text.headline", "site_name"),
    ("title, author, time", "crawler.main_text.authors", "author"),
    ("title, author, time", "crawler.main_text.metadata", "published"),
    ("zones", "crawler.main_text.extraction", "lines_beside"),
    ("zones", "crawler.main_text.extraction", "lines_of_controls"),
    ("marks of what was undone", "crawler.reading", "_reading"),
    ("noise in the text", "crawler.reading", "_cleaned"),
)
REST = "all else"


class _Clock:
    """Processor time of each step, without that of the steps inside it."""

    def __init__(self) -> None:
        self.seconds = defaultdict[str, float](float)
        self._inside = [0.0]

    def timed(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, whose time counts for `label`."""

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self._inside.append(0.0)
            begun = process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = process_time() - begun
                self.seconds[label] += spent - self._inside.pop()
                self._inside[-1] += spent

        return timed


def section(plan: ExtractPlan, say: Say) -> Section:
    """The shares of all steps; times of the processor. Raises UnreadableFile."""
    pages = saved_pages(plan.pages or plan.corpora / ARCHIVE)
    with quiet():
        product_reading(pages[0])
        say(f"steps: {len(pages)} pages are read")
        with _watched() as clock:
            whole = clock.timed(REST, product_reading)
            for _ in range(max(1, plan.rounds)):
                for page in pages:
                    whole(page)
    total = sum(clock.seconds.values())
    shares = {label: seconds / total for label, seconds in sorted(clock.seconds.items(), key=lambda each: -each[1])}
    per_page = total / len(pages) / max(1, plan.rounds) * 1000
    rows = tuple((label, f"{share:.1%}", f"{share * per_page:.2f}") for label, share in shares.items())
    table = TextTable("Reading, by step", ("step", "share", "ms a page"), rows, ("share", "ms a page"))
    return Section((table,), {"pages": len(pages), "ms_a_page": per_page, "shares": shares})


@contextmanager
def _watched() -> Iterator[_Clock]:
    clock = _Clock()
    with ExitStack() as stack:
        for label, module, name in STEPS:
            function = getattr(import_module(module), name)
            stack.enter_context(mock.patch(f"{module}.{name}", clock.timed(label, function)))
        yield clock
