"""Folders of unseen pages out of git copies of repositories."""

import json
import subprocess
from pathlib import Path

import pytest

from core.errors import UnreadableFile
from laboratory.extraction import unseen_pages
from laboratory.extraction.saved_pages import saved_pages

HEAD = "repository\tcommit\tpath\tsite\tkind\tpage\treference\twithout\tcomment\tteaser\ttitle\tauthor\tdate"
PAGE = (
    "<html><body><h1>老渡口</h1><div id='text'><p>石阶上坐满了人。</p><i>分享</i><script>x()</script></div>"
    "<ol><li>我也在那里。</li></ol></body></html>"
)


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@a.example")
    return subprocess.run(
        ["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def mirrors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: None) -> Path:
    copy = tmp_path / "mirrors" / "江城+pages"
    copy.mkdir(parents=True)
    git(copy, "init", "-q")
    (copy / "labels.json").write_text(json.dumps({"a": {"content": "石阶上坐满了人。![灯](lamp.png)"}}))
    (copy / "expected.html").write_text("<div><p>石阶上坐满了人。</p></div>", encoding="utf-8")
    (copy / "a.html").write_text(PAGE, encoding="utf-8")
    (copy / "b.html").write_text(PAGE, encoding="gb18030")
    git(copy, "add", ".")
    git(copy, "commit", "-q", "-m", "pages")
    commit = git(copy, "rev-parse", "HEAD").strip()
    rows = [
        f"江城/pages\t{commit}\ta.html\tone.example\tlabels\tnews\tlabels:labels.json\t\t\t\t老渡口\t沈知微\t2026-03-01",
        f"江城/pages\t{commit}\tb.html\ttwo.example\tcontainer\tblog\tcontainer://*[@id='text']\t//i\t//ol\t\t\t\t",
        f"江城/pages\t{commit}\tb.html\tthree.example\tcontainer\tblog\tmarkup:expected.html\t\t\t\t\t\t",
    ]
    table = tmp_path / "table.tsv"
    table.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    monkeypatch.setattr(unseen_pages, "TABLE", table)
    return copy.parent


def test_every_page_gets_its_reference_and_every_site_one_half(mirrors: Path, tmp_path: Path) -> None:
    counts = unseen_pages.build(mirrors, tmp_path / "out")
    pages = {half: saved_pages(tmp_path / "out" / half) for half in unseen_pages.HALVES}
    assert counts == {half: len(found) for half, found in pages.items()} == {"open": 2, "closed": 1}
    assert {page.text for found in pages.values() for page in found} == {"石阶上坐满了人。"}
    assert {page.encoding for found in pages.values() for page in found} == {"utf-8", "gb18030"}
    assert {page.page_kind for found in pages.values() for page in found} == {"news", "blog"}
    assert [dict(page.zones) for found in pages.values() for page in found if page.zones] == [
        {"comment": "我也在那里。"}
    ]
    assert [page.author for found in pages.values() for page in found if page.author] == ["沈知微"]


def test_pages_of_one_kind_stay_in_the_half_of_their_site(mirrors: Path, tmp_path: Path) -> None:
    whole = unseen_pages.build(mirrors, tmp_path / "all")
    assert unseen_pages.build(mirrors, tmp_path / "some", "container") == {"open": whole["open"] - 1, "closed": 1}


def test_the_halves_of_the_published_table_hold_no_site_together() -> None:
    rows = [dict(zip(HEAD.split("\t"), line.split("\t"), strict=True)) for line in _table()]
    halves = unseen_pages.halves_of(rows)
    assert set(halves.values()) == set(unseen_pages.HALVES)
    assert len(rows) >= 60
    assert len(halves) >= 25


def test_a_repository_that_is_not_there_is_named(mirrors: Path, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="江城"):
        unseen_pages.build(tmp_path / "nowhere", tmp_path / "out")


def _table() -> list[str]:
    path = Path(unseen_pages.__file__).with_suffix(".tsv")
    return path.read_text(encoding="utf-8").splitlines()[1:]
