"""The interface speaks Chinese and English, both of them whole."""

from django.utils import translation
from django.utils.translation import gettext, ngettext, pgettext

from webadmin import translation as catalogue
from webadmin.ui.models import phrases


def test_nothing_is_left_untranslated_fuzzy_or_stale() -> None:
    assert list(catalogue.faults()) == []


def test_every_member_of_an_enumeration_has_its_words_in_both_languages() -> None:
    for table in ("MATCH_CLASSES", "STATES", "VERDICTS", "REJECTIONS", "OBFUSCATIONS", "CHANGES"):
        words = getattr(phrases, table)
        assert set(words) == set(type(next(iter(words))))
        for member, phrase in words.items():
            with translation.override("en"):
                assert str(phrase).isascii()
            with translation.override("zh-hans"):
                assert any("一" <= character <= "鿿" for character in str(phrase)), member


def test_plurals_and_contexts_are_translated() -> None:
    with translation.override("zh-hans"):
        said = ngettext("%(count)s other character", "%(count)s other characters", 7)
        assert said % {"count": 7} == "其余 7 字"
        assert pgettext("mark above a changed character", "snd") == "音"
        assert gettext("Apply Filters") == "应用筛选", "strings of Unfold too"
    with translation.override("en"):
        said = ngettext("%(count)s other character", "%(count)s other characters", 1)
        assert said % {"count": 1} == "1 other character"
