import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.ids import WorkTextId
from core.matches import Match, MatchClass
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.normalization import WILDCARD
from matcher.calibration import DEFAULT, Calibration
from matcher.corpus import MemoryCorpus, StreamShelf, WorkEntry
from matcher.extension import Streams
from matcher.lookups import PageHits, page_hits
from matcher.matching import Matcher
from matcher.memory_index import MemoryIndex
from matcher.ports import MatchIndex
from matcher.rarity import Editions
from matcher.redis_index import RedisIndex
from matcher.window_hits import aligned, page_seeds
from tests.support.corpus_texts import story, with_homophones, with_random_characters

PUBLISHED, BOTH = 3, 4
WITH_WINDOWS = (PUBLISHED, BOTH)
GRANULARITY, STEP = 64, 32
PUBLISHED_STEP = replace(DEFAULT, page_window_step_tokens=STEP)
WORKS = {WorkTextId(f"work-{seed}"): story(seed) for seed in range(4)}
WORK = WorkTextId("work-1")
TEXT = WORKS[WORK]
OTHER = story(99)
CAP = 64


def corpus_of(texts: dict[WorkTextId, str], algorithm_id: int) -> MemoryCorpus:
    algorithm = ALGORITHMS[algorithm_id]
    return MemoryCorpus(
        {text_id: WorkEntry(text, fingerprint_text(text, algorithm)) for text_id, text in texts.items()}
    )


def filled(index: MatchIndex, corpus: MemoryCorpus) -> MatchIndex:
    index.clear()
    for text_id, entry in corpus.items():
        index.add(text_id, entry.fingerprint)
    return index


def matches(
    page: str, algorithm_id: int, calibration: Calibration = DEFAULT, texts: dict[WorkTextId, str] | None = None
) -> tuple[Match, ...]:
    corpus = corpus_of(WORKS if texts is None else texts, algorithm_id)
    matcher = Matcher(filled(MemoryIndex(algorithm_id), corpus), corpus, calibration)
    return matcher.match(page, fingerprint_text(page, ALGORITHMS[algorithm_id]))


def hits_of(page: str, texts: dict[WorkTextId, str], algorithm_id: int, cap: int = CAP) -> PageHits:
    corpus = corpus_of(texts, algorithm_id)
    index, shelf = filled(MemoryIndex(algorithm_id), corpus), StreamShelf(corpus, DEFAULT.max_shelved_tokens)
    return page_hits(index, shelf, fingerprint_text(page, ALGORITHMS[algorithm_id]), cap, DEFAULT)[0]


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
def test_every_algorithm_finds_a_copied_chapter(algorithm_id: int) -> None:
    (match,) = matches(TEXT, algorithm_id)
    assert (match.text_id, match.match_class, match.algorithm_id) == (WORK, MatchClass.IDENTICAL, algorithm_id)
    (span,) = match.spans
    assert TEXT[span.page.start : span.page.end] == TEXT[span.work.start : span.work.end] == TEXT[:-1]


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
@pytest.mark.parametrize("page", [with_homophones(TEXT, 0.3), with_random_characters(TEXT, 0.03), TEXT * 3])
def test_every_algorithm_finds_an_edited_chapter(algorithm_id: int, page: str) -> None:
    (match,) = matches(page, algorithm_id)
    assert match.text_id == WORK
    assert match.page_containment > 0.9


@pytest.mark.parametrize("algorithm_id", WITH_WINDOWS)
def test_memory_and_redis_find_the_same_by_windows(algorithm_id: int, redis_url: str) -> None:
    page = OTHER[:300] + TEXT[333:800] + OTHER[300:600] + with_random_characters(WORKS[WorkTextId("work-2")], 0.02)
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    corpus = corpus_of(WORKS, algorithm_id)
    live = Matcher(filled(RedisIndex(lambda: redis.Redis.from_url(redis_url), algorithm_id), corpus), corpus)
    client.close()
    found = live.match(page, fingerprint_text(page, ALGORITHMS[algorithm_id]))
    assert found == matches(page, algorithm_id)
    assert [match.text_id for match in found] == ["work-2", "work-1"]


@pytest.mark.parametrize("start", range(0, STEP, 5))
def test_windows_at_every_token_find_an_excerpt_in_any_phase(start: int) -> None:
    excerpt = TEXT[200 + start : 500 + start]
    (match,) = matches(OTHER[: 150 + start] + excerpt + OTHER[400:700], PUBLISHED)
    assert match.text_id == WORK
    (span,) = match.spans
    assert abs(span.page.start - 150 - start) <= 3
    assert abs(len(span.page) - len(excerpt)) <= 6
    assert abs(span.work.start - 200 - start) <= 3


def test_windows_at_the_published_step_find_what_is_in_phase_alone() -> None:
    offsets = fingerprint_text(TEXT).offsets
    in_phase, out_of_phase = TEXT[offsets[4 * STEP] : 900], TEXT[offsets[4 * STEP + 13] : 900]
    assert [match.text_id for match in matches(in_phase, PUBLISHED, PUBLISHED_STEP)] == [WORK]
    assert matches(out_of_phase, PUBLISHED, PUBLISHED_STEP) == ()
    assert [match.text_id for match in matches(out_of_phase, PUBLISHED)] == [WORK]


@pytest.mark.parametrize("algorithm_id", WITH_WINDOWS)
def test_a_text_with_one_window_is_kept_where_more_texts_have_hits_than_can_be_fetched(algorithm_id: int) -> None:
    works = {text_id: "".join(filter(str.isalpha, text)) for text_id, text in WORKS.items()}
    page = "".join(text[10 * STEP : 10 * STEP + GRANULARITY] for text in works.values())
    corpus = corpus_of(works, algorithm_id)
    index, fingerprint = filled(MemoryIndex(algorithm_id), corpus), fingerprint_text(page, ALGORITHMS[algorithm_id])
    few = replace(PUBLISHED_STEP, max_fetched_texts=2)
    hits, _ = page_hits(index, StreamShelf(corpus, DEFAULT.max_shelved_tokens), fingerprint, CAP, few)
    assert {hits.text_id(text) for text in hits.texts.tolist()} == set(works)


def test_a_page_is_asked_for_windows_at_every_token_and_for_its_anchors() -> None:
    fingerprint = fingerprint_text(TEXT, ALGORITHMS[BOTH])
    seeds = page_seeds(fingerprint, DEFAULT)
    anchors = fingerprint_text(TEXT, ALGORITHMS[1])
    assert seeds.hashes[seeds.widths == 0].tolist() == anchors.hashes.tolist()
    assert seeds.positions[seeds.widths == 0].tolist() == anchors.anchors.tolist()
    assert set(fingerprint.hashes.tolist()) <= set(seeds.hashes.tolist())
    assert set(np.unique(seeds.widths).tolist()) == {0, 32, GRANULARITY}
    assert seeds.hashes.size > 1.5 * fingerprint.tokens.size


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
def test_at_the_published_step_a_page_is_asked_for_the_seeds_of_its_fingerprint(algorithm_id: int) -> None:
    fingerprint = fingerprint_text(TEXT, ALGORITHMS[algorithm_id])
    seeds = page_seeds(fingerprint, PUBLISHED_STEP)
    asked = Counter(zip(seeds.hashes.tolist(), seeds.positions.tolist(), strict=True))
    assert asked == Counter(zip(fingerprint.hashes.tolist(), fingerprint.anchors.tolist(), strict=True))


def test_the_same_letters_in_another_order_share_windows_and_are_no_match() -> None:
    han = "".join(character for character in TEXT if "\u4e00" <= character <= "\u9fff")
    rng = random.Random(3)
    pieces = [list(han[start : start + STEP]) for start in range(0, len(han), STEP)]
    for piece in pieces:
        rng.shuffle(piece)
    page = "".join("".join(piece) for piece in pieces)
    texts = {WORK: han}
    hashes = np.unique(fingerprint_text(page, ALGORITHMS[PUBLISHED]).hashes)
    index = filled(MemoryIndex(PUBLISHED), corpus_of(texts, PUBLISHED))
    assert index.lookup(hashes, CAP).queries.size > len(pieces) / 2
    assert hits_of(page, texts, PUBLISHED).texts.size == 0
    assert matches(page, PUBLISHED, texts=texts) == ()


@pytest.mark.parametrize("algorithm_id", WITH_WINDOWS)
@pytest.mark.parametrize(
    "page",
    [
        "",
        "，。！",
        "\ud800",
        "An English page.",
        "字" * 5000,
        "甲乙" * 3000,
        "\ue010" * 400,
        TEXT[:15],
        OTHER,
        story(77),
    ],
)
def test_what_shares_nothing_but_set_pieces_has_no_match(page: str, algorithm_id: int) -> None:
    assert matches(page, algorithm_id) == ()


@pytest.mark.parametrize("algorithm_id", WITH_WINDOWS)
@pytest.mark.parametrize("work", ["字" * 3000, "甲乙" * 2000, "\ue010" * 4000, "", "短", TEXT[:200] * 40])
def test_works_that_repeat_themselves_or_say_nothing_are_no_trouble(work: str, algorithm_id: int) -> None:
    texts = {WORK: work, WorkTextId("other"): OTHER}
    assert matches(story(77), algorithm_id, texts=texts) == ()
    for match in matches(work * 3, algorithm_id, texts=texts):
        assert match.text_id == WORK


@pytest.mark.parametrize("character", ["字", "\ue010"])
def test_a_page_of_one_character_a_million_times_asks_for_little(character: str) -> None:
    seeds = page_seeds(fingerprint_text(character * 1_000_000, ALGORITHMS[BOTH]), DEFAULT)
    assert seeds.hashes.size <= 3


def test_a_text_that_is_shorter_than_the_index_says_gives_no_hit_behind_its_end() -> None:
    corpus = corpus_of(WORKS, PUBLISHED)
    index = filled(MemoryIndex(PUBLISHED), corpus)
    corpus |= corpus_of({text_id: text[:100] for text_id, text in WORKS.items()}, PUBLISHED)
    shelf = StreamShelf(corpus, DEFAULT.max_shelved_tokens)
    hits, _ = page_hits(index, shelf, fingerprint_text(TEXT, ALGORITHMS[PUBLISHED]), CAP, DEFAULT)
    lengths = hits.streams.ends - hits.streams.starts
    assert hits.texts.size > 0
    assert (hits.work_positions + DEFAULT.window_gram_tokens <= lengths[hits.texts]).all()


def test_a_window_that_is_common_does_not_make_its_words_common() -> None:
    carriers = {WorkTextId(f"carrier-{seed}"): TEXT[:300] + story(seed) for seed in range(200, 212)}
    assert hits_of(TEXT, carriers, PUBLISHED, cap=8).capped.size == 0
    capped = hits_of(TEXT, carriers, BOTH, cap=8).capped
    assert capped.tolist() == hits_of(TEXT, carriers, 1, cap=8).capped.tolist()
    assert capped.size > 0


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
def test_editions_are_known_by_their_anchors_whatever_the_seeds_are(algorithm_id: int) -> None:
    edition, other = WorkTextId("edition"), WorkTextId("other")
    corpus = corpus_of({edition: "又一版的序。" + with_random_characters(TEXT, 0.05), other: OTHER}, algorithm_id)
    editions = Editions(corpus, DEFAULT)
    entry = WorkEntry(TEXT, fingerprint_text(TEXT, ALGORITHMS[algorithm_id]))
    assert editions.are_editions(entry, edition)
    assert not editions.are_editions(entry, other)


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
def test_a_passage_that_many_texts_carry_is_common_wording_by_any_seeds(algorithm_id: int) -> None:
    phrase = TEXT[300:410]
    carriers = {
        WorkTextId(f"carrier-{seed}"): story(seed)[: 500 + seed] + phrase + story(seed)[500 + seed :]
        for seed in range(200, 212)
    }
    found = matches(OTHER[:600] + phrase + OTHER[600:], algorithm_id, texts=carriers)
    assert [match.match_class for match in found] == [MatchClass.QUOTATION]


TOKENS = st.one_of(st.integers(1, 3), st.integers(1, 60), st.just(WILDCARD))


@st.composite
def windows_that_meet(draw: st.DrawFn) -> tuple[np.ndarray, Streams, tuple[np.ndarray, ...], np.ndarray]:
    """A page, two texts of which one has pieces of it, and hits of windows anywhere, some behind an end."""
    page = draw(hnp.arrays(np.uint16, st.integers(1, 60), elements=TOKENS))
    cut = draw(st.integers(0, page.size))
    works = [draw(hnp.arrays(np.uint16, st.integers(0, 40), elements=TOKENS)) for _ in range(2)]
    works[1] = np.concatenate([works[1][:9], page[cut:], works[1][9:], page[:cut]])
    sizes = [work.size for work in works]
    starts = np.array([0, sizes[0]], np.int64)
    streams = Streams(np.concatenate(works), starts, starts + np.array(sizes, np.int64))
    rows = st.tuples(st.integers(0, 1), st.integers(0, page.size - 1), st.integers(0, 99), st.sampled_from([0, 8, 30]))
    hits = np.array(draw(st.lists(rows, max_size=12)), np.int32).reshape(-1, 4)
    return page, streams, (hits[:, 0].copy(), hits[:, 1].copy(), hits[:, 2].copy()), hits[:, 3].copy()


@given(windows_that_meet(), st.integers(1, 6))
def test_hits_of_windows_stand_where_both_sides_agree(
    case: tuple[np.ndarray, Streams, tuple[np.ndarray, ...], np.ndarray], gram: int
) -> None:
    page, streams, hits, widths = case
    found = list(zip(*(column.tolist() for column in aligned(page, streams, hits, widths, gram)), strict=True))
    expected = list(by_definition(page, streams, hits, widths, gram))
    assert found == [row[:3] for row in expected]
    for text, page_at, work_at, width in expected:
        work = streams.tokens[streams.starts[text] : streams.ends[text]]
        if width:
            run = page[page_at : page_at + gram].tolist()
            assert len(run) == gram
            assert WILDCARD not in run
            assert run == work[work_at : work_at + gram].tolist()


def by_definition(
    page: np.ndarray, streams: Streams, hits: tuple[np.ndarray, ...], widths: np.ndarray, gram: int
) -> Iterator[tuple[int, int, int, int]]:
    """Text, page position, work position and width of what `matcher.window_hits.aligned` keeps, as it is documented."""
    for text, page_at, work_at, width in zip(*(column.tolist() for column in (*hits, widths)), strict=True):
        if not width:
            yield text, page_at, work_at, width
            continue
        work = streams.tokens[streams.starts[text] : streams.ends[text]]
        firsts: dict[tuple[int, ...], int] = {}
        for at, run in _runs(page[page_at : page_at + width], gram):
            firsts.setdefault(run, at)
        pairs = [(firsts[run], at) for at, run in _runs(work[work_at : work_at + width], gram) if run in firsts]
        counts: Counter[int] = Counter()
        fullest = 0, 0
        for here, there in pairs:
            counts[there - here] += 1
            if counts[there - here] > fullest[0]:
                fullest = counts[there - here], there - here
        if pairs:
            here, there = next(pair for pair in pairs if pair[1] - pair[0] == fullest[1])
            yield text, page_at + here, work_at + there, width


def _runs(tokens: np.ndarray, gram: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for at in range(tokens.size - gram + 1):
        run = tuple(tokens[at : at + gram].tolist())
        if WILDCARD not in run:
            yield at, run


def test_hits_of_anchors_stay_as_they_are() -> None:
    page = np.arange(1, 50, dtype=np.uint16)
    streams = Streams(page + 100, np.zeros(1, np.int64), np.array([49], np.int64))
    hits = np.zeros(2, np.int32), np.array([4, 9], np.int32), np.array([7, 2], np.int32)
    kept = aligned(page, streams, hits, np.array([0, 32], np.int32), DEFAULT.window_gram_tokens)
    assert [column.tolist() for column in kept] == [[0], [4], [7]]
    assert aligned(page, streams, hits, np.zeros(2, np.int32), DEFAULT.window_gram_tokens) is hits


def test_a_run_with_a_character_that_nobody_can_read_agrees_with_nothing() -> None:
    page = np.array([1, 2, WILDCARD, 3, 4, 5, WILDCARD, 6], np.uint16)
    streams = Streams(page, np.zeros(1, np.int64), np.array([page.size], np.int64))
    hit, width = (np.zeros(1, np.int32),) * 3, np.array([8], np.int32)
    assert [column.tolist() for column in aligned(page, streams, hit, width, 3)] == [[0], [3], [3]]
    assert aligned(page, streams, hit, width, 4)[0].size == 0


def test_windows_of_two_granularities_at_one_place_are_read_each_to_its_end() -> None:
    page = np.arange(1, 41, dtype=np.uint16)
    work = np.concatenate([np.full(8, 99, np.uint16), page[20:40]])
    streams = Streams(work, np.zeros(1, np.int64), np.array([work.size], np.int64))
    hits = (np.zeros(3, np.int32),) * 3
    kept = aligned(page, streams, hits, np.array([8, 30, 8], np.int32), DEFAULT.window_gram_tokens)
    assert [column.tolist() for column in kept] == [[0], [20], [8]]
