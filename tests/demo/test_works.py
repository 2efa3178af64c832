"""The demo's texts: long enough, each its own, and nothing shared but what is declared as a quotation."""

from itertools import combinations

from deploy.demo.library import load_works
from tests.support.demo_sites import han, runs

WORKS = load_works()


def texts_of() -> dict[tuple[str, int], str]:
    return {(work.key, chapter.number): chapter.text for work in WORKS.values() for chapter in work.chapters}


def test_no_two_works_share_a_run_of_fifteen_characters() -> None:
    for (one, text), (other, rival) in combinations(texts_of().items(), 2):
        assert not runs(text, 15) & runs(rival, 15), (one, other)


def test_no_text_repeats_a_run_of_fifteen_characters_of_its_own() -> None:
    for key, text in texts_of().items():
        assert len(runs(text, 15)) == len(han(text)) - 14, key


def test_every_work_names_the_file_or_folder_that_it_came_from() -> None:
    for work in WORKS.values():
        sources = sorted(work.path.glob("*.txt")) if work.path.is_dir() else [work.path]
        assert [source.read_text(encoding="utf-8").split("\n")[0] for source in sources] == [
            chapter.title for chapter in work.chapters
        ]
