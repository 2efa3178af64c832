"""Test which other places of the works count against the one that a block says the most of."""

import random

from core.ids import WorkTextId
from laboratory.measures.reworded_cases import demo_works
from matcher.reworded.chunks import FoundChunk
from matcher.reworded.searching import NEAR_CHARS, competing_chunks
from matcher.reworded.stretches import MemoryTexts

TEXT, OTHER = WorkTextId("text"), WorkTextId("other")
WHOLE, UNRELATED = sorted(demo_works().values(), key=len)[-2:]


def chunk(text_id: WorkTextId, start: int) -> FoundChunk:
    return FoundChunk(text_id, start, start + 600, 1.0)


def test_places_of_the_same_text_count_from_where_they_share_no_sentence() -> None:
    texts = MemoryTexts({TEXT: WHOLE})
    found = [chunk(TEXT, start) for start in (1_200, 600, 201, 1_200 + NEAR_CHARS - 1, 1_200 + NEAR_CHARS)]
    assert list(competing_chunks(found[0], found, texts)) == found[-1:]


def test_another_edition_is_no_other_place() -> None:
    own = chunk(TEXT, 600)
    for share, counted in ((0.05, False), (0.25, False), (0.6, True)):
        rng = random.Random(1)
        edited = "".join(rng.choice("天地玄黃") if rng.random() < share else each for each in WHOLE)
        texts = MemoryTexts({TEXT: WHOLE, OTHER: "前言。" * 50 + edited})
        other = chunk(OTHER, 600)
        assert list(competing_chunks(own, [own, other], texts)) == ([other] if counted else []), share
