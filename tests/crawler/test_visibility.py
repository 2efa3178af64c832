"""What a reader does not see is taken out and told of; what he sees stays, letter by letter."""

import pytest

from core.pages import Disguise
from crawler.disguises.visibility import Removed, found, remove_hidden
from crawler.markup import parse, text_of

SEEN = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人。"
HEAD, TAIL = SEEN[:8], SEEN[8:]


def _read(inner: str, style: str = "", body: str = "") -> tuple[str, list[Removed]]:
    tree = parse(f"<html><head><style>{style}</style></head><body {body}><div><p>{inner}</p></div></body></html>")
    assert tree is not None
    removed = remove_hidden(tree)
    return text_of(tree), removed


@pytest.mark.parametrize(
    "style",
    [
        "display:none", "DISPLAY : None !important", "visibility:hidden", "font-size:0", "font-size:0px;color:red",
        "opacity:0", "opacity:0.0", "position:absolute;left:-9999px", "position:fixed; top:-100em",
        "text-indent:-999em;display:block",
        "color:#fff;background:#fff", "color:white;background-color:#FFFFFF",
        "color:transparent", "color:rgba(0,0,0,0)",
        "height:0;overflow:hidden", "position:absolute;clip:rect(0 0 0 0)".replace("0 0 0 0", "0,0,0,0"),
    ],
)  # fmt: skip
def test_a_hidden_insertion_is_removed_and_recorded(style: str) -> None:
    text, removed = _read(f'{HEAD}<span style="{style}">本站首发</span>{TAIL}')
    assert text == SEEN
    (disguise,) = found(removed, text)
    assert (disguise.kind, disguise.count, disguise.example) == (Disguise.HIDDEN_TEXT, 1, "本站首发")


@pytest.mark.parametrize(
    "rule",
    [".k{display:none}", "p .k { visibility : hidden }", "/* */ div>p>span.k{font-size:0}",
     "@media screen{.k{display:none}}", "@media print{.q{color:red}} .k{display:none}",
     ".a,.k,.b{opacity:0}"],
)  # fmt: skip
def test_a_rule_of_the_page_hides_as_well_as_an_inline_style(rule: str) -> None:
    text, removed = _read(f'{HEAD}<span class="k">看书网</span>{TAIL}', rule)
    assert text == SEEN
    assert found(removed, text)[0].count == 1


@pytest.mark.parametrize(
    ("style", "inline"),
    [
        ("@media print{.k{display:none}}", ""),
        (".k:hover{display:none}", ""),
        (".k{display:none} p .k{display:inline}", ""),
        (".k{display:none}", "display:inline"),
        (".k{left:-9999px}", ""),
        (".k{color:#fff}", ""),
        (".k{color:#fff}", "background:url(x.png) #fff"),
        (".k{{{ broken", ""),
        ("..k[{display:none}", ""),
    ],
)
def test_what_is_shown_stays(style: str, inline: str) -> None:
    text, removed = _read(f'{HEAD}<span class="k" style="{inline}">看得见</span>{TAIL}', style)
    assert text == f"{HEAD}看得见{TAIL}"
    assert removed == []


def test_text_in_the_color_of_the_page_is_hidden() -> None:
    assert _read(f'{HEAD}<font style="color:#FFF">白字</font>{TAIL}', body='bgcolor="#ffffff"')[0] == SEEN


def test_the_hidden_attribute_hides() -> None:
    assert _read(f"{HEAD}<b hidden>藏</b>{TAIL}")[0] == SEEN


def test_ruby_goes_and_its_base_stays() -> None:
    text, removed = _read(f"{HEAD}<ruby>晨<rp>(</rp><rt>chén</rt><rp>)</rp></ruby>{TAIL}")
    assert text == f"{HEAD}晨{TAIL}"
    (disguise,) = found(removed, text)
    assert (disguise.kind, disguise.count, disguise.example) == (Disguise.RUBY, 1, "chén")


def test_zero_width_characters_spaces_and_pinyin_in_brackets_stay_as_shown() -> None:
    shown = "清晨的\u200b雾（wù）还 没 有散尽"
    assert _read(shown)[0] == shown


def test_a_closed_menu_is_removed_but_is_no_disguise() -> None:
    tree = parse(
        f'<body><ul style="display:none"><li>首页<li>登录</ul><p>{SEEN}</p>'
        '<div style="display:none">分享到微信</div></body>'
    )
    assert tree is not None
    removed = remove_hidden(tree)
    assert text_of(tree) == SEEN
    assert found(removed, SEEN) == ()


def test_a_hidden_paragraph_between_two_of_the_text_is_a_disguise() -> None:
    tree = parse(f'<body><p>{HEAD}</p><p style="display:none">请到本站阅读正版</p><p>{TAIL}</p></body>')
    assert tree is not None
    removed = remove_hidden(tree)
    assert found(removed, f"{HEAD}\n{TAIL}")[0].example == "请到本站阅读正版"


def test_a_text_that_a_script_will_show_is_not_lost() -> None:
    tree = parse(f'<body><h1>标题</h1><div id="content" style="display:none"><p>{SEEN}</p></div></body>')
    assert tree is not None
    remove_hidden(tree)
    assert SEEN in text_of(tree)


def test_a_container_of_size_zero_whose_children_have_a_size_is_shown() -> None:
    assert _read(f'<span style="font-size:0"><i style="font-size:14px">{SEEN}</i></span>')[0] == SEEN


@pytest.mark.parametrize(
    "sheet",
    [
        "".join(f".a{number} * * *{{display:none}}" for number in range(20_000)),
        "a" * 400_000,
        "@media print " * 30_000,
        "/*" * 200_000,
        "{" * 400_000,
        "}" * 400_000,
    ],
)
def test_a_sheet_made_to_be_slow_is_read_in_time(sheet: str) -> None:
    assert _read(SEEN, sheet)[0] == SEEN


def test_thousands_of_hidden_pieces_are_all_removed() -> None:
    spoilt = "".join(f'{char}<i style="display:none">字</i><b></b>' for char in SEEN * 400)
    assert _read(spoilt)[0] == SEEN * 400
