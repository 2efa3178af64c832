"""Every record of an obfuscation is whole: its words in both languages."""

import re

import pytest

from core.obfuscations import Obfuscation
from core.wording import has_words

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("kind", Obfuscation)
def test_a_record_has_its_label_and_its_explanation_in_both_languages(kind: Obfuscation) -> None:
    for message in (kind.label, kind.explanation):
        assert has_words(message.code)
        assert str(message).isascii()
        assert HAN.search(message.in_language("zh"))
    assert (str(kind.explanation)[-1], kind.explanation.in_language("zh")[-1]) == (".", "。"), "it is one sentence"
    assert (str(kind.label)[-1], kind.label.in_language("zh")[-1]) != (".", "。")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_two_records_are_called_the_same(language: str) -> None:
    for said in zip(*((kind.label, kind.explanation) for kind in Obfuscation), strict=True):
        assert len({message.in_language(language) for message in said}) == len(Obfuscation)
