"""The matrix of texts, encodings and labels: what it counts, and that the crawler keeps its promise on it."""

import pytest

from core.states import Rejection
from crawler.characters.decoding import Decoded
from laboratory.cases.build import SHARED_CORPORA as CORPORA
from laboratory.extraction.encodings import FORMS, MIN_SHARE_RIGHT, Cell, EncodingResult, measure
from laboratory.extraction.samples import Sample, samples

_CELL = Cell(Sample("t", "own-hans", "渡口"), FORMS[0], "", "")


@pytest.mark.usefixtures("long_computation")
def test_the_own_texts_in_every_form_are_read_rightly() -> None:
    result = measure(None)
    assert {name.removeprefix("form ") for name in result.cells if name.startswith("form")} == {f.name for f in FORMS}
    assert result.share_right >= MIN_SHARE_RIGHT, result.failures


@pytest.mark.usefixtures("long_computation")
@pytest.mark.skipif(not CORPORA.is_dir(), reason="the shared corpora are not there")
def test_short_real_texts_of_all_kinds_are_read_rightly() -> None:
    short = [sample for sample in samples(CORPORA, seed=5) if "-60-" in sample.name]
    result = measure(CORPORA, texts=short)
    assert result.total >= 1_000
    assert result.share_right >= MIN_SHARE_RIGHT, result.failures


def test_a_wrong_character_is_a_wrong_cell_and_silent_ones_are_told_from_flagged_ones() -> None:
    result = EncodingResult()
    for got in (
        Decoded("渡口", "gb18030"),
        Decoded("渡囗", "gb18030"),
        Decoded("渡口", "utf-8"),
        Decoded("渡囗", "gb18030", is_doubtful=True),
        Rejection.MOJIBAKE,
    ):
        result.note(_CELL, "渡口", got)
    assert (result.total, result.share_right, result.flagged) == (5, 0.2, 2)
    assert [failure.got for failure in result.failures] == ["gb18030", "utf-8", "gb18030, doubtful", "mojibake"]
