"""The generated sites: the same bytes for the same seed, and on each page what the plan says of it."""

from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from core.errors import UnreadableFile
from deploy.demo import plan as plans
from deploy.demo.built_in_sites import generate
from deploy.demo.edits import Edit
from deploy.demo.library import Library
from deploy.demo.plan import PagePlan, PageVerdict
from deploy.demo.server import read_plan
from deploy.demo.substitution import in_traditional
from tests.support.demo_sites import Demo, han, runs

FAITHFUL = {Edit.ZERO_WIDTH, Edit.SPACES, Edit.PINYIN_IN_BRACKETS, Edit.HIDDEN}  # every character still in its place
PARTS = "/2）"  # a chapter on two pages


def edits_of(page: PagePlan) -> set[str]:
    return {name.split(":")[0] for name in page.edits}


def source_of(page: PagePlan, library: Library) -> str:
    refs = [*page.works, *page.foreign_works]
    return "".join(library.works[ref.work].chapter(ref.chapter).text for ref in refs)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_gives_others(demo: Demo, tmp_path: Path) -> None:
    generate(tmp_path / "again")
    generate(tmp_path / "other", seed=7)

    assert files_of(tmp_path / "again") == files_of(demo.folder)
    assert files_of(tmp_path / "other") != files_of(demo.folder)


def test_generating_again_leaves_nothing_of_an_earlier_run(tmp_path: Path) -> None:
    generate(tmp_path)
    stray = tmp_path / "sites" / "moxiang" / "stray.html"
    stray.write_text("left over")
    generate(tmp_path)

    assert not stray.exists()


def test_a_run_that_was_cut_off_half_way_does_not_stop_the_next(demo: Demo, tmp_path: Path) -> None:
    (tmp_path / "sites.new" / "moxiang").mkdir(parents=True)
    (tmp_path / "sites.old" / "hanmo").mkdir(parents=True)
    (tmp_path / "expected.json.new").write_text("{", encoding="utf-8")
    generate(tmp_path)

    assert files_of(tmp_path) == files_of(demo.folder)


def test_the_plan_survives_its_file(demo: Demo) -> None:
    assert plans.load(demo.folder) == demo.plan


def test_a_folder_without_a_plan_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"expected\.json.*zhuiwen demo"):
        read_plan(tmp_path)


def test_there_are_seven_sites_in_three_encodings_with_sixty_pages_or_more(demo: Demo) -> None:
    assert Counter(site.encoding for site in demo.plan.sites) == {"utf-8": 5, "gb18030": 1, "big5": 1}
    assert {site.role for site in demo.plan.sites} == {"pirate", "mixed", "licensed", "own"}
    assert 60 <= sum(1 for _ in demo.pages()) <= 100
    for site in demo.plan.sites:
        paths = [page.path for page in site.pages]
        assert len(set(paths)) == len(paths)


def test_every_obfuscation_stands_on_two_pages_or_more_that_are_to_be_found(demo: Demo) -> None:
    copies = [page for _, page in demo.pages() if page.verdict is PageVerdict.COPY]
    counts = Counter(edit for page in copies for edit in edits_of(page))
    strengths = Counter(name for page in copies for name in page.edits if name.startswith("homophones"))

    assert min(counts[edit] for edit in Edit) >= 2, counts
    assert strengths["homophones:0.1"] >= 2
    assert strengths["homophones:0.25"] >= 2
    assert sum(len(page.edits) > 1 for page in copies) >= 2
    assert sum(not page.edits for page in copies) >= 2


def test_there_are_innocent_pages_of_every_sort(demo: Demo) -> None:
    counts = Counter(page.verdict for _, page in demo.pages() if not page.is_index)

    assert min(counts[verdict] for verdict in PageVerdict) >= 3, counts


def test_every_copy_says_what_it_copies_and_how_it_may_be_called(demo: Demo) -> None:
    for site, page in demo.pages():
        is_copy = page.verdict is PageVerdict.COPY
        assert bool(page.classes) == is_copy, (site.key, page.path)
        assert is_copy or not page.obfuscations
        if is_copy:
            assert page.works


def test_a_page_counts_for_the_holder_who_watches_its_site_only(demo: Demo, library: Library) -> None:
    foreign = 0
    for site, page in demo.pages():
        assert all(library.works[ref.work].rights_holder == site.rights_holder for ref in page.works)
        assert all(library.works[ref.work].rights_holder != site.rights_holder for ref in page.foreign_works)
        foreign += bool(page.foreign_works)

    assert foreign >= 3


def test_only_the_portals_licence_covers_what_is_called_licensed(demo: Demo) -> None:
    for site, page in demo.pages():
        is_covered = bool(page.works) and all(ref.work in site.licensed_works for ref in page.works)
        assert (page.verdict is PageVerdict.LICENSED) == is_covered, (site.key, page.path)
    portal = demo.plan.site("shuhai")
    assert any(page.verdict is PageVerdict.COPY for page in portal.pages)


def test_a_page_without_changes_carries_its_source_word_for_word(demo: Demo, library: Library) -> None:
    checked = 0
    for site, page in demo.pages():
        if (page.works or page.foreign_works) and not page.edits and PARTS not in page.title:
            text = demo.text(site, page)
            for line in source_of(page, library).split("\n"):
                assert line in text, (site.key, page.path)
            checked += 1

    assert checked >= 15


def test_two_half_pages_make_a_whole_chapter(demo: Demo, library: Library) -> None:
    site = demo.plan.site("moxiang")
    chapters = [page for page in site.pages if PARTS in page.title]
    assert len(chapters) == 2
    for first in chapters:
        second = replace(first, path=first.path.replace(".html", "_2.html"))
        lines = source_of(first, library).split("\n")
        texts = demo.text(site, first), demo.text(site, second)
        where = [tuple(line in text for text in texts) for line in lines]
        assert where == sorted(where, reverse=True)
        assert set(where) == {(True, False), (False, True)}
        assert "下一页" in texts[0]


def test_what_is_only_put_between_characters_leaves_them_all_on_the_page(demo: Demo, library: Library) -> None:
    pages = [
        (site, page)
        for site, page in demo.pages()
        if page.works and edits_of(page) and edits_of(page) <= FAITHFUL and PARTS not in page.title
    ]
    assert len(pages) >= 6
    for site, page in pages:
        assert han(source_of(page, library)) in han(demo.text(site, page)), (site.key, page.path)


def test_traditional_pages_carry_the_converted_text_and_big5_misses_none_of_it(demo: Demo, library: Library) -> None:
    site = demo.plan.site("hanmo")
    converted = [page for page in site.pages if edits_of(page) == {Edit.TRADITIONAL} and page.works]
    assert converted
    for page in converted:
        assert han(in_traditional(source_of(page, library))) in han(demo.text(site, page))
    raw = b"".join(demo.content(site, page.path) for page in site.pages)
    assert b"&#" in raw
    assert "�" not in unescape(raw.decode("big5"))


def test_an_excerpt_and_a_patchwork_carry_a_part_of_each_work_and_not_the_whole(demo: Demo, library: Library) -> None:
    for site, page in demo.pages():
        if edits_of(page) & {Edit.EXCERPT, Edit.PATCHWORK} and Edit.TRADITIONAL_TAIWAN not in edits_of(page):
            text = runs(demo.text(site, page), 20)
            for ref in [*page.works, *page.foreign_works]:
                source = runs(library.works[ref.work].chapter(ref.chapter).text, 20)
                assert 0.15 < len(text & source) / len(source) < 0.8, (site.key, page.path)


def test_an_innocent_page_shares_no_long_run_with_any_work_of_its_watcher(demo: Demo, library: Library) -> None:
    for site, page in demo.pages():
        if page.verdict is PageVerdict.INNOCENT:
            text = runs(demo.text(site, page), 20)
            for work in library.works.values():
                if work.rights_holder == site.rights_holder:
                    assert not any(text & runs(chapter.text, 20) for chapter in work.chapters), (site.key, page.path)


def test_one_page_is_not_in_the_encoding_that_it_declares(demo: Demo) -> None:
    site = demo.plan.site("kuaiwen")
    liars = [page for page in site.pages if page.encoding != site.encoding]
    assert len(liars) == 1
    content = demo.content(site, liars[0].path)
    assert b'charset="utf-8"' in content
    with pytest.raises(UnicodeDecodeError):
        content.decode("utf-8")


def test_the_closed_area_holds_a_copy_that_robots_txt_forbids_and_the_sitemap_does_not_name(
    demo: Demo, library: Library
) -> None:
    site = demo.plan.site("moxiang")
    (closed,) = site.forbidden_paths

    assert library.works["steelyard"].chapter(1).text.split("\n")[3] in demo.content(site, closed).decode()
    assert "Disallow: /vip/" in demo.content(site, "/robots.txt").decode().split("\n")
    assert closed not in demo.content(site, "/sitemap.xml").decode()
    assert closed in demo.content(site, "/").decode()
    assert closed not in [page.path for page in site.pages]
