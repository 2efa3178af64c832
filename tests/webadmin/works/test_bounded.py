"""Books that people hand on, made to be slow, to swell or spoilt at random: a sentence comes of it and no harm."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import docx
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.errors import UnreadableFile, ZhuiwenError
from laboratory.extraction.mutation import mutated
from tests.webadmin.works.test_books import PROSE, write_epub
from webadmin.works.services import uploads
from webadmin.works.services.intake.bounded import BoundedReader
from webadmin.works.services.intake.division import divide_work, divisions
from webadmin.works.services.intake.files import read_file
from webadmin.works.services.uploads import read_uploads

ROUNDS = 60


def write_docx(path: Path) -> Path:
    document = docx.Document()
    for number in ("一", "二"):
        document.add_heading(f"第{number}章 起锚", 1)
        document.add_paragraph(PROSE)
    document.add_table(1, 2).cell(0, 0).text = "表"
    document.save(str(path))
    return path


def with_members(path: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """The container with its members changed."""
    with zipfile.ZipFile(path) as container:
        members = {each: container.read(each) for each in container.namelist()}
    with zipfile.ZipFile(path, "w") as container:
        for name, content in members.items():
            container.writestr(name, change(name, content))
    return path


def write_bomb(path: Path) -> Path:
    """A cell that says it spans more columns than there is memory for."""

    def widened(name: str, content: bytes) -> bytes:
        return content.replace(b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="2000000000"/>', 1)

    return with_members(write_docx(path), widened)


@pytest.mark.usefixtures("processes")
def test_a_table_that_spans_thousands_of_millions_of_columns_is_given_up(tmp_path: Path) -> None:
    bomb, honest = write_bomb(tmp_path / "bomb.docx"), write_docx(tmp_path / "a.docx")
    with BoundedReader(3.0) as reader:
        with pytest.raises(UnreadableFile, match="could not be read: reading it took"):
            reader.read_file(bomb)
        assert reader.read_file(honest) == read_file(honest)
        slow = tmp_path / "a.txt"
        slow.write_text("".join(f"第{at}{'章回话节'[at % 4]} 渡口\n" for at in range(200)) + PROSE, "utf-8")
        (work,) = reader.read_file(slow).works
        assert [*work.ways] == divisions(replace(work, ways=())), "nobody else has to look for them"
        assert reader.divide_work(work, "whole") == divide_work(work, "whole")
        with pytest.raises(UnreadableFile, match="第N出"):
            reader.divide_work(work, "第N出")


@pytest.mark.usefixtures("processes")
def test_a_given_up_upload_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_SECONDS", 3.0)
    files = [write_bomb(tmp_path / "bomb.docx"), write_docx(tmp_path / "a.docx"), write_epub(tmp_path / "b.epub")]
    bomb, *others = read_uploads([SimpleUploadedFile(path.name, path.read_bytes()) for path in files])
    (fault,) = bomb.faults
    assert str(fault).startswith("bomb.docx: could not be read")
    assert all(each.intake.works and not each.faults for each in others)


def write_jsonl(path: Path) -> Path:
    record = {"work_id": "1", "title": "夜航", "text": PROSE, "chapter": 1}
    path.write_text(json.dumps(record, ensure_ascii=False) + "\n", "utf-8")
    return path


def write_html(path: Path) -> Path:
    path.write_text(f"<html><head><title>夜航</title></head><body><p>{PROSE * 5}</p></body></html>", "utf-8")
    return path


BOOKS = {".epub": write_epub, ".docx": write_docx, ".jsonl": write_jsonl, ".html": write_html}


@pytest.mark.parametrize("suffix", BOOKS)
def test_a_book_that_is_spoilt_is_read_or_refused(suffix: str, tmp_path: Path) -> None:
    rng, path = Random(suffix), tmp_path / f"book{suffix}"
    whole = BOOKS[suffix](path).read_bytes()
    for number in range(ROUNDS):
        if number % 2 and zipfile.is_zipfile(BOOKS[suffix](path)):
            with_members(path, lambda name, content: mutated(content, rng) if rng.random() < 0.3 else content)
        else:
            path.write_bytes(mutated(whole, rng))
        try:
            read_file(path)
        except ZhuiwenError:
            continue
