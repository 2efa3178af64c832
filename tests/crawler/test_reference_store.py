"""The faces that glyphs are compared with are drawn once on a machine, and what is kept is what was drawn."""

import multiprocessing
import os
import pickle
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random

import numpy as np
import pytest

from core.obfuscations import Obfuscation
from core.pages import Reading
from crawler.obfuscation import reference_fonts
from crawler.obfuscation.glyph_shapes import FEATURES, KEPT, GlyphModel
from crawler.obfuscation.reference_fonts import (
    ReferenceFonts,
    ReferenceStore,
    _key,
    _known_chars,
    _open_faces,
    free_fonts,
)
from crawler.readers.pages import PageToRead, SinglePage
from crawler.readers.reading_process import ReadingProcess
from laboratory.extraction.obfuscated_pages.glyphs import drawer
from laboratory.extraction.obfuscated_pages.page import ADDRESS, page_of
from laboratory.extraction.obfuscated_pages.prose import paragraphs
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.support.machine_cache import MACHINE_CACHE
from tests.support.web_server import Answer, WebServer

FACES, CHARS = 2, 30
has_faces = pytest.mark.skipif(not free_fonts(), reason="this machine has no free Chinese face to compare with")


def some(seed: int = 1) -> GlyphModel:
    rng = np.random.default_rng(seed)
    shapes = ((FEATURES,), (FEATURES, KEPT), (FACES, CHARS, KEPT))
    center, axes, faces = (rng.standard_normal(shape, np.float32) for shape in shapes)
    return GlyphModel(center, axes, faces)


def never() -> GlyphModel:
    raise AssertionError("drawn again")


def get(folder: Path, draw: Callable[[], GlyphModel] = never, key: str = "k") -> GlyphModel:
    return ReferenceStore(folder).get(key, FACES, CHARS, draw)


def are_same(one: GlyphModel, other: GlyphModel) -> bool:
    pairs = ((one.center, other.center), (one.axes, other.axes), (one.faces, other.faces))
    return all(left.dtype == right.dtype and left.tobytes() == right.tobytes() for left, right in pairs)


def test_what_was_drawn_once_is_found_to_the_last_bit_and_cannot_be_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    assert are_same(get(folder, some), some())
    found = get(folder)
    assert are_same(found, some())
    assert not any(part.flags.writeable for part in (found.center, found.axes, found.faces))


class _Trap:
    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (3,)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: b"\0" * len(data),
        lambda data: pickle.dumps(_Trap()).ljust(len(data), b"\0"),
    ],
)
def test_a_damaged_file_is_drawn_anew_and_replaced(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    get(tmp_path, some)
    file = tmp_path / "references-k.npy"
    file.write_bytes(damage(file.read_bytes()))
    assert are_same(get(tmp_path, some), some())
    assert are_same(get(tmp_path), some())


@pytest.mark.parametrize("folder", ["file/within", "/proc/none"])
def test_a_folder_that_takes_no_files_is_gone_without(
    tmp_path: Path, folder: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    assert are_same(get(tmp_path / folder, some), some())
    (record,) = caplog.records
    assert record.getMessage().startswith("drawn references are not kept in ")


def test_what_is_old_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / "others.txt").touch()
    for number in range(7):
        get(tmp_path, some, f"k{number}")
        os.utime(tmp_path / f"references-k{number}.npy", (number, number))
    assert {path.name for path in tmp_path.iterdir()} == {
        "others.txt",
        "references.lock",
        *(f"references-k{number}.npy" for number in range(3, 7)),
    }


def _draw_slowly(folder: Path, drawing: Event, may_end: Event) -> None:
    def draw() -> GlyphModel:
        with (folder / "drawn").open("a") as log:
            log.write("x")
        drawing.set()
        assert may_end.wait(60)
        return some()

    assert are_same(get(folder, draw), some())


@pytest.mark.usefixtures("processes")
def test_of_two_processes_at_once_one_draws(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    drawing, may_end = fork.Event(), fork.Event()
    first, second = (fork.Process(target=_draw_slowly, args=(tmp_path, drawing, may_end)) for _ in range(2))
    first.start()
    assert drawing.wait(60)
    second.start()
    may_end.set()
    for each in (first, second):
        each.join(60)
        assert each.exitcode == 0
    assert (tmp_path / "drawn").read_text() == "x"


@has_faces
@pytest.mark.usefixtures("processes")
def test_references_are_the_same_to_the_last_bit_with_and_without_a_folder(tmp_path: Path) -> None:
    """The folder of the tests is not of this run alone: what is found there is what would be drawn now."""
    paths = free_fonts()[:1]
    fresh, kept = ReferenceFonts(paths).index, ReferenceFonts(paths, MACHINE_CACHE).index
    assert are_same(fresh._known, kept._known)
    rng = np.random.default_rng(1)
    rasters = list(rng.integers(0, 256, (9, 40, 40), np.uint8))
    rows, others = fresh.similarities(rasters), kept.similarities(rasters)
    assert rows.tobytes() == others.tobytes()
    assert [fresh.candidates(row) for row in rows] == [kept.candidates(row) for row in others]


@has_faces
@pytest.mark.parametrize("way", ["remapped_font", "pictures"])
@pytest.mark.usefixtures("processes")
def test_nothing_is_drawn_for_a_page_whose_font_and_pictures_cannot_be_had(way: str, tmp_path: Path) -> None:
    rng = Random(3)
    page = page_of("x", None, getattr(drawer(free_fonts()[0]), way)(paragraphs(rng), rng))
    assert page.files
    by_itself(page.html.encode(), tmp_path)
    assert list(tmp_path.iterdir()) == []


@has_faces
def test_what_has_a_part_in_the_drawing_is_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    font = tmp_path / "a.otf"
    font.write_bytes(free_fonts()[0].read_bytes())
    keys = [_key(_open_faces(free_fonts()[:1]), "渡口"), _key(_open_faces([font]), "渡口")]
    assert keys[0] == keys[1] != ""
    with font.open("ab") as file:
        file.write(b"\0")
    keys += [
        _key(_open_faces([font]), "渡口"),
        _key(_open_faces([font]), "渡船"),
        _key(_open_faces([font] * 2), "渡口"),
    ]
    source = tmp_path / "source.py"
    source.write_text("FIELDS = 11")
    monkeypatch.setattr(reference_fonts, "_SOURCES", (str(source),))
    keys.append(_key(_open_faces([font]), "渡口"))
    monkeypatch.setattr(reference_fonts, "np", type("Numpy", (), {"__version__": "0"}))
    keys.append(_key(_open_faces([font]), "渡口"))
    assert len(set(keys)) == len(keys) - 1
    source.unlink()
    assert _key(_open_faces([font]), "渡口") == ""


@pytest.fixture
def blind(tmp_path: Path) -> Path:
    """A folder whose references, well kept, are like no glyph: whoever compares with them reads no font."""
    usual, more = _known_chars()
    faces, chars = _open_faces(free_fonts()), [*usual, *more]
    shapes = ((FEATURES,), (FEATURES, KEPT), (len(faces), len(chars), KEPT))
    nothing = GlyphModel(*(np.zeros(shape, np.float32) for shape in shapes))
    ReferenceStore(tmp_path).get(_key(faces, chars), len(faces), len(chars), lambda: nothing)
    return tmp_path


@pytest.fixture(scope="module")
def garbled() -> bytes:
    """A page whose font stands in the page itself."""
    rng = Random(1)
    page = page_of("x", None, drawer(free_fonts()[0]).remapped_font(paragraphs(rng), rng)).html.encode()
    assert b"url(data:font/ttf" in page
    return page


HEADERS = {"Content-Type": "text/html; charset=utf-8"}


def in_a_crawl(page: bytes, cache: Path) -> Reading:
    with WebServer({"/": Answer(page)}) as site:
        crawled = crawl(plan_of(site.url("/")), settings_of(site.netloc, cache=cache))
        return crawled.reading(site.netloc)


def in_a_reading_process(page: bytes, cache: Path) -> Reading:
    with ReadingProcess(plan_of(ADDRESS), cache=cache) as process:
        found = process.run_task(PageToRead(page, HEADERS, ADDRESS, is_kept=True)).reading
    assert isinstance(found, Reading)
    return found


def by_itself(page: bytes, cache: Path) -> Reading:
    with ReadingProcess(cache=cache) as process:
        found = process.run_task(SinglePage(page, HEADERS, ADDRESS, is_seen=True))
    assert isinstance(found, Reading)
    return found


@pytest.mark.usefixtures("processes")
@has_faces
@pytest.mark.parametrize("read", [in_a_crawl, in_a_reading_process, by_itself])
def test_whoever_reads_pages_takes_the_references_from_the_folder_that_it_is_told(
    read: Callable[[bytes, Path], Reading], garbled: bytes, blind: Path
) -> None:
    assert Obfuscation.FONT not in {one.kind for one in read(garbled, blind).obfuscations}
