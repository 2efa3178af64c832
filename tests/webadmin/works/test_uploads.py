"""Files that come in with the browser: read by name and content, under limits, and never written where a name says."""

import io
import zipfile
from pathlib import Path

import docx
import pytest

from tests.webadmin.works.conftest import FIRST, SECOND
from tests.webadmin.works.conftest import file_of as sent
from webadmin.works.services import uploads
from webadmin.works.services.uploads import read_uploads

pytestmark = pytest.mark.usefixtures("processes")


def zipped(members: dict[str, str | bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def said(upload: uploads.Upload) -> list[str]:
    return [str(fault) for fault in upload.faults]


def titles(upload: uploads.Upload) -> list[str]:
    return [chapter.title for work in upload.intake.works for chapter in work.file.chapters]


def test_a_bad_file_is_one_sentence_that_names_it_and_the_good_ones_are_read() -> None:
    good, other, empty = read_uploads([sent("甲.txt", FIRST + SECOND), sent("乙.mobi", b"MOBI"), sent("丙.txt", b"")])
    assert titles(good) == ["第一章 水位", "第二章 暗号"]
    assert (str(other.faults[0]).startswith("乙.mobi: is not a supported file"), len(other.faults)) == (True, 1)
    assert said(empty) == ["丙.txt: is empty"]
    assert not other.intake.works


def test_a_zip_of_chapters_is_one_work_in_the_order_of_its_names() -> None:
    content = zipped(
        {"10.txt": SECOND, "2.txt": FIRST, "cover.jpg": b"\xff\xd8", "__MACOSX/._2.txt": "渡", ".x.txt": "渡"}
    )
    (upload,) = read_uploads([sent("渡口夜灯.zip", content)])
    (work,) = upload.intake.works
    assert work.file.title == "渡口夜灯"
    assert titles(upload) == ["第一章 水位", "第二章 暗号"]
    assert upload.faults == []


def test_names_in_a_zip_from_windows_are_read_as_they_were_meant() -> None:
    meant = "终章.txt"
    content = zipped({"x" * len(meant.encode("gb18030")): "渡口的灯是在立冬那天熄的。"})
    (upload,) = read_uploads([sent("书.zip", content.replace(b"x" * 8, meant.encode("gb18030")))])
    assert titles(upload) == ["终章"]


@pytest.mark.parametrize("name", ["../../escaped.txt", "/tmp/escaped.txt", "C:\\escaped.txt", "a/../../escaped.txt"])
def test_a_zip_cannot_write_outside_its_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "held").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "held"))
    seen: list[Path] = []
    real = uploads.read_works

    def watched(path: Path, *others: object) -> object:
        seen.extend(each for each in tmp_path.rglob("*.txt") if each.is_file())
        return real(path, *others)

    monkeypatch.setattr(uploads, "read_works", watched)
    (upload,) = read_uploads([sent("书.zip", zipped({"1.txt": FIRST, name: SECOND}))])
    assert [path.name for path in seen] == ["1.txt"]
    assert not Path("/tmp/escaped.txt").exists()
    assert titles(upload) == ["第一章 水位"]


def test_nothing_stays_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    read_uploads([sent("甲.txt", FIRST), sent("书.zip", zipped({"1.txt": FIRST})), sent("乙.zip", b"no zip")])
    assert list(tmp_path.iterdir()) == []


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1_000_000)
    bomb = zipped({"1.txt": "渡" * 1_000_000})
    assert len(bomb) < 20_000
    refused, after = read_uploads([sent("弹.zip", bomb), sent("甲.zip", zipped({"1.txt": FIRST}))])
    assert said(refused) == ["弹.zip: unpacks to more than 0 MB of text; use zhuiwen work add"]
    assert titles(after) == ["第一章 水位"]


def test_many_small_bombs_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1_000_000)
    small = zipped({"1.txt": FIRST + "渡" * 200_000})
    results = read_uploads([sent(f"{number}.zip", small) for number in range(3)])
    assert [bool(each.faults) for each in results] == [False, True, True]


def test_a_bomb_inside_a_zip_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1_000_000)
    inner = zipped({"word/document.xml": "<w>" + "x" * 2_000_000})
    (upload,) = read_uploads([sent("外.zip", zipped({"1.docx": inner}))])
    assert str(upload.faults[0]).startswith("外/1.docx: unpacks to more than")


def test_a_zip_without_chapters_and_a_broken_one_are_named() -> None:
    none, broken = read_uploads([sent("图.zip", zipped({"a.jpg": b"x"})), sent("坏.zip", b"PK\x03\x04rest")])
    assert said(none) == ["图.zip: contains no chapter files; add .txt, .md, .html or .docx files to it"]
    assert said(broken) == ["坏.zip: is damaged or not a .zip file; save or download it again"]


def test_a_book_that_lists_one_page_many_times_has_it_once() -> None:
    package = (
        '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        "<spine>" + "<itemref idref='a'/>" * 50 + "</spine></package>"
    )
    members = {
        "META-INF/container.xml": '<container><rootfile full-path="p.opf"/></container>',
        "p.opf": package,
        "a.xhtml": f"<html><body><h1>水位</h1><p>{FIRST}</p></body></html>",
    }
    (upload,) = read_uploads([sent("书.epub", zipped(members))])
    assert len(upload.intake.works[0].file.chapters) == 1


@pytest.mark.parametrize(("name", "reason"), [("MAX_CHARS", "characters"), ("MAX_TEXTS", "chapters")])
def test_all_files_share_one_limit_of_text(name: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    most = {"MAX_CHARS": len(FIRST + SECOND) + 5, "MAX_TEXTS": 3}[name]
    monkeypatch.setattr(uploads, name, most)
    first, second = read_uploads(
        [sent("甲.txt", FIRST + SECOND), sent("乙.zip", zipped({"1.txt": FIRST * 2, "2.txt": SECOND}))]
    )
    assert titles(first) == ["第一章 水位", "第二章 暗号"]
    assert any(f"has more {reason} than one upload can have" in str(fault) for fault in second.faults)
    assert sum(len(work.file.chapters) for work in second.intake.works) <= 1


def test_the_pictures_of_a_word_file_are_part_of_what_it_unpacks_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1_000_000)
    (upload,) = read_uploads([sent("图.docx", zipped({"word/media/a.png": b"\x00" * 2_000_000}))])
    assert said(upload) == ["图.docx: unpacks to more than 0 MB of text; use zhuiwen work add"]


HOSTILE = {
    "a file that is a folder too": ("书.zip", {"a.txt": FIRST, "a.txt/b.txt": SECOND}),
    "two names that become one": ("书.zip", {"渡" * 70 + "甲.txt": FIRST, "渡" * 70 + "乙.txt": SECOND}),
    "a part with a name of dots": ("书.zip", {"..zip": b"x", "....txt": FIRST}),
    "no XML at all": ("书.epub", {"META-INF/container.xml": ""}),
    "a spine of nothing": ("书.epub", {"META-INF/container.xml": "<a><rootfile full-path='\x01'/></a>"}),
    "a document of nothing": ("书.docx", {"word/document.xml": ""}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_one_sentence(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    name, members = HOSTILE[case]
    (upload,) = read_uploads([sent(name, zipped(members))])
    assert upload.faults
    for sentence in said(upload):
        assert sentence.startswith("书")
        assert str(tmp_path) not in sentence
        assert len(sentence) < 600


@pytest.mark.parametrize("name", ["..zip", "...zip", "....txt", "渡" * 300 + ".zip", ".txt"])
def test_any_name_is_read_or_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content = zipped({"1.txt": FIRST, "2.txt": SECOND}) if name.endswith("zip") else FIRST + SECOND
    (upload,) = read_uploads([sent(name, content)])
    assert upload.intake.works or upload.faults
    assert not any(str(tmp_path) in sentence for sentence in said(upload))


def test_a_file_damaged_at_any_place_is_read_or_named() -> None:
    held = io.BytesIO()
    document = docx.Document()
    document.add_heading("第一章 水位", 1)
    document.add_paragraph(FIRST)
    document.save(held)
    book = zipped({"META-INF/container.xml": "<container><rootfile full-path='p.opf'/></container>", "p.opf": "<p/>"})
    for name, whole in (("书.docx", held.getvalue()), ("书.epub", book), ("书.zip", zipped({"1.txt": FIRST}))):
        places = range(0, len(whole), max(1, len(whole) // 40))
        damaged = [sent(name, whole[:place] + b"\xb3\x00\xff" + whole[place + 3 :]) for place in places]
        for upload in read_uploads(damaged):
            assert upload.intake.works or upload.faults
