import pytest

from core.matches import MatchClass
from core.text import TextRange
from laboratory.edits.edited import Passage
from laboratory.scores.detection_quality import Case, Condition, Reported, measured, page_score


def passage(work_id: str, start: int = 0, end: int = 10) -> Passage:
    return Passage(work_id, TextRange(start, end), TextRange(start, end))


def truth(case_class: str = "full", works: str = "", also: str = "", page_id: str = "p") -> Case:
    return Case(case_class, "none", 0.1, "", tuple(map(passage, works)), tuple(also), page_id=page_id)


def reports(works: str, match_class: MatchClass | None = None) -> list[Reported]:
    return [Reported(work, (passage(work),), match_class) for work in works]


def test_right_wrong_and_missed_works_are_counted_by_pair():
    score = page_score(truth(works="abc"), reports("bcd"))
    assert (score.right, score.wrong, score.missed) == (2, 1, 1)
    score = page_score(truth(works="a", also="d"), reports("ad"))  # d carries the passage by nature
    assert (score.right, score.wrong, score.missed) == (1, 0, 0)
    score = page_score(truth("natural", works="ab"), reports("b"))  # of such one true work is enough
    assert (score.right, score.missed) == (1, 0)


def test_an_innocent_page_that_is_called_a_quotation_is_matched_and_not_accused():
    score = page_score(truth("negative"), reports("a", MatchClass.QUOTATION))
    assert score.is_matched
    assert not score.is_accused
    assert page_score(truth("negative"), reports("a", MatchClass.EXCERPT)).is_accused
    assert page_score(truth("negative"), reports("a")).is_accused  # an engine without classes accuses always


def test_precision_and_recall_are_of_pairs_and_rates_are_of_pages():
    pages = [
        (truth(works="ab", page_id="1"), reports("a")),
        (truth(works="c", page_id="2"), reports("cd")),
        (truth("negative", page_id="3"), reports("x", MatchClass.QUOTATION)),
        (truth("negative", page_id="4"), []),
    ]
    overall = measured(pages)[Condition("overall")]
    assert overall.precision == pytest.approx(2 / 4)
    assert overall.recall == pytest.approx(2 / 3)
    assert overall.f1 == pytest.approx(4 / 7)
    assert overall.false_positive_rate == 0.5
    assert overall.false_accusation_rate == 0.0
    assert overall.positive_pages == 2
