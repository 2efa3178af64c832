"""Test that what a site's pages have in common is left out of texts, and what a work repeats is not."""

import json
from pathlib import Path

import pytest

from crawler.main_text.templates import (
    FILE_NAME,
    MAX_FRAMES,
    MIN_PAGES,
    SiteTemplates,
    names_a_site,
)
from crawler.markup import Line, lines, parse

NOTICE = "温馨提示：方向键左右前后翻页，上下滚动。"
REFRAIN = "欲知后事如何，且听下回分解。"
HOST = "http://www.xiaoshuzhan.example"


def page(*body: str) -> list[Line]:
    tree = parse(f"<html><body><div class='text'>{''.join(body)}</div></body></html>")
    assert tree is not None
    return lines(tree)


def own(number: int, sentences: int = 6) -> str:
    """Paragraphs that no other page has."""
    words = ("渡船", "灯火", "账册", "石阶", "雾气", "豆腐担子", "橹声", "草绳")
    return "".join(
        f"<p>第{number}天的傍晚，{words[(number + step) % 8]}旁边第{number * 7 + step}个人"
        f"说起了{words[(number * 3 + step) % 8]}的事，{'江' * (number % 9 + 1)}水{'慢' * (step + 1)}涨。</p>"
        for step in range(sentences)
    )


def texts(templates: SiteTemplates, page_lines: list[Line], number: int) -> list[str]:
    return [line.text for line in templates.filter_lines(page_lines, "", f"{HOST}/{number}.html")]


def test_an_advertisement_with_changing_addresses_is_left_out_once_known() -> None:
    templates = SiteTemplates()
    for number in range(MIN_PAGES * 2):
        ad = f"一秒记住【小书站】w{number}x.abc{number}.com，精彩小说无弹窗免费阅读！"
        kept = texts(templates, page(own(number), f"<p>{ad}</p>", own(number + 500, 2)), number)
        assert (ad in kept) == (number < MIN_PAGES - 1)
        assert len([text for text in kept if text != ad]) == 8


def test_a_notice_in_a_box_of_its_own_is_left_out_without_naming_a_site() -> None:
    templates = SiteTemplates()
    notice = "温馨提示：方向键左右前后翻页，上下滚动。"
    kept = [texts(templates, page(f"<div class='tip'>{notice}</div>", own(number)), number) for number in range(9)]
    assert notice in kept[0]
    assert notice not in kept[-1]


@pytest.mark.parametrize("tag", ["<p>", "<p class='refrain'>"])
def test_a_closing_formula_of_every_chapter_stays_also_with_a_class_of_its_own(tag: str) -> None:
    templates = SiteTemplates()
    for number in range(60):
        assert REFRAIN in texts(templates, page(own(number), f"{tag}{REFRAIN}</p>"), number)


def test_posts_that_lists_show_again_stay() -> None:
    templates = SiteTemplates()
    for number in range(40):
        texts(templates, page(own(number)), number)
        if number % 10 == 9:
            shown = "".join(own(post) for post in range(number - 9, number + 1))
            for again in range(4):
                texts(templates, page(shown), 1000 + number * 10 + again)
    assert len(texts(templates, page(own(3)), 3)) == 6


def test_what_was_learnt_outlives_the_process(tmp_path: Path) -> None:
    ad = "本站网址：www.xiaoshuzhan.example，请牢记"
    first = SiteTemplates(tmp_path)
    for number in range(MIN_PAGES):
        texts(first, page(own(number), f"<p>{ad}</p>"), number)
    first.close()
    assert ad not in texts(SiteTemplates(tmp_path), page(own(99), f"<p>{ad}</p>"), 99)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": 0}', '{"format": 1, "hosts": {"a": {"pages": "x"}}}', "null"]
)
def test_a_damaged_file_is_learnt_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE_NAME).write_text(content)
    templates = SiteTemplates(tmp_path)
    assert len(texts(templates, page(own(1)), 1)) == 6
    templates.close()
    assert json.loads((tmp_path / FILE_NAME).read_text())["hosts"]


def test_what_is_kept_of_a_site_is_bounded(tmp_path: Path) -> None:
    templates = SiteTemplates(tmp_path)
    for number in range(40):
        many = "".join(
            f"<p>{chr(0x4E00 + number)}{chr(0x5000 + step)}{chr(0x5000 + step * 7 % 3000)}</p>" for step in range(200)
        )
        texts(templates, page(many), number)
    templates.close()
    frames = json.loads((tmp_path / FILE_NAME).read_text())["hosts"]["www.xiaoshuzhan.example"]["frames"]
    assert len(frames) == MAX_FRAMES
    assert (tmp_path / FILE_NAME).stat().st_size < 300_000


@pytest.mark.parametrize(
    "line", ["请到 ｗｗｗ．ａｂｃｄ．ｃｏｍ 阅读", "m.abc.net最快更新", "首发abcd。com", "来小书站看书"]
)
def test_a_line_names_a_site(line: str) -> None:
    assert names_a_site(line, ["小书站"])


@pytest.mark.parametrize("line", [REFRAIN, "他说了三个字：不。走吧", "Mr. Wang 没有说话", "A. 对 B. 错", "第3.5章"])
def test_a_line_of_a_work_names_no_site(line: str) -> None:
    assert not names_a_site(line, ["小书站"])
