"""The interface speaks Chinese and English, both of them whole."""

from pathlib import Path

from babel.messages.pofile import write_po
from django.utils import translation
from django.utils.translation import gettext, ngettext, pgettext

from webadmin import translation as catalogue
from webadmin.ui.models import phrases


def test_nothing_is_left_untranslated_fuzzy_or_stale() -> None:
    assert list(catalogue.faults()) == []


def test_an_untranslated_a_fuzzy_and_a_foreign_string_are_each_named(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    changed = catalogue.read()
    del changed["Passage {n} of {m}"]
    changed.add("nobody says this", "无人说")
    changed["Work"].string = ""
    changed["Site"].flags.add("fuzzy")
    changed["%(changed)s of %(looks)s visits"].string += "%(invented)s"
    changed["These are {n} files; at most {m} can be uploaded at once."].string += "{invented}"
    with path.open("wb") as file:
        write_po(file, changed)
    path.with_suffix(".mo").write_bytes(catalogue.compile_catalogue(path))
    assert sorted(fault.partition(" (")[0] for fault in catalogue.faults(path)) == [
        "'%(changed)s of %(looks)s visits' and its translation have different placeholders",
        "'Passage {n} of {m}'",
        "'Site' is fuzzy",
        "'These are {n} files; at most {m} can be uploaded at once.' and its translation have different placeholders",
        "'Work' is not translated",
        "'nobody says this' is in the catalogue and nowhere in the code: run update",
    ]


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
