"""Test that crawler and matcher find on each page what the plan expects, in one process."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

import pytest

from core.ids import WorkTextId, work_text_id
from core.matches import Match, MatchClass
from core.obfuscations import Obfuscation
from crawler.opening import Rejected
from crawler.reading import read_page
from deploy.demo.library import load_works
from deploy.demo.plan import PagePlan, PageVerdict, SitePlan, WorkRef, load_plan
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from tests.support.demo_sites import content, site_named


@dataclass(frozen=True)
class Desk:
    """The whole reference corpus behind one matcher, and whose each text is."""

    matcher: Matcher
    refs: dict[WorkTextId, WorkRef]
    holders: dict[WorkTextId, str]

    def matches(self, text: str, rights_holder: str) -> Sequence[Match]:
        return self.matcher.match(text, fingerprint_text(text), partial(self._owned, rights_holder))

    def _owned(self, rights_holder: str, texts: Collection[WorkTextId]) -> dict[WorkTextId, str]:
        return {text_id: self.refs[text_id].work for text_id in texts if self.holders[text_id] == rights_holder}


@pytest.fixture(scope="module")
def desk() -> Desk:
    index, corpus = MemoryIndex(), MemoryCorpus()
    made = Desk(Matcher(index, corpus), {}, {})
    for work in load_works().values():
        for chapter in work.chapters:
            text_id, fingerprint = work_text_id(chapter.text), fingerprint_text(chapter.text)
            index.add(text_id, fingerprint)
            corpus[text_id] = WorkEntry(chapter.text, fingerprint)
            made.refs[text_id] = WorkRef(work.key, chapter.number)
            made.holders[text_id] = work.rights_holder
    return made


@pytest.mark.parametrize("key", [site.key for site in load_plan()])
def test_each_page_is_found_as_what_it_is(key: str, desk: Desk) -> None:
    site = site_named(key)
    faults = {page.path: find_faults(desk, site, page) for page in site.pages}

    assert {path: fault for path, fault in faults.items() if fault} == {}


def find_faults(desk: Desk, site: SitePlan, page: PagePlan) -> list[str]:
    content_type = next(resource.content_type for resource in site.resources if resource.path == page.path)
    reading = read_page(content(site, page.path), {"Content-Type": content_type}, f"http://127.0.0.1{page.path}")
    if isinstance(reading, Rejected):
        return [] if page.is_index else [str(reading)]
    found = desk.matches(reading.text, site.rights_holder)
    taken = [match for match in found if match.match_class is not MatchClass.QUOTATION]
    named = {desk.refs[match.text_id] for match in taken}
    faults = [] if named == set(page.works) else [f"found {sorted(named)}, expected {sorted(page.works)}"]
    if page.verdict is PageVerdict.COPY:
        read = {obfuscation.kind for obfuscation in reading.obfuscations}
        faults += [fault for match in taken for fault in copy_faults(page, match, read)]
    return faults


def copy_faults(page: PagePlan, match: Match, read: set[Obfuscation]) -> list[str]:
    missing = set(page.obfuscations) - read - {obfuscation.kind for obfuscation in match.obfuscations}
    faults = [f"not seen: {sorted(missing)}"] if missing else []
    return faults if match.match_class in page.classes else [*faults, f"called {match.match_class}"]
