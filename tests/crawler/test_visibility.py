"""Test that what a reader does not see is taken out and told of; what he sees stays, letter by letter."""

import pytest

from crawler.css.cascade import cascade
from crawler.markup import element_text, parse
from crawler.obfuscation.page_styles import collect_page_sheets
from crawler.obfuscation.repairs import Removed, summarize_removed
from crawler.obfuscation.visibility import remove_hidden
from tests.crawler.case_folders import Case, cases
from tests.crawler.seen.chromium_view import URL, Files

SEEN = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人。"


def _read(inner: str, style: str = "") -> tuple[str, list[Removed]]:
    tree = parse(f"<html><head><style>{style}</style></head><body><div><p>{inner}</p></div></body></html>")
    assert tree is not None
    removed = remove_hidden(tree)
    return element_text(tree), removed


@pytest.mark.parametrize("case", cases("seen"), ids=lambda case: case.name)
def test_what_a_reader_does_not_see_is_taken_out_and_told(case: Case) -> None:
    tree = parse(case.body.decode())
    assert tree is not None
    removed = remove_hidden(tree, cascade(tree, collect_page_sheets(tree, URL, Files(case.files), with_linked=True)))
    text = element_text(tree)
    told = [{"kind": one.kind, "count": one.count, "example": one.example} for one in summarize_removed(removed, text)]
    assert text.split("\n") == case.expected["text"]
    assert [piece.text for piece in removed] == case.expected["removed"]
    assert told == case.expected["found"]


def test_what_stands_in_for_a_missing_property_may_hold_commas() -> None:
    text, removed = _read(
        "<i>看得见</i><b>看不见</b>", "i{color:var(--a, rgb(1, 2, 3), x)} b{color:var(--a, rgba(1, 2, 3, 0))}"
    )
    assert (text, [piece.text for piece in removed]) == ("看得见", ["看不见"])


@pytest.mark.usefixtures("long_computation")
@pytest.mark.parametrize(
    "sheet",
    [
        "".join(f".a{number} * * *{{display:none}}" for number in range(20_000)),
        "".join(f".k:nth-child({number + 2}){{display:none}}" for number in range(40_000)),
        ",".join(f".a{number}" for number in range(100_000)) + "{display:none}",
        "*:has(.none) ~ *:nth-of-type(2n of .k):not(:has(p ~ p)){color:red}" * 2_000,
        "a" * 400_000,
        "a{" * 500_000,
        ".k{&&&&{" * 14 + "color:red" + "}}" * 14,
        "@media print " * 30_000,
        f"@supports {'(' * 400_000}display:grid{')' * 400_000}{{p{{color:red}}}}",
        f"{':is(' * 3_000}p{')' * 3_000}{{color:red}}",
        "/*" * 200_000,
        f"p{{font-size:{'9' * 400_000}px}}",
        "\\d800{color:red}p{color:\\dfff}",
        f":root{{{''.join(f'--a{number}:var(--a{number + 1}) var(--a{number + 1});' for number in range(60))}}}",
    ],
)  # fmt: skip
def test_a_sheet_made_to_be_slow_is_read_in_time_and_hides_nothing_else(sheet: str) -> None:
    text, removed = _read(f'{SEEN}<b class="k">藏</b>{SEEN}', f".k{{display:none}}</style><style>{sheet}")
    assert text == SEEN * 2
    assert [piece.text for piece in removed] == ["藏"]


@pytest.mark.parametrize(
    "page",
    [
        "".join(f"<b style='left:-{number}px;position:relative;margin-left:-5000px'>字</b>" for number in range(3_000)),
        "<div style='position:absolute;left:-9999px'>" * 240 + "<i>字</i>" * 800,
        "<style>b:nth-of-type(2n), b ~ b ~ i, b:nth-last-child(3){color:red}</style>" + "<b>字</b>" * 9_000,
        "<style>div div div div div div div div div .x{color:red}</style>" + "<div>" * 240 + "<b class=x>字</b>",
        "<div style='--a:1;opacity:.99;font-size:.9em;color:var(--a)'>" * 240 + "<b>字</b>" * 2_000,
    ],
)  # fmt: skip
def test_a_page_made_to_be_slow_is_read_in_time(page: str) -> None:
    tree = parse(f"<p>{SEEN}</p>{page}")
    assert tree is not None
    remove_hidden(tree)
    assert element_text(tree).startswith(SEEN)


def test_thousands_of_hidden_pieces_are_all_removed() -> None:
    spoilt = "".join(f'{char}<i style="display:none">字</i><b></b>' for char in SEEN * 400)
    assert _read(spoilt)[0] == SEEN * 400
