"""Test what the matcher makes of real text beyond what tests/quality holds it to. Needs the shared corpora.

Measured in November 2026 on 40 chapters of novels with the seeds below: no page accused that has nothing of a work, at
most 4 of 40 reviews accused that quote with marks, .97-1.00 of the spans of two excerpts really taken. These are the
floors.
"""

import random
from collections.abc import Iterator

import pytest

from core.matches import MatchClass
from fingerprint.fingerprinting import fingerprint_text
from matcher.matching import Matcher
from tests.support.corpus_texts import (
    shared_records,
)
from tests.support.matchers import matcher_of

CHAPTERS = 40
RECORDS_READ = 700


@pytest.fixture(scope="module")
def works() -> list[dict[str, str]]:
    records = shared_records("editions_dev.jsonl.gz", RECORDS_READ)
    edition = records[0]["edition"]
    return [record for record in records if record["edition"] == edition][:CHAPTERS]


@pytest.fixture(scope="module")
def matcher(works: list[dict[str, str]]) -> Matcher:
    return matcher_of({record["id"]: record["text"] for record in works})


@pytest.mark.parametrize("between", [60, 120, 200])
def test_spans_of_two_excerpts_leave_out_what_stands_between_them(
    matcher: Matcher, works: list[dict[str, str]], between: int
) -> None:
    spanned, taken = 0, 0
    for record, page, places in _pages_with_pieces(works, [100, 100], between, "", ""):
        wanted = {at for start, end in places for at in range(start, end)}
        for match in matcher.match(page, fingerprint_text(page)):
            if match.text_id == record["id"]:
                reported = {at for span in match.spans for at in range(span.page.start, span.page.end)}
                spanned, taken = spanned + len(reported), taken + len(wanted & reported)
    assert taken / spanned > 0.95
    assert taken / (len(works) * 200) > 0.98


@pytest.mark.parametrize("lengths", [[35, 35], [35] * 5, [60] * 3, [100, 100]], ids=str)
def test_reviews_that_quote_with_marks_are_not_accused(
    matcher: Matcher, works: list[dict[str, str]], lengths: list[int]
) -> None:
    accused = 0
    for _, page, _ in _pages_with_pieces(works, lengths, 90, "“", "”"):
        found = matcher.match(page, fingerprint_text(page))
        accused += any(match.match_class is not MatchClass.QUOTATION for match in found)
    assert accused <= len(works) // 10


def _pages_with_pieces(
    works: list[dict[str, str]], lengths: list[int], between: int, opening: str, closing: str
) -> Iterator[tuple[dict[str, str], str, list[tuple[int, int]]]]:
    """For each work a page of another's text with pieces of it, and where on the page they stand."""
    rng = random.Random(len(lengths))
    carriers = [record["text"] for record in shared_records("single_dev.jsonl.gz", 200) if len(record["text"]) > 1500]
    for record in works:
        carrier, start = rng.choice(carriers), rng.randrange(max(1, len(record["text"]) - 2 * sum(lengths) - 60))
        page, places = carrier[:400], []
        for number, length in enumerate(lengths):
            page += opening
            places.append((len(page), len(page) + length))
            page += record["text"][start : start + length] + closing
            page += carrier[400 + number * between : 400 + (number + 1) * between]
            start += length + 60
        yield record, page + carrier[-700:], places
