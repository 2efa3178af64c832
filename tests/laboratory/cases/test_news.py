import random

from core.matches import MatchClass
from laboratory.cases import news
from laboratory.scores.detection_quality import Reported

HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]


def unlike(rng: random.Random, chars: int) -> str:
    return "".join(rng.choices(HAN, k=chars))


def items() -> list[news.NewsItem]:
    """Two that repeat each other by half and more, one that takes a third, two of their own, one without a 5-gram."""
    rng = random.Random(1)
    first = unlike(rng, 200)
    second = first[:120] + unlike(rng, 40)
    third = first[:60] + unlike(rng, 140)
    texts = [first, second, third, unlike(rng, 150), unlike(rng, 150), "好"]
    return news.labelled([(str(number), text) for number, text in enumerate(texts)])


def test_items_are_labelled_by_what_of_them_stands_in_one_other():
    labelled = items()
    assert [item.partners for item in labelled] == [{"1"}, {"0"}, set(), set(), set(), set()]
    assert [item.is_innocent for item in labelled] == [False, False, False, True, True, False]


def test_a_partner_counts_as_the_source_and_as_one_of_the_others():
    labelled = items()
    reports = {"0": [Reported("9", also=("1",))], "1": [Reported("0")]}
    assert news.scored(labelled, reports).found == 2
    score = news.scored(labelled, {"0": [Reported("2")], "1": []})
    assert (score.repeating, score.found, score.recall) == (2, 0, 0.0)
    assert score.missed_ids == ("0", "1")


def test_an_innocent_item_is_accused_by_anything_but_a_quotation():
    quotation, excerpt = MatchClass.QUOTATION, MatchClass.EXCERPT
    reports = {"3": [Reported("0", match_class=quotation)], "4": [Reported("0", match_class=excerpt)]}
    score = news.scored(items(), reports)
    assert (score.innocent, score.matched, score.accused) == (2, 2, 1)
    assert score.accusation_rate == 0.5
    assert score.accused_ids == ("4",)
    assert score.classes == {"quotation": 1, "excerpt": 1}
