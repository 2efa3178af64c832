"""Every record of an obfuscation is whole: its words in both languages."""

import re

import pytest

from core.obfuscations import OBFUSCATIONS, Obfuscation

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("kind", Obfuscation)
def test_a_record_has_its_label_and_its_explanation_in_both_languages(kind: Obfuscation) -> None:
    for words in (kind.label, kind.explanation):
        assert words.en.isascii()
        assert words.en
        assert HAN.search(words.zh)
    assert (kind.explanation.en[-1], kind.explanation.zh[-1]) == (".", "。"), "an explanation is one sentence"
    assert (kind.label.en[-1], kind.label.zh[-1]) != (".", "。")


def test_no_two_records_are_called_the_same() -> None:
    for words in ("label", "explanation"):
        for language in ("en", "zh"):
            said = [getattr(getattr(kind, words), language) for kind in Obfuscation]
            assert len(set(said)) == len(said)


def test_what_is_stored_leads_back_to_its_record() -> None:
    assert [OBFUSCATIONS[str(kind)] for kind in Obfuscation] == list(Obfuscation)
