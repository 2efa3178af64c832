"""Markup as a browser takes it, however it is written."""

import pytest

from crawler.markup import lines, parse

PLAIN = ["渡口无灯。", "船在对岸。"]


@pytest.mark.parametrize(
    "markup",
    [
        "<title>题</title><article><p>渡口无灯。</p></article><p>船在对岸。</p>",
        "<title>题</title><main>渡口无灯。</main>船在对岸。",
        "<html><head><title>题</title><section>渡口无灯。</section></head><body>船在对岸。</body></html>",
        "<title>题</title>渡口无灯。<p>船在对岸。</p>",
    ],
)
def test_a_text_without_a_body_around_it_is_shown_in_its_order(markup: str) -> None:
    root = parse(markup)
    assert [line.text for line in lines(root)] == PLAIN
    assert [child.tag for child in root.find("head")] == ["title"]
