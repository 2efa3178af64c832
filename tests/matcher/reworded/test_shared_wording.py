"""Test what two sentences have in common: names, numbers, uncommon words, also across scripts and languages."""

import pytest

from matcher.reworded.shared_wording import shared_wording


def mark_shared(page: str, work: str) -> tuple[list[str], list[str]]:
    on_page, on_work = shared_wording(page, work)
    return [page[start:end] for start, end in on_page], [work[start:end] for start, end in on_work]


@pytest.mark.parametrize(
    ("page", "work", "on_page", "on_work"),
    [
        ("卓有年数了两天。", "文物所長卓有年走了。", ["卓有年"], ["卓有年"]),
        ("两座石桥", "兩座石橋", ["两座石桥"], ["兩座石橋"]),
        ("他自己知道没有一个人。", "没有人知道他自己一个。", [], []),
        ("一共 17 袋，少了两袋。", "十七袋里，两袋不见了。", ["17", "两袋"], ["十七", "两袋"]),
        ("Zhuo Younian counted seven bridges.", "卓有年数出七座桥。", ["Zhuo", "Younian"], ["卓有年"]),
        ("The Yongji Bridge has 614 stones.", "永济桥有六百一十四块石头。", ["Yongji", "614"], ["永济", "六百一十四"]),
        ("It stood forty-one centimetres lower.", "降低四十一厘米。", ["forty-one"], ["四十一"]),
        ("The steelyard would have been there.", "Is it the Steelyard that they use?", ["steelyard"], ["Steelyard"]),
        ("甲\ud800乙丙\u202e", "丁乙丙", ["乙丙"], ["乙丙"]),
        ("", "乙丙", [], []),
    ],
)  # fmt: skip
def test_it_is_found(page: str, work: str, on_page: list[str], on_work: list[str]) -> None:
    assert mark_shared(page, work) == (on_page, on_work)


def test_a_sentence_of_nothing_but_digits_takes_no_time() -> None:
    assert mark_shared("9" * 1_000, "9" * 1_000) == ([], [])
    assert mark_shared("一" * 1_000, "百" * 1_000) == ([], [])
