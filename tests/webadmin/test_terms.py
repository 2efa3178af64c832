"""Desk and report say the same words: a lawyer reads both."""

from enum import StrEnum

import pytest
from django.utils import translation

from analytics.phrases import Phrases
from webadmin.models import phrases

GROUPS = (phrases.MATCH_CLASSES, phrases.DISGUISES, phrases.VERDICTS, phrases.REJECTIONS, phrases.STATES)
TERMS = [(member, phrase) for group in GROUPS for member, phrase in group.items()]


@pytest.mark.parametrize(
    ("member", "phrase"), TERMS, ids=lambda value: str(value) if isinstance(value, StrEnum) else ""
)
def test_a_term_is_the_same_on_the_desk_and_in_a_chinese_report(member: StrEnum, phrase: object) -> None:
    with translation.override("zh-hans"):
        assert Phrases("zh-hans").term(member) == str(phrase)


@pytest.mark.parametrize("group", GROUPS)
def test_every_member_of_an_enumeration_has_a_phrase(group: dict[StrEnum, object]) -> None:
    assert set(group) == set(type(next(iter(group))))
