"""A long text in blocks that a browser lays out by itself: all of it, in order, with no break of their own."""

import re

from webadmin.review.pages.case_page.comparison_html import BLOCK_CHARS, MAX_LINE_BLOCKS, TextBlocks, split_lines

LONGEST = MAX_LINE_BLOCKS * BLOCK_CHARS
BLOCK = re.compile(r'<div class="zw-block">(.*?)</div>', re.DOTALL)
BEGIN, AGAIN, END = '<span id="a">', "<span>", "</span>"


def blocks_of(*parts: str) -> list[str]:
    """Return what the blocks hold of the parts of a text, each line added by itself."""
    blocks = TextBlocks()
    for part in parts:
        for line in split_lines(part):
            blocks.add_piece(line, line)
    markup = blocks.markup()
    assert BLOCK.sub("", markup) == "", "nothing stands beside the blocks"
    return BLOCK.findall(markup)


def test_a_text_stands_in_blocks_of_some_size_that_end_with_lines() -> None:
    lines = [f"第{number}行" + "字" * (number % 90) + "\n" for number in range(300)]
    text = "".join(lines) + "末行"
    found = blocks_of(text)
    assert "".join(found) == text
    assert all(block.endswith("\n") for block in found[:-1])
    assert all(BLOCK_CHARS <= len(block) < BLOCK_CHARS + 100 for block in found[:-1])


def test_a_line_that_is_longer_than_many_blocks_is_cut_all_the_same() -> None:
    text = "字" * (2 * LONGEST + 7)
    assert list(split_lines(text)) == ["字" * LONGEST, "字" * LONGEST, "字" * 7]
    assert [len(block) for block in blocks_of(text)] == [LONGEST, LONGEST, 7]
    pieces = ["字" * (LONGEST // 4)] * 9
    assert [len(block) for block in blocks_of(*pieces)] == [LONGEST, LONGEST, LONGEST // 4]


def test_an_element_around_several_blocks_is_closed_in_each_and_begins_once() -> None:
    line = "字" * (BLOCK_CHARS - 1) + "\n"
    blocks = TextBlocks()
    blocks.add_piece("前", "前")
    blocks.open(BEGIN, AGAIN, END)
    for text in (line, line, "末"):
        blocks.add_piece(text, text)
    blocks.close()
    blocks.add_piece("后", "后")
    blocks.add_piece("行\n", "行\n")
    blocks.open(BEGIN, AGAIN, END)
    blocks.add_piece(line, line)
    blocks.close()
    blocks.add_piece("后", "后")
    assert BLOCK.findall(blocks.markup()) == [
        f"前{BEGIN}{line}{END}",
        f"{AGAIN}{line}{END}",
        f"{AGAIN}末{END}后行\n{BEGIN}{line}{END}",
        "后",
    ], "one that ends with a block stands in no further one"
