"""Books with a few bytes that are no characters: these are replaced and told; more of them refuse the book."""

import zipfile
from pathlib import Path

import pytest

from core.errors import UnreadableFile
from core.works import WorkFile
from tests.support.books import epub_of
from webadmin.works.services.intake.files import read_work, read_works

LINE = "江面起了霧，那人站在渡口，已有三月不曾回去。"  # in each of the encodings
TEXT = "".join(f"第{number}章\n" + f"{LINE}\n" * 45 for number in range(1, 31))  # 32,000 characters
BROKEN = b"\xff"


def read(path: Path) -> WorkFile:
    (work,) = read_work(path)
    return work


def spoilt(encoding: str, count: int, at: int = 6) -> bytes:
    """The book with as many bad bytes, each in front of a line, from one line on."""
    lines = TEXT.encode(encoding).split(b"\n")
    for number in range(at, at + count):
        lines[number] = BROKEN + lines[number]
    return b"\n".join(lines)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "big5"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_few_broken_characters_are_replaced_and_told(encoding: str, count: int, tmp_path: Path) -> None:
    path = tmp_path / "书.txt"
    path.write_bytes(spoilt(encoding, count))
    work = read(path)
    assert "".join(each.text for each in work.chapters).replace("\ufffd", "") == TEXT
    (flaw,) = map(str, work.flaws)
    lines = ", ".join(str(7 + at) for at in range(count))
    assert flaw == f"broken characters in the file, shown as �: {count}, in line {lines}"
    assert len(work.chapters) == 30


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "big5"])
@pytest.mark.parametrize("byte", [0, 1])
def test_an_overwritten_byte_spoils_one_character(byte: int, encoding: str, tmp_path: Path) -> None:
    data = bytearray((LINE * 60).encode(encoding))
    at = len(LINE.encode(encoding)) * 3 + byte
    data[at : at + 1] = BROKEN
    path = tmp_path / "书.txt"
    path.write_bytes(data)
    work = read(path)
    (chapter,) = work.chapters
    before, lost, behind = chapter.text.partition("\ufffd")
    assert (before, behind.lstrip("\ufffd")) == (LINE * 3, (LINE * 57)[1:])
    assert lost
    assert "shown as �: 1, in line 1" in str(*work.flaws)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8", "utf-16"])
def test_more_than_one_in_ten_thousand_refuse_the_book(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "书.txt"
    data = TEXT.encode(encoding)
    at = len(data) // 2
    path.write_bytes(data[:at] + (b"\x00\xdc" * 12 if encoding == "utf-16" else BROKEN * 12) + data[at:])
    with pytest.raises(UnreadableFile, match=r"but 4 of its 3\d,\d{3} characters are broken, the first at byte"):
        read_works(path)


def test_what_was_lost_before_and_stands_in_the_file_as_such_is_no_flaw(tmp_path: Path) -> None:
    path = tmp_path / "书.txt"
    path.write_text(TEXT.replace("灯", "\ufffd", 1), "utf-8")
    assert not read(path).flaws


def test_a_part_of_an_epub_with_a_broken_character_does_not_refuse_the_book(tmp_path: Path) -> None:
    chapters = {f"第{number}章": [LINE] * 60 for number in range(1, 21)}
    whole = epub_of("夜航", chapters)
    path = tmp_path / "书.epub"
    path.write_bytes(whole)
    clean = read(path)
    with zipfile.ZipFile(path) as container:
        members = {name: container.read(name) for name in container.namelist()}
    members["c3.xhtml"] = members["c3.xhtml"].replace(LINE.encode(), BROKEN + LINE.encode(), 1)
    with zipfile.ZipFile(path, "w") as container:
        for name, content in members.items():
            container.writestr(name, content)
    work = read(path)
    assert [each.title for each in work.chapters] == [each.title for each in clean.chapters]
    assert str(*work.flaws) == "broken characters in the file, shown as �: 1, in c3.xhtml"
