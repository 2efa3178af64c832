"""Pages that are looked up together get what each gets alone, and the index is asked once."""

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.fingerprinting import fingerprint_text
from matcher.calibration import DEFAULT
from matcher.corpus import MemoryCorpus, TokenCache, WorkEntry
from matcher.index.lookups import PageHits, find_hits
from matcher.index.memory import MemoryIndex
from matcher.index.ports import IndexHits
from matcher.matching import MAX_PAGES_AT_ONCE, Matcher, PageToMatch
from tests.support.corpus_texts import story, with_homophones

SHARED = story(50)[:600]  # in more texts than a hash may be of
CAP = 8
WORKS = {
    **{WorkTextId(f"work-{seed}"): story(seed) for seed in range(4)},
    **{WorkTextId(f"common-{number:02}"): SHARED for number in range(CAP + 4)},
}
PAGES = [
    story(1),
    "",
    SHARED,
    story(1)[100:130] * 80,
    with_homophones(story(2), 0.3),
    SHARED + story(3)[:300],
    story(1),
    "no Chinese here",
    story(77),
]


class CountingIndex(MemoryIndex):
    """Counts its look-ups."""

    lookups = 0

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        self.lookups += 1
        return super().lookup(hashes, max_postings)


def fill_index() -> tuple[CountingIndex, MemoryCorpus]:
    index, corpus = CountingIndex(), MemoryCorpus()
    for text_id, text in WORKS.items():
        corpus[text_id] = WorkEntry(text, fingerprint_text(text))
        index.add(text_id, corpus[text_id].fingerprint)
    return index, corpus


def rows(hits: PageHits) -> list[tuple[str, int, int]]:
    columns = (column.tolist() for column in hits.places)
    return sorted((hits.text_id(text), here, there) for text, here, there in zip(*columns, strict=True))


def test_pages_that_are_looked_up_together_get_what_each_gets_alone() -> None:
    index, corpus = fill_index()
    prints = [fingerprint_text(page) for page in PAGES]
    cache = TokenCache(corpus, DEFAULT.max_cached_tokens)
    together, postings = find_hits(index, cache, prints, CAP, DEFAULT)
    for fingerprint, hits in zip(prints, together, strict=True):
        (alone,), same = find_hits(index, TokenCache(corpus, 10**6), [fingerprint], CAP, DEFAULT)
        assert rows(hits) == rows(alone)
        assert hits.capped.tolist() == alone.capped.tolist() == sorted(alone.capped.tolist())
        assert postings == same
    assert rows(together[0]) == rows(together[6]) != []
    assert rows(together[1]) == rows(together[7]) == []
    # Nothing but common wording is looked up once more; beside other text it is left out, and told.
    assert {text for text in WORKS if text.startswith("common")} <= {text for text, *_ in rows(together[2])}
    assert together[5].capped.size > 0
    named = {text for text, *_ in rows(together[5])}
    assert "work-3" in named
    assert not any(text.startswith("common") for text in named)


def test_the_index_is_asked_once_for_many_pages_and_each_is_matched_as_alone() -> None:
    index, corpus = fill_index()
    pages = [PageToMatch(page, fingerprint_text(page)) for page in PAGES if page != SHARED] * 4
    assert len(pages) == MAX_PAGES_AT_ONCE
    matcher = Matcher(index, corpus)
    matcher.match(*pages[0])
    index.lookups = 0
    found = list(matcher.match_pages(pages))
    assert index.lookups == 1
    assert found == [matcher.match(*page) for page in pages]
    assert [len(matches) for matches in found[:5]] == [1, 0, 0, 1, 2]


def test_each_page_is_compared_with_the_texts_that_its_own_sources_name() -> None:
    index, corpus = fill_index()
    text = story(1) + story(2)
    fingerprint = fingerprint_text(text)

    def only(text_id: str) -> PageToMatch:
        return PageToMatch(text, fingerprint, lambda texts: {each: each for each in texts if each == text_id})

    found = list(Matcher(index, corpus).match_pages([only("work-1"), only("nothing"), only("work-2")]))
    assert [[match.text_id for match in matches] for matches in found] == [["work-1"], [], ["work-2"]]
