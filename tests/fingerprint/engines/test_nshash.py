from fingerprint.engines.nshash import longest_sentences
from fingerprint.engines.plain_characters import split_sentences


def test_sentences_end_at_full_stops_exclamation_and_question_marks_and_lines() -> None:
    text = "他来了。你呢？走！\n天黑了，雨停了\r\n……。「嗯」"
    sentences = list(split_sentences(text))
    assert [each.text for each in sentences] == ["他来了", "你呢", "走", "天黑了，雨停了", "「嗯」"]
    assert [text[each.place.start : each.place.end] for each in sentences] == [each.text for each in sentences]


def test_sentences_of_thirty_characters_or_fewer_count_only_without_longer_ones() -> None:
    assert longest_sentences("一" * 30 + "。" + "二" * 31 + "。", 5) == ["二" * 31]
    assert longest_sentences("一" * 30 + "。" + "二" * 12 + "。", 5) == ["一" * 30, "二" * 12]
