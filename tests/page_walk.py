"""Print which files one plain page passes through, from its bytes to a case: `python -m tests.page_walk`.

The page has a title, a heading, navigation, three copied sentences and a foot; the page store is in memory, the cases
are in SQLite; the second page of a warm process is followed. A move is a call that enters another file of the
product than the call before it; a return is a move into a file that was entered before.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = {"tests", "laboratory", ".venv"}
SENTENCES = (
    "老周把缆绳在石桩上绕了三圈，又伸手摸了摸绳结，才慢慢直起腰来望着对岸的灯火。",
    "那盏灯已经亮了整整一夜，河水涨到第七级台阶，渡船却迟迟没有从上游回来。",
    "他记得父亲说过，水位簿上少写一笔，第二天早晨就会有一个人找不到回家的路。",
)
PAGE = """<html><head><title>第{n}章 水位簿</title><meta charset="utf-8"></head><body>
<nav><a href="/">首页</a> <a href="/list">目录</a> <a href="/top">排行</a></nav><h1>第{n}章 水位簿</h1>
<div id="content"><p>{text}</p></div><footer>版权所有 联系我们</footer></body></html>"""


class Walk:
    """Notes the files of the product in the order in which calls enter them."""

    def __init__(self, *, is_noted: bool) -> None:
        self.steps: dict[str, list[str]] = {}
        self._step, self._is_noted = "", is_noted

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self._step = name
        self.steps[name] = []
        sys.setprofile(self._enter if self._is_noted else None)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _enter(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "call":
            return
        path = Path(frame.f_code.co_filename)
        if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] in OUTSIDE:
            return
        names, name = self.steps[self._step], str(path.relative_to(ROOT))
        if not names or names[-1] != name:
            names.append(name)


def set_up(home: str) -> Callable[[Walk, int], None]:
    """Return what walks one page through: a corpus in memory, cases in a new SQLite database below `home`."""
    os.environ |= {"ZHUIWEN_HOME": home, "DJANGO_SETTINGS_MODULE": "webadmin.settings"}
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId
    from core.pages import CrawlPlan, Fetched, Reading
    from core.works import ChapterText, WorkFile
    from crawler.readers.pages import PageToRead
    from crawler.readers.worker import ReadingSession
    from pipeline import steps
    from tests.support.memory_chain import carry, chain
    from webadmin.accounts.models import RightsHolder
    from webadmin.cases.services.case_repository import DjangoCaseRepository
    from webadmin.sites.models import Site
    from webadmin.works.services.catalogue import add_work

    memory = chain()
    ports = replace(memory.ports, cases=DjangoCaseRepository(memory.ports.works))
    holder = RightsHolder.objects.create(name="甲")
    site = Site.objects.create(rights_holder=holder, name="某站", start_urls="http://pirate.example/")
    text = "".join(SENTENCES)
    add_work(holder, WorkFile("旧作", "", (ChapterText(1, "", text * 3),)), "", ports.works, memory.outbox)
    for message in memory.outbox.drain():
        carry(message, ports)
    desk = ReadingSession(CrawlPlan(SiteId(str(site.pk)), "1", ("http://pirate.example/",), ("pirate.example",)))

    def walk_page(walk: Walk, number: int) -> None:
        url, headers = f"http://pirate.example/{number}.html", {"Content-Type": "text/html; charset=utf-8"}
        body = PAGE.format(n=number, text="</p><p>".join(SENTENCES)).encode()
        with walk.step("read"):
            whole = PageToRead(body, headers, url, is_kept=True).run(desk)
        assert isinstance(whole.reading, Reading)
        fetched = Fetched(
            SiteId(str(site.pk)), RequestedUrl(url), FinalUrl(url), CanonicalUrl(url), 200,
            tuple(headers.items()), body, ports.clock.now(),
        )  # fmt: skip
        with walk.step("store"):
            stored = ports.pages.put(fetched, whole.reading)
        with walk.step("compare and decide"):
            steps.compare_pages([stored.version_id], ports)

    return walk_page


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        walk_page = set_up(home)
        from webadmin.cases.models import Case

        for number in (1, 2):
            walk = Walk(is_noted=number == 2)
            walk_page(walk, number)
        assert Case.objects.count(), "the page made no case"
    moves = [name for names in walk.steps.values() for name in names]
    files = set(moves)
    for step, names in walk.steps.items():
        sys.stdout.write(f"{step}: files {len(set(names))}, moves {len(names)}\n")
        for name in dict.fromkeys(names):
            sys.stdout.write(f"  {name} {names.count(name)}\n")
    sys.stdout.write(f"files {len(files)}, moves {len(moves)}, returns {len(moves) - len(files)}\n")


if __name__ == "__main__":
    main()
