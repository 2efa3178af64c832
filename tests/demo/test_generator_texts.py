"""The demo's texts: long enough, each its own, and nothing shared but what is declared as a quotation."""

from itertools import combinations

from deploy.demo.library import Library
from tests.support.demo_sites import han, runs

CHARS_BY_KIND = {"novel": (1_500, 3_000), "essay": (1_500, 3_000), "story": (1_500, 3_000), "news": (600, 1_200)}


def texts_of(library: Library) -> dict[tuple[str, int], str]:
    return {(work.key, chapter.number): chapter.text for work in library.works.values() for chapter in work.chapters}


def test_there_are_two_novels_four_reports_an_essay_and_a_story_of_two_rights_holders(library: Library) -> None:
    kinds = [work.kind for work in library.works.values()]
    holders = {
        work.rights_holder: {w.kind for w in library.works.values() if w.rights_holder == work.rights_holder}
        for work in library.works.values()
    }

    assert sorted(kinds) == ["essay", "news", "news", "news", "news", "novel", "novel", "story"]
    assert len(texts_of(library)) == 14
    assert holders == {"青梧文学": {"novel", "essay", "story"}, "澄江日报": {"news"}}


def test_every_text_has_the_length_of_its_kind(library: Library) -> None:
    for work in library.works.values():
        least, most = CHARS_BY_KIND[work.kind]
        for chapter in work.chapters:
            assert least <= len(chapter.text) <= most, (work.key, chapter.number)


def test_no_two_works_share_a_run_of_fifteen_characters(library: Library) -> None:
    for (one, text), (other, rival) in combinations(texts_of(library).items(), 2):
        assert not runs(text, 15) & runs(rival, 15), (one, other)


def test_no_text_repeats_a_run_of_fifteen_characters_of_its_own(library: Library) -> None:
    for key, text in texts_of(library).items():
        assert len(runs(text, 15)) == len(han(text)) - 14, key


def test_an_innocent_text_shares_no_long_run_with_a_work_but_its_quotations(library: Library) -> None:
    for other in library.others.values():
        rest = other.text
        for quote in other.quotes:
            rest = rest.replace(quote.text, "\n☐\n")
        pieces = [runs(piece, 20) for piece in rest.split("☐")]
        for key, text in texts_of(library).items():
            assert not any(piece & runs(text, 20) for piece in pieces), (other.key, key)


def test_every_quotation_stands_in_its_work_and_between_marks_in_the_text_that_cites_it(library: Library) -> None:
    quoting = [text for text in library.others.values() if text.quotes]
    assert len(quoting) == 3
    for other in quoting:
        for quote in other.quotes:
            chapters = library.works[quote.work].chapters
            assert any(quote.text in chapter.text for chapter in chapters), quote.text
            assert f"“{quote.text}" in other.text
            assert len(quote.text) <= 35


def test_every_work_names_the_file_or_folder_that_it_came_from(library: Library) -> None:
    for work in library.works.values():
        sources = sorted(work.path.glob("*.txt")) if work.path.is_dir() else [work.path]
        assert [source.read_text(encoding="utf-8").split("\n")[0] for source in sources] == [
            chapter.title for chapter in work.chapters
        ]
