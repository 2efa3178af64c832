import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import redis

from core.ids import WorkTextId
from core.matches import Match, MatchClass
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from matcher.calibration import DEFAULT, Calibration
from matcher.corpus import MemoryCorpus, TokenCache, WorkEntry
from matcher.index.lookups import PageHits, find_hits, page_seeds
from matcher.index.memory import MemoryIndex
from matcher.index.ports import MatchIndex
from matcher.index.redis.redis_index import RedisIndex
from matcher.judging import Editions
from matcher.matching import Matcher
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
    index, cache = filled(MemoryIndex(algorithm_id), corpus), TokenCache(corpus, DEFAULT.max_cached_tokens)
    (found,), _ = find_hits(index, cache, [fingerprint_text(page, ALGORITHMS[algorithm_id])], cap, DEFAULT)
    return found


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
def test_a_text_with_one_window_is_kept_if_too_many_texts_have_hits(algorithm_id: int) -> None:
    works = {text_id: "".join(filter(str.isalpha, text)) for text_id, text in WORKS.items()}
    page = "".join(text[10 * STEP : 10 * STEP + GRANULARITY] for text in works.values())
    corpus = corpus_of(works, algorithm_id)
    index, fingerprint = filled(MemoryIndex(algorithm_id), corpus), fingerprint_text(page, ALGORITHMS[algorithm_id])
    few = replace(PUBLISHED_STEP, max_fetched_texts=2)
    (hits,), _ = find_hits(index, TokenCache(corpus, DEFAULT.max_cached_tokens), [fingerprint], CAP, few)
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


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
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
    cache = TokenCache(corpus, DEFAULT.max_cached_tokens)
    (hits,), _ = find_hits(index, cache, [fingerprint_text(TEXT, ALGORITHMS[PUBLISHED])], CAP, DEFAULT)
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
