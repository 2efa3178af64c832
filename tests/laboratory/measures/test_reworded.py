from pathlib import Path

import pytest

from laboratory.cases.build import SHARED_CORPORA
from laboratory.cases.rewrites import rewrites
from laboratory.measures.reworded import INNOCENT as INNOCENT_PASSAGES
from laboratory.measures.reworded import (
    OF_ONE_TRADE,
    joined,
    measured_at,
    measured_once,
)
from laboratory.measures.reworded_cases import (
    RewordedCorpora,
)
from laboratory.measures.tables import bytes_a_char, innocent_passages, reworded_pages
from tests.support.encoders import needs_encoder

needs_corpora = pytest.mark.skipif(
    not (SHARED_CORPORA / "reworded_dev.jsonl").is_file(), reason="the shared corpora are not there"
)


@pytest.fixture(scope="module")
def corpora() -> RewordedCorpora:
    return RewordedCorpora(SHARED_CORPORA)


@needs_corpora
@needs_encoder
def test_a_small_measurement_finds_rewrites_and_names_no_innocent_page(
    corpora: RewordedCorpora, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(INNOCENT_PASSAGES, "tiny", 30)
    monkeypatch.setitem(OF_ONE_TRADE, "tiny", 10)
    monkeypatch.setattr("laboratory.measures.reworded.CHINESE_AGAINST_ENGLISH", 10)
    monkeypatch.setattr("laboratory.measures.reworded_cases.DOCS", Path("/nowhere"))
    ours = [each for each in rewrites() if each.manner == "spoken"][:2]
    monkeypatch.setattr("laboratory.measures.reworded_cases.rewrites", lambda: ours)
    monkeypatch.setitem(corpora.__dict__, "bible", corpora.bible[:6])  # where the cached property keeps it
    some = corpora.rewritten()[::2]
    monkeypatch.setattr(corpora, "rewritten", lambda: some)
    parts = [part(corpora, 30_000, "tiny", 1, lambda done, of: None) for part in (measured_at, measured_once)]
    results = joined(parts)
    shares = {(row.kind, row.surroundings): row.found / row.pages for row in results.fared}
    assert shares["strong", "alone"] >= 0.9
    assert shares["strong", "among others"] >= 0.9
    assert shares[ours[0].manner, "alone"] == 1
    assert shares["light", "alone"] == shares["English", "alone"] == 1
    assert all(row.pairs_in_place >= 0.9 * row.pairs for row in results.fared)
    english = [row for row in results.alarms if row.kind.startswith("English")]
    of_english = [row for row in results.alarms if row.kind.endswith("of English")]
    assert sum(row.passages for row in english) == 3
    assert sum(row.passages for row in of_english) == 10 + 3
    assert sum(row.passages for row in results.alarms) == 30 + 3 + 10 + 10 + 3
    assert sum(row.named for row in results.alarms) == 0
    assert all(bytes_ < 40 for _, _, bytes_ in results.bytes_a_char)
    assert [len(table(results).rows) for table in (reworded_pages, innocent_passages, bytes_a_char)] == [
        len(results.fared),
        sum(1 for row in results.alarms if row.passages),
        2,
    ]
