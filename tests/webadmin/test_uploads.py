"""Files that come in with the browser: read by name and content, under limits, and never written where a name says."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from webadmin import uploads
from webadmin.uploads import read_uploads

FIRST = "第一章 水位\n\n渡口的灯是在立冬那天熄的，江面起了雾，对岸的码头像一行被水洇开的字。\n\n"
SECOND = "第二章 暗号\n\n夜里有人敲舱板，三下，停一停，又两下，那是他和弟弟约好的暗号。\n"


def sent(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def zipped(members: dict[str, str | bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def titles(upload: uploads.Upload) -> list[str]:
    return [chapter.title for work in upload.intake.works for chapter in work.file.chapters]


def test_a_text_file_is_a_work_named_by_its_file() -> None:
    (upload,) = read_uploads([sent("《夜航》作者：闻笛.txt", FIRST + SECOND)])
    (work,) = upload.intake.works
    assert (work.file.title, work.file.author) == ("夜航", "闻笛")
    assert titles(upload) == ["第一章 水位", "第二章 暗号"]
    assert upload.faults == []


def test_a_bad_file_is_one_sentence_that_names_it_and_the_good_ones_are_read() -> None:
    good, pdf, empty = read_uploads([sent("甲.txt", FIRST + SECOND), sent("乙.pdf", b"%PDF-1.7"), sent("丙.txt", b"")])
    assert titles(good) == ["第一章 水位", "第二章 暗号"]
    assert (pdf.faults[0].startswith("乙.pdf: is none of the kinds"), len(pdf.faults)) == (True, 1)
    assert empty.faults == ["丙.txt: is empty"]
    assert not pdf.intake.works


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

    def watched(path: Path) -> object:
        seen.extend(each for each in tmp_path.rglob("*.txt") if each.is_file())
        return real(path)

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
    assert refused.faults == ["弹.zip: unpacks to more than 0 MB of text; use zhuiwen work add for it"]
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
    assert upload.faults[0].startswith("外/1.docx: unpacks to more than")


def test_a_zip_without_chapters_and_a_broken_one_are_named() -> None:
    none, broken = read_uploads([sent("图.zip", zipped({"a.jpg": b"x"})), sent("坏.zip", b"PK\x03\x04rest")])
    assert none.faults == ["图.zip: holds no chapter files; put .txt, .md, .html or .docx files into it"]
    assert broken.faults == ["坏.zip: is damaged or no .zip file; save or download it again"]


def test_a_zip_that_could_be_read_in_part_says_so_of_its_work() -> None:
    (upload,) = read_uploads([sent("书.zip", zipped({"1.txt": FIRST, "2.txt": b"", "3.txt": SECOND}))])
    (work,) = upload.intake.works
    assert not work.is_whole
    assert [chapter.number for chapter in work.file.chapters] == [1, 3]
    assert upload.faults == ["书/2.txt: is empty"]


def test_a_very_long_name_is_no_fault() -> None:
    (upload,) = read_uploads([sent("渡" * 120 + ".txt", FIRST + SECOND)])
    assert titles(upload) == ["第一章 水位", "第二章 暗号"]
