import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.ids import WorkTextId
from core.matches import Match, MatchClass
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from matcher.calibration import DEFAULT, Calibration
from matcher.corpus import MemoryCorpus, TokenCache, WorkEntry
from matcher.index.lookups import PageHits, find_hits
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from tests.support.corpus_texts import story, with_homophones, with_random_characters
from tests.support.matchers import matcher_of

PUBLISHED, BOTH = 3, 4
WITH_WINDOWS = (PUBLISHED, BOTH)
GRANULARITY, STEP = 64, 32
PUBLISHED_STEP = replace(DEFAULT, page_window_step_tokens=STEP)
WORKS = {WorkTextId(f"work-{seed}"): story(seed) for seed in range(4)}
WORK = WorkTextId("work-1")
TEXT = WORKS[WORK]
OTHER = story(99)
CAP = 64


@cache
def make_corpus(algorithm_id: int) -> MemoryCorpus:
    return fill_corpus(WORKS, algorithm_id)


def fill_corpus(texts: dict[WorkTextId, str], algorithm_id: int) -> MemoryCorpus:
    algorithm = ALGORITHMS[algorithm_id]
    return MemoryCorpus(
        {text_id: WorkEntry(text, fingerprint_text(text, algorithm)) for text_id, text in texts.items()}
    )


def make_index(corpus: MemoryCorpus, algorithm_id: int) -> MemoryIndex:
    index = MemoryIndex(algorithm_id)
    for text_id, entry in corpus.items():
        index.add(text_id, entry.fingerprint)
    return index


@cache
def matcher_of_works(algorithm_id: int) -> Matcher:
    return Matcher(make_index(make_corpus(algorithm_id), algorithm_id), make_corpus(algorithm_id))


def matches(page: str, algorithm_id: int, texts: dict[WorkTextId, str] | None = None) -> tuple[Match, ...]:
    matcher = matcher_of(texts, ALGORITHMS[algorithm_id]) if texts else matcher_of_works(algorithm_id)
    return matcher.match(page, fingerprint_text(page, ALGORITHMS[algorithm_id]))


def look_up(
    page: str, corpus: MemoryCorpus, algorithm_id: int, cap: int = CAP, calibration: Calibration = DEFAULT
) -> PageHits:
    index, cache = make_index(corpus, algorithm_id), TokenCache(corpus, DEFAULT.max_cached_tokens)
    (found,), _ = find_hits(index, cache, [fingerprint_text(page, ALGORITHMS[algorithm_id])], cap, calibration)
    return found


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
def test_every_algorithm_finds_a_copied_and_an_edited_chapter(algorithm_id: int) -> None:
    (match,) = matches(TEXT, algorithm_id)
    assert (match.text_id, match.match_class, match.algorithm_id) == (WORK, MatchClass.IDENTICAL, algorithm_id)
    (span,) = match.spans
    assert TEXT[span.page.start : span.page.end] == TEXT[span.work.start : span.work.end] == TEXT[:-1]
    for page in (with_homophones(TEXT, 0.3), with_random_characters(TEXT, 0.03), TEXT * 3):
        (match,) = matches(page, algorithm_id)
        assert match.text_id == WORK
        assert match.page_containment > 0.9


@pytest.mark.parametrize("start", range(0, STEP, 10))
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
    matcher = matcher_of(WORKS, ALGORITHMS[PUBLISHED], PUBLISHED_STEP)
    found = [matcher.match(page, fingerprint_text(page, ALGORITHMS[PUBLISHED])) for page in (in_phase, out_of_phase)]
    assert [[match.text_id for match in each] for each in found] == [[WORK], []]
    assert [match.text_id for match in matches(out_of_phase, PUBLISHED)] == [WORK]


@pytest.mark.parametrize("algorithm_id", WITH_WINDOWS)
def test_a_text_with_one_window_is_kept_if_too_many_texts_have_hits(algorithm_id: int) -> None:
    works = {text_id: "".join(filter(str.isalpha, text)) for text_id, text in WORKS.items()}
    page = "".join(text[10 * STEP : 10 * STEP + GRANULARITY] for text in works.values())
    few = replace(PUBLISHED_STEP, max_fetched_texts=2)
    hits = look_up(page, fill_corpus(works, algorithm_id), algorithm_id, calibration=few)
    assert {hits.text_id(text) for text in hits.places.texts.tolist()} == set(works)


def test_the_same_letters_in_another_order_share_windows_and_are_no_match() -> None:
    han = "".join(character for character in TEXT if "\u4e00" <= character <= "\u9fff")
    rng = random.Random(3)
    pieces = [list(han[start : start + STEP]) for start in range(0, len(han), STEP)]
    for piece in pieces:
        rng.shuffle(piece)
    page = "".join("".join(piece) for piece in pieces)
    texts = {WORK: han}
    hashes = np.unique(fingerprint_text(page, ALGORITHMS[PUBLISHED]).hashes)
    corpus = fill_corpus(texts, PUBLISHED)
    assert make_index(corpus, PUBLISHED).lookup(hashes, CAP).queries.size > len(pieces) / 2
    assert look_up(page, corpus, PUBLISHED).places.texts.size == 0
    assert matches(page, PUBLISHED, texts=texts) == ()


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
@pytest.mark.parametrize(
    "page",
    ["", "，。！", "\ud800", "An English page.", "字" * 5000, "甲乙" * 3000, "\ue010" * 400, TEXT[:15], OTHER],
    ids=["nothing", "marks", "surrogate", "English", "one", "two", "private", "few", "other"],
)
def test_what_shares_nothing_but_set_pieces_has_no_match(page: str, algorithm_id: int) -> None:
    assert matches(page, algorithm_id) == ()


@pytest.mark.parametrize("algorithm_id", WITH_WINDOWS)
@pytest.mark.parametrize("work", ["字" * 3000, "甲乙" * 2000, "\ue010" * 4000, "", TEXT[:200] * 40])
def test_works_that_repeat_themselves_or_say_nothing_are_no_trouble(work: str, algorithm_id: int) -> None:
    texts = {WORK: work, WorkTextId("other"): OTHER}
    assert matches(story(77), algorithm_id, texts=texts) == ()
    for match in matches(work * 3, algorithm_id, texts=texts):
        assert match.text_id == WORK


def test_a_text_that_is_shorter_than_the_index_says_gives_no_hit_behind_its_end() -> None:
    index = make_index(make_corpus(PUBLISHED), PUBLISHED)
    shorter = fill_corpus({text_id: text[:100] for text_id, text in WORKS.items()}, PUBLISHED)
    tokens = TokenCache(shorter, DEFAULT.max_cached_tokens)
    (hits,), _ = find_hits(index, tokens, [fingerprint_text(TEXT, ALGORITHMS[PUBLISHED])], CAP, DEFAULT)
    lengths = hits.streams.ends - hits.streams.starts
    assert hits.places.texts.size > 0
    assert (hits.places.works + DEFAULT.window_gram_tokens <= lengths[hits.places.texts]).all()


@pytest.mark.parametrize("algorithm_id", sorted(ALGORITHMS))
def test_a_passage_that_many_texts_carry_is_common_wording_by_any_seeds(algorithm_id: int) -> None:
    phrase = TEXT[300:410]
    carriers = {
        WorkTextId(f"carrier-{seed}"): story(seed)[: 500 + seed] + phrase + story(seed)[500 + seed :]
        for seed in range(200, 212)
    }
    found = matches(OTHER[:600] + phrase + OTHER[600:], algorithm_id, texts=carriers)
    assert [match.match_class for match in found] == [MatchClass.QUOTATION]
    assert {found[0].text_id, *found[0].also} == set(carriers)
