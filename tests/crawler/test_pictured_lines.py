"""Lines that a recogniser saw -> paragraphs in order; and which pictures look like text at all, without one."""

from io import BytesIO
from random import Random

import numpy as np
import pytest
from PIL import Image, ImageDraw

from crawler.obfuscation.page_picture import MIN_TILE_ROWS, TILE_ROWS, SeenLine, looks_like_text, open_picture, tiles
from crawler.obfuscation.pictured_lines import is_line_alike, is_running_text, pictured_texts
from crawler.obfuscation.reference_fonts import free_fonts
from crawler.obfuscation.text_process import SeenPicture
from laboratory.extraction.obfuscated_pages.prose import paragraphs
from tests.support.pictured_text import Style, pictures_of

MOST = 16_000_000
SIZE, WIDTH = 20, 400
needs_face = pytest.mark.skipif(not free_fonts(), reason="this machine has no free Chinese face to draw with")


def line(text: str, top: int, left: int = 0, size: int = SIZE, confidence: float = 0.99) -> SeenLine:
    return SeenLine(left, top, left + size * len(text), top + size, text, confidence)


def picture(*lines: SeenLine, height: int = 200) -> SeenPicture:
    return SeenPicture(height, WIDTH, looks_like_text=True, lines=lines)


FULL = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来"  # 18 characters: from an indent to the edge
WHOLE = "寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨"  # 20


def test_a_first_line_that_is_set_in_begins_a_paragraph_and_all_others_go_on() -> None:
    seen = picture(line(FULL, 0, 40), line(WHOLE, 30), line("露结为霜。", 60), line(FULL, 90, 40), line(WHOLE, 120))
    (text,) = pictured_texts([seen])
    assert text.paragraphs == (f"{FULL}{WHOLE}露结为霜。", f"{FULL}{WHOLE}")
    assert not text.may_go_on_from_before
    assert text.goes_on


def test_where_nothing_is_set_in_a_short_line_ends_a_paragraph() -> None:
    seen = picture(line(WHOLE, 0), line("露结为霜。", 30), line(WHOLE, 60), line(WHOLE, 90), line("金生丽水。", 120))
    (text,) = pictured_texts([seen])
    assert text.paragraphs == (f"{WHOLE}露结为霜。", f"{WHOLE}{WHOLE}金生丽水。")
    assert text.may_go_on_from_before
    assert not text.goes_on


def test_more_distance_and_another_size_part_paragraphs() -> None:
    heading = line("第一章", 0, size=34)
    seen = picture(heading, line(WHOLE, 60), line(WHOLE, 90), line(WHOLE, 120), line(WHOLE, 170))
    assert pictured_texts([seen])[0].paragraphs == ("第一章", WHOLE * 3, WHOLE)


def test_a_mark_that_must_not_begin_a_line_makes_the_one_above_no_last_one() -> None:
    seen = picture(line(FULL, 0, 40), line(WHOLE[:18], 30), line(WHOLE, 60), line("霜。", 90))
    assert len(pictured_texts([seen])[0].paragraphs) == 1


def test_pictures_of_one_line_each_are_set_in_by_the_edge_of_all() -> None:
    lines = (line(FULL, 5, 40), line(WHOLE, 5), line("露结为霜。", 5), line(FULL, 5, 40))
    texts = pictured_texts([picture(each, height=30) for each in lines])
    assert [text.may_go_on_from_before for text in texts] == [False, True, True, False]
    assert [text.goes_on for text in texts] == [True, True, False, True]


def test_columns_are_read_from_right_to_left() -> None:
    columns = [
        SeenLine(left, 0 if left else 40, left + SIZE, 400, text, 0.99)
        for left, text in ((0, "丙" * 18), (40, "乙" * 20), (80, "甲" * 20))
    ]
    seen = SeenPicture(400, 110, looks_like_text=True, lines=tuple(columns))
    assert "".join(pictured_texts([seen])[0].paragraphs) == "甲" * 20 + "乙" * 20 + "丙" * 18


def test_pieces_of_one_line_stand_beside_each_other() -> None:
    seen = picture(line("宇宙", 2, 100), line("天地玄黄", 0), line(WHOLE, 30))
    assert "".join(pictured_texts([seen])[0].paragraphs).startswith("天地玄黄宇宙")


def test_balloons_posters_and_doubtful_lines_are_no_running_text() -> None:
    text = [line(WHOLE, top) for top in (0, 30, 60)]
    assert is_running_text(picture(*text))
    balloons = [line("你好", 0), line("走吧", 50, 100), line("等等我", 90, 220), line("好的", 140)]
    assert not is_running_text(picture(*balloons))
    poster = [
        line("限时特惠", 0, size=80),
        line("扫码下载看全本小说", 100, size=40),
        line("更多好书等着你来", 150, size=18),
    ]
    assert not is_running_text(picture(*poster))
    assert not is_running_text(picture(*(line(WHOLE, top, confidence=0.6) for top in (0, 30, 60))))
    assert not is_running_text(picture(*(line("MADE IN CHINA 2026 LTD", top) for top in (0, 30, 60))))
    assert not is_running_text(picture(line(WHOLE, 0), height=3_000))
    assert not is_running_text(picture())


def test_a_short_paragraph_counts_beside_others_of_its_size() -> None:
    short = picture(line("他走了。", 5), height=30)
    assert not is_running_text(short)
    assert is_line_alike(short, 20.0)
    assert not is_line_alike(short, 40.0)


@needs_face
@pytest.mark.parametrize(
    "style",
    [
        {},
        {"ink": (210, 210, 210), "ground": (20, 20, 30)},
        {"format": "JPEG", "noise": 8.0},
        {"watermark": "墨香阁"},
        {"size": 16, "width": 360, "spacing": 1.3},
        {"size": 32},
        {"is_upright": True},
    ],
)
def test_drawn_text_looks_like_text(style: dict[str, object]) -> None:
    drawn = Style("", free_fonts()[0], **style)  # type: ignore[arg-type]
    for count in (1, 6):
        (data,) = pictures_of(paragraphs(Random(1), count), drawn)
        grey = open_picture(data, MOST)
        assert grey is not None
        assert looks_like_text(grey)


@needs_face
def test_a_tall_page_is_cut_between_lines() -> None:
    (data,) = pictures_of(paragraphs(Random(2), 60), Style("", free_fonts()[0], width=500))
    grey = open_picture(data, MOST)
    assert grey.shape[0] > 3 * TILE_ROWS
    pieces = list(tiles(grey))
    assert [start for start, _ in pieces[1:]] == [end for _, end in pieces[:-1]]
    assert pieces[0][0] == 0
    assert pieces[-1][1] == grey.shape[0]
    for start, end in pieces:
        assert MIN_TILE_ROWS <= end - start <= TILE_ROWS + MIN_TILE_ROWS
    for _, cut in pieces[:-1]:
        assert int(grey[cut].min()) == int(grey[cut].max())


def test_photographs_codes_and_empty_grounds_do_not_look_like_text() -> None:
    generator = np.random.default_rng(1)
    slope = np.add.outer(np.linspace(0, 200, 300), np.linspace(0, 55, 400))
    code = np.kron(generator.integers(0, 2, (30, 30)), np.ones((10, 10))) * 255
    wide = np.kron(generator.random((12, 16)), np.ones((30, 30))) * 255
    for pixels in (slope, code, wide, generator.random((300, 300)) * 255, np.full((300, 300), 240.0)):
        assert not looks_like_text(pixels.astype(np.uint8))
    assert not looks_like_text(np.zeros((8, 800), np.uint8))


def test_what_is_drawn_on_nothing_stands_on_the_ground_of_its_page() -> None:
    for ink in (0, 255):
        clear = Image.new("RGBA", (300, 60), (0, 0, 0, 0))
        ImageDraw.Draw(clear).rectangle((20, 20, 200, 40), fill=(ink, ink, ink, 255))
        grey = open_picture(_saved(clear, "PNG"), MOST)
        assert abs(int(grey[5, 5]) - int(grey[30, 100])) > 200


def _saved(image: Image.Image, kind: str, **options: object) -> bytes:
    data = BytesIO()
    image.save(data, kind, **options)
    return data.getvalue()


def test_a_bomb_is_known_by_its_header_and_of_many_frames_the_first_is_read() -> None:
    bomb = _saved(Image.new("1", (30_000, 30_000)), "PNG")
    assert len(bomb) < 200_000
    assert open_picture(bomb, MOST) is None
    frames = [Image.new("L", (200, 100), shade) for shade in (255, 0)] * 50
    animated = _saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    grey = open_picture(animated, MOST)
    assert grey.shape == (100, 200)
    assert open_picture(_saved(Image.new("L", (900, 900), 200), "PNG")[:-40], MOST) is None
    assert open_picture(b"\x89PNG\r\n\x1a\n" + b"\xff" * 900, MOST) is None
    assert open_picture(_saved(Image.new("L", (900, 900), 200), "PNG"), 100_000) is None
