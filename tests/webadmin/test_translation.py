"""The interface speaks Chinese and English, both of them whole."""

from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext, ngettext, pgettext

from webadmin import translation as catalogue
from webadmin.models import phrases
from webadmin.translatable import Message, of_python, of_template


def test_nothing_is_left_untranslated_fuzzy_or_stale() -> None:
    assert list(catalogue.faults()) == []


def test_an_untranslated_a_fuzzy_and_a_foreign_string_are_each_named(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    path.write_text(catalogue.CATALOGUE.read_text(encoding="utf-8"), encoding="utf-8")
    entries = catalogue.polib.pofile(str(path))
    plain = [entry for entry in entries if not entry.msgid_plural]
    plain[0].msgstr = ""
    plain[1].flags.append("fuzzy")
    plain[2].msgid = "nobody says this"
    plain[3].msgstr += "%(invented)s"
    entries.save()
    catalogue.compile_catalogue(path)
    found = "\n".join(catalogue.faults(path))
    assert f"{plain[0].msgid!r} is not translated" in found
    assert f"{plain[1].msgid!r} is fuzzy" in found
    assert "'nobody says this' is in the catalogue and nowhere in the code" in found
    assert "is not in the catalogue" in found
    assert f"{plain[3].msgid!r} and its translation have different placeholders" in found


def test_a_stale_compiled_catalogue_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    path.write_text(catalogue.CATALOGUE.read_text(encoding="utf-8"), encoding="utf-8")
    catalogue.compile_catalogue(path)
    assert list(catalogue.faults(path)) == []
    path.write_text(path.read_text(encoding="utf-8").replace("案件", "案卷"), encoding="utf-8")
    assert list(catalogue.faults(path)) == ["django.mo is older than django.po: run compile"]


def test_updating_keeps_every_translation(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    path.write_text(catalogue.CATALOGUE.read_text(encoding="utf-8"), encoding="utf-8")
    catalogue.update(path)
    assert path.read_text(encoding="utf-8") == catalogue.CATALOGUE.read_text(encoding="utf-8")


@pytest.mark.parametrize("table", ["MATCH_CLASSES", "STATES", "VERDICTS", "REJECTIONS", "DISGUISES", "CHANGES"])
def test_every_member_of_an_enumeration_has_its_words_in_both_languages(table: str) -> None:
    words = getattr(phrases, table)
    assert set(words) == set(type(next(iter(words))))
    with translation.override("en"):
        english = {member: str(phrase) for member, phrase in words.items()}
    with translation.override("zh-hans"):
        chinese = {member: str(phrase) for member, phrase in words.items()}
    for member in words:
        assert english[member].isascii()
        assert any("一" <= character <= "鿿" for character in chinese[member]), member


def test_strings_of_unfold_are_chinese_too() -> None:
    with translation.override("zh-hans"):
        assert (gettext("Apply Filters"), gettext("Select action")) == ("应用筛选", "选择操作")


def test_plurals_and_contexts_are_translated() -> None:
    with translation.override("zh-hans"):
        said = ngettext("%(count)s character not copied", "%(count)s characters not copied", 7)
        assert said % {"count": 7} == "7 字未被抄袭"
        assert pgettext("mark above a changed character", "snd") == "音"
    with translation.override("en"):
        said = ngettext("%(count)s character not copied", "%(count)s characters not copied", 1)
        assert said % {"count": 1} == "1 character not copied"


def test_strings_are_found_under_any_name_of_the_function() -> None:
    source = (
        "from django.utils.translation import gettext as _now, ngettext, pgettext_lazy as p\n"
        "_now('a (b)')\nngettext('c', 'd', 2)\np('where', 'e')\n_('not imported')\n_now(variable)\n"
    )
    assert list(of_python(source)) == [Message("a (b)"), Message("c", "d"), Message("e", context="where")]


def test_strings_of_templates_are_found_in_tags_blocks_and_arguments() -> None:
    source = (
        "{% load i18n %}{% translate 'It (a)' %}{% translate 'b' context 'where' %}"
        "{% blocktranslate count n=n %}{{ n }} c{% plural %}{{ n }} ds{% endblocktranslate %}"
        "{% include 'x.html' with label=_('e') %}"
    )
    assert list(of_template(source)) == [
        Message("It (a)"),
        Message("b", context="where"),
        Message("%(n)s c", "%(n)s ds"),
        Message("e"),
    ]
