"""Test that what style, scripts, fonts and noise do to a text is undone and told of; what is honest stays as it is."""

import base64
import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest

from core.obfuscations import Obfuscation
from core.pages import Reading
from crawler.fetching.resources import FolderResources, ResourceKind
from crawler.obfuscation.deobfuscation import MARKUP_ALONE, RenderContext
from crawler.obfuscation.scripted import run_scripts
from crawler.obfuscation.text_noise import clean_text
from crawler.reading import read_page
from tests.crawler.texts import SIMPLIFIED, Beside

URL = "https://novel.example/1/2.html"
FIRST = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人，谁也不说话。"
SECOND = "“再等一等罢，”有人说，“船总会来的。”于是大家又安静下来，望着江面。"
THIRD = "直到晌午过后，才有一个背竹篓的姑娘从山上下来，带来了北边的消息。"
TEXT = "\n".join((FIRST, SECOND, THIRD))
SPOILT = "".join(f'{char}<i class="k">的</i>' if char in "雾渡等" else char for char in FIRST)
LINK = '<link rel="stylesheet" href="/css/read.css">'


def read(markup: str, head: str = "", context: RenderContext = MARKUP_ALONE) -> Reading:
    page = f"<html><head><title>渡口</title>{head}</head><body><div id='c'>{markup}</div></body></html>"
    reading = read_page(page.encode(), {"Content-Type": "text/html; charset=utf-8"}, URL, context=context)
    assert isinstance(reading, Reading), reading
    return reading


def kinds(reading: Reading) -> set[Obfuscation]:
    return {one.kind for one in reading.obfuscations}


def honest(*paragraphs: str) -> str:
    return "".join(f"<p>{each}</p>" for each in paragraphs or (FIRST, SECOND, THIRD))


def test_an_honest_page_tells_of_nothing_and_keeps_one_text() -> None:
    reading = read(honest())
    assert (reading.text, reading.raw_text, reading.obfuscations) == (TEXT, "", ())


@pytest.mark.parametrize(
    "style",
    ["font-size:.4px", "opacity:.02", "color:#fefefe;background:#fff", "position:absolute;left:20000px",
     "position:absolute;clip-path:inset(50%)", "display:inline-block;transform:scale(0)",
     "position:fixed;transform:translateX(-9999px)",
     "filter:opacity(0)", "margin-left:-9999px"],
)  # fmt: skip
def test_text_that_nobody_can_see_is_gone_and_kept_in_the_raw_text(style: str) -> None:
    shown = FIRST.replace("散尽", f'散<b style="{style}">首发小说</b>尽')
    reading = read(honest(shown, SECOND, THIRD))
    assert reading.text == TEXT
    assert kinds(reading) == {Obfuscation.HIDDEN_TEXT}
    assert "散首发小说尽" in reading.raw_text


@pytest.mark.parametrize("style", ["font-size:small", "opacity:.5", "color:#eee;background:#000", "left:20000px",
                                   "transform:scale(0)", "height:0;overflow:hidden"])  # fmt: skip
def test_what_can_be_seen_is_not_hidden(style: str) -> None:
    shown = FIRST.replace("散尽", f'散<b style="{style}">得干净</b>尽')
    assert "散得干净尽" in read(honest(shown, SECOND, THIRD)).text


def test_single_hidden_characters_between_others_are_decoys() -> None:
    reading = read(honest(SPOILT, SECOND, THIRD), "<style>.k{display:none}</style>")
    assert reading.text == TEXT
    (found,) = reading.obfuscations
    assert (found.kind, found.count) == (Obfuscation.DECOYS, 3)


@pytest.mark.parametrize(
    ("sheets", "most_asked"),
    [
        ({"read.css": ".k{display:none}"}, 1),
        ({"read.css": '@import url("more.css");', "more.css": ".k{display:none}"}, 2),
        ({"read.css": '@import url("more.css");', "more.css": '@import url("read.css");.k{display:none}'}, 4),
    ],
    ids=["of its own", "of one that it imports", "of one that imports it again"],
)
def test_rules_of_a_linked_sheet_hide_where_the_markup_gives_reason_to_ask(
    sheets: dict[str, str], most_asked: int
) -> None:
    context = Beside({name: sheet.encode() for name, sheet in sheets.items()})
    assert read(honest(SPOILT, SECOND, THIRD), LINK, context).text == TEXT
    assert context.asked[0] == "https://novel.example/css/read.css"
    assert len(context.asked) <= most_asked


@pytest.mark.parametrize(("linked", "shown"), [(".k{display:inline}", "还"), ("p{color:red}", "")])
def test_a_linked_sheet_is_asked_whether_it_shows_what_the_page_hides(linked: str, shown: str) -> None:
    """For one word alone nobody would ask for a sheet."""
    context = Beside({"read.css": linked.encode()})
    head = f"<style>.k{{display:none}}</style>{LINK}"
    reading = read(honest(FIRST.replace("还", '<i class="k">还</i>'), SECOND, THIRD), head, context)
    assert context.asked == ["https://novel.example/css/read.css"]
    assert reading.text.startswith(f"清晨的雾{shown}没有散尽")
    assert bool(reading.obfuscations) is not bool(shown)


@pytest.mark.parametrize("hiding", ["hidden", 'style="display:none"'])
def test_a_linked_sheet_is_asked_whether_it_shows_what_an_attribute_hides(hiding: str) -> None:
    context = Beside({"read.css": b".k{display:inline!important}"})
    reading = read(honest(FIRST.replace("还", f'<i class="k" {hiding}>还</i>'), SECOND, THIRD), LINK, context)
    assert context.asked == ["https://novel.example/css/read.css"]
    assert (reading.text, reading.obfuscations) == (TEXT, ())


def test_a_sheet_for_printers_is_not_asked_for() -> None:
    context = Beside({"read.css": b".k{display:none}"})
    read(honest(SPOILT, SECOND, THIRD), LINK.replace(">", ' media="print">'), context)
    assert context.asked == []


def test_an_ordinary_page_asks_for_nothing() -> None:
    context = Beside({})
    read(honest(), LINK, context)
    assert context.asked == []


def test_text_that_a_sheet_or_an_attribute_gives_is_written_in() -> None:
    css = '<style>.a::before{content:"\\96fe"}.b:after{content:attr(data-t)}</style>'
    shown = FIRST.replace("雾", '<i class="a"></i>').replace("渡口", '<i class="b" data-t="渡口"></i>')
    reading = read(honest(shown, SECOND, THIRD), css)
    assert reading.text == TEXT
    assert kinds(reading) == {Obfuscation.GENERATED_TEXT}
    assert "清晨的还没有散尽" in reading.raw_text


def test_a_label_out_of_the_sheet_is_no_text() -> None:
    css = '<style>.by::before{content:"作者："}.at::before{content:"时间："}</style>'
    reading = read(f'<div><span class="by"></span></div><div><span class="at"></span></div>{honest()}', css)
    assert (reading.text, reading.obfuscations) == (TEXT, ())


@pytest.mark.parametrize(
    ("shown", "css"),
    [
        (f'<p class="r">{FIRST[::-1]}</p>', ".r{unicode-bidi:bidi-override;direction:rtl}"),
        (f'<p><bdo dir="rtl">{FIRST[::-1]}</bdo></p>', ""),
        (f"<p>\u202e{FIRST[::-1]}\u202c</p>", ""),
        (
            f"<p class='r'>{''.join(f'<i>{char}</i>' for char in FIRST[::-1])}</p>",
            ".r{display:flex;flex-direction:row-reverse}",
        ),
        (f"<p>{''.join(f'<i>{char}</i>' for char in FIRST[::-1])}</p>", "i{float:right}"),
        (
            "<p class='r'>"
            + "".join(f'<i style="left:{at}em">{char}</i>' for at, char in reversed(list(enumerate(FIRST))))
            + "</p>",
            "i{position:absolute}",
        ),
        (
            "<p class='r'>"
            + "".join(f'<b style="order:{at}">{char}</b>' for at, char in reversed(list(enumerate(FIRST))))
            + "</p>",
            ".r{display:flex}",
        ),
    ],
)  # fmt: skip
def test_text_that_style_puts_in_order_is_read_in_that_order(shown: str, css: str) -> None:
    reading = read(f"{shown}{honest(SECOND, THIRD)}", f"<style>{css}</style>")
    assert reading.text == TEXT
    assert kinds(reading) == {Obfuscation.REORDERED}
    assert FIRST[::-1][:6] in reading.raw_text


@pytest.mark.parametrize(("of_all", "top"), [("", "1e400px"), ("", "-1e400%"), ("font-size:1e400px", "0em")])
def test_a_length_beyond_all_measure_is_a_length(of_all: str, top: str) -> None:
    text = "她说这盏灯照过许多夜行的船"
    shown = "".join(f"<span style='position:relative;top:{top}'>{char}</span>" for char in text)
    page = f"<p style='{of_all}'>{shown}</p><p>{text}，{text}，{text}。</p>"
    assert text in read(page).text


def test_brackets_turn_with_the_text_that_is_turned() -> None:
    first = FIRST.replace("雾", "雾（那年很大）")
    turned = first[::-1].translate(str.maketrans("（）", "）（"))
    assert read(f'<p><bdo dir="rtl">{turned}</bdo></p>{honest(SECOND, THIRD)}').text.startswith(first)


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def xor_of(text: str, key: Sequence[int]) -> str:
    return base64.b64encode(bytes(byte ^ key[at % len(key)] for at, byte in enumerate(text.encode()))).decode()


def string_array(markup: str) -> str:
    """As javascript-obfuscator writes it: all strings in one array in Base64, turned round until a sum is right."""
    strings = ["document", "write", *(markup[at : at + 20] for at in range(0, len(markup), 20))]
    turned = [base64_of(each) for each in strings[3:] + strings[:3]]
    joined = "+".join(f"_0x2b1c({number + 0x1A0})" for number in range(2, len(strings)))
    return (
        f"var _0x4f2a={turned};(function(a,n){{while(n--)a['push'](a['shift']());}}(_0x4f2a,{len(turned) - 3}));"
        "function _0x2b1c(i){return decodeURIComponent(escape(atob(_0x4f2a[i-0x1a0])));}"
        f"window[_0x2b1c(0x1a0)][_0x2b1c(0x1a1)]({joined});"
    )


@pytest.mark.parametrize(
    "script",
    [
        f'document.getElementById("c").innerHTML=decodeURIComponent(escape(atob("{base64_of(honest())}")))',
        f'var t="{honest()[::-1]}";$("#c").html(t.split("").reverse().join(""));',
        f'let p=["{honest()[:30]}","{honest()[30:]}"]; var el=document.getElementById("c"); el.innerHTML=p[0]+p[1];',
        "document.write(unescape('" + "".join(f"%u{ord(char):04x}" for char in honest()) + "'))",
        "document.write(String.fromCharCode(" + ",".join(str(ord(char)) for char in honest()) + "))",
        f"document.write(String.fromCharCode(...{[ord(char) ^ 0x5A3C for char in honest()]}.map(c => c ^ 23100)))",
        "var d='" + "".join(chr(ord(char) ^ 77) for char in honest()) + "',o='';"
        "for(var i=0;i<d.length;i++)o+=String.fromCharCode(d.charCodeAt(i)^77);document.write(o)",
        f"var k=[7,11,13],b=Uint8Array.from(atob('{xor_of(honest(), (7, 11, 13))}'),"
        "c=>c.charCodeAt(0));b=b.map((c,i)=>c^k[i%3]);"
        'document.querySelector("#c").insertAdjacentHTML("beforeend",new TextDecoder("utf-8").decode(b))',
        string_array(honest()),
        f"document.addEventListener('load',()=>{{for(const t of {[base64_of(each) for each in TEXT.split()]})"
        "{const p=document.createElement('p');document.getElementById('c').appendChild(p);"
        "p.textContent=decodeURIComponent(escape(atob(t)))}})",
        "$(function(){setTimeout(function(){$('#c').append(Base64.decode('" + base64_of(honest()) + "'))},100)})",
    ],
)
def test_a_text_that_a_script_assembles_is_read_from_its_source(script: str) -> None:
    # What writes in its own place stands inside the text's element, what writes into that comes after it.
    is_in_place = "#c" not in script and "'c'" not in script and '"c"' not in script
    reading = read(f"<script>{script}</script>" if is_in_place else f"</div><script>{script}</script><div>")
    assert reading.text == TEXT
    assert kinds(reading) == {Obfuscation.SCRIPTED}


@pytest.mark.parametrize(
    "script",
    [
        'document.write("<p>版权所有，未经许可不得转载本站任何内容。</p>")',
        'while(true){document.write(atob("6L+95paH"))}',
        'document.write(unescape("%3Cscript src=x%3E"))',
        "document.getElementById('c').innerHTML=decrypt(atob('abcd'),key)",
        "for(const t of ['渡口的老人','石阶'])document.write('<b>'+t+'</b>');/* .join */",
        "document.getElementById('none').innerHTML=unescape('%u6e21%u53e3')",
        "location.href=atob('aHR0cHM6Ly9hLmV4YW1wbGUv');document.write(fetch(import('os')))",
        "var a=" + "[" * 5_000,
        'var a="' + "\\" * 100_001,
    ],
)
def test_other_scripts_change_nothing(script: str) -> None:
    reading = read(f"{honest()}<script>{script}</script>")
    assert reading.text.startswith(TEXT)


@pytest.mark.parametrize(
    "endless",
    ["for(;;);", "(function f(){for(;;)f()})", "/(a+)+$/.test('a'.repeat(40)+'b')", "let a=[];for(;;)a.push({})",
     "for(let n=3n;;)n=n*n%(7n**300000n)", "Array.from({length:3e6},(x,i)=>-i).sort()",
     "let a=[1];for(let i=40;i--;)a=[a,a];a.join()"],
)  # fmt: skip
def test_a_page_whose_scripts_take_too_much_is_read_without_them(endless: str) -> None:
    written = f"document.write(atob('{base64_of(honest(FIRST))}'))"
    reading = read(f"{honest()}<script>{written};try{{{endless}}}catch{{for(;;);}};for(;;);</script>")
    assert (reading.text, kinds(reading)) == (TEXT, {Obfuscation.SLOW_PARTS})
    assert Obfuscation.SCRIPTED in kinds(
        read(f"<script>document.write(unescape('%u6e21%u53e3{FIRST}'))</script>{honest()}")
    )


def test_an_element_that_a_script_adds_to_keeps_what_it_has() -> None:
    added = "document.getElementById('c').innerHTML+=unescape('%u6e21%u53e3" + THIRD + "')"
    assert read(f"{honest(FIRST, SECOND)}<script>{added}</script>").text.startswith(f"{FIRST}\n{SECOND}\n渡口{THIRD}")


def strewn(mark: str, every: int = 2) -> str:
    return honest(*("".join(f"{char}{mark}" if at % every == 0 and char.isalpha() and following.isalpha() else char
                            for at, (char, following) in enumerate(zip(each, each[1:] + "。", strict=True)))
                    for each in (FIRST, SECOND, THIRD)))  # fmt: skip


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        ("\u200b", Obfuscation.ZERO_WIDTH),
        ("\u2060", Obfuscation.ZERO_WIDTH),
        (" ", Obfuscation.SPACES),
        ("\u3000", Obfuscation.SPACES),
        ("*", Obfuscation.PUNCTUATION_NOISE),
        (".", Obfuscation.PUNCTUATION_NOISE),
        ("·", Obfuscation.PUNCTUATION_NOISE),
        ("、", Obfuscation.PUNCTUATION_NOISE),
    ],
)
def test_what_is_strewn_between_characters_goes_and_is_told(mark: str, kind: Obfuscation) -> None:
    reading = read(strewn(mark))
    assert reading.text == TEXT
    assert kinds(reading) == {kind}
    assert mark in reading.raw_text


@pytest.mark.parametrize(
    "honest_text",
    [
        f"{FIRST}他叫张\u200b三，{SECOND}",
        f"会上，北京、上海、天津、重庆、广州、深圳、武汉、成都等地的代表先后发言，谈了各自的看法和打算。{THIRD}",
        f"{FIRST}目前铁路购票网站只有www.12306.cn一家，大家都去那里买票，别处没有。{THIRD}",
        f"囧（jiǒng）字从前少有人用，近来到处都能看见，据说是因为它像一张脸。{THIRD}",
        f"先选范围(range)，再定颜色(sage)，然后量平底锅(pan)，记下人数(men)和骰子(die)。{THIRD}",
        f"由于竹城那一带水网密布，行人大多改走水路，报由县里备案。{THIRD}",
        f"详见 https://zh.example.org/wiki/{quote(FIRST[:9])} 一页。{THIRD}",
        f"2023年5月1日，他离开渡口；6月2日晚上 8:30，信到了；7月3日，他回来了。{THIRD}",
    ],
)
def test_what_honest_texts_have_stays(honest_text: str) -> None:
    reading = read(honest(honest_text, SECOND, THIRD))
    assert (reading.text.split("\n")[0], reading.obfuscations) == (honest_text, ())


def numbers(template: str) -> Callable[[str], str]:
    return lambda text: "".join(template.format(ord(char)) for char in text)


@pytest.mark.parametrize("is_whole", [False, True], ids=["paragraphs", "whole"])
@pytest.mark.parametrize(
    "encode",
    [
        pytest.param(numbers("\\u{:04x}"), id="backslash-u"),
        pytest.param(numbers("\\u{{{:x}}}"), id="braces"),
        pytest.param(numbers("%u{:04X}"), id="percent-u"),
        pytest.param(numbers("&amp;#{};"), id="decimal"),
        pytest.param(numbers("&amp;#x{:x};"), id="hexadecimal"),
        pytest.param(quote, id="percent"),
        pytest.param(lambda text: quote(text.encode("gb18030")), id="percent-gbk"),
        pytest.param(lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()), id="bytes"),
        pytest.param(lambda text: base64.b64encode(text.encode()).decode(), id="base64"),
        pytest.param(lambda text: base64.urlsafe_b64encode(text.encode("gb18030")).decode(), id="base64-gbk"),
    ],
)
def test_a_text_that_a_page_shows_encoded_is_decoded(encode: Callable[[str], str], is_whole: bool) -> None:
    paragraphs = "".join(f"<p>{each}</p>" for each in (FIRST, SECOND, THIRD))
    menu = "<ul><li><a href=/1>首页</a><li><a href=/2>都市小说</a></ul>"
    reading = read(menu + (f"<div>{encode(paragraphs)}</div>" if is_whole else honest(*map(encode, TEXT.split("\n")))))
    assert (reading.text, kinds(reading)) == (TEXT, {Obfuscation.ENCODED_TEXT})


def test_the_lines_into_which_a_code_was_cut_are_joined() -> None:
    code = base64.b64encode(("甲乙丙丁a" + TEXT).encode()).decode()
    reading = read("<br>".join(code[at : at + 64] for at in range(0, len(code), 64)))
    assert reading.text == "甲乙丙丁a" + TEXT


def test_dates_and_numbers_of_an_honest_page_stay() -> None:
    diary = "".join(f"<p>5月{day}日 晴</p><p>{FIRST}{SECOND}{THIRD}</p>" for day in range(1, 9))
    assert "5月3日 晴" in read(diary).text
    steps = "".join(f"<p>{number}. {each}</p>" for number, each in enumerate((FIRST, SECOND, THIRD) * 4, 1))
    assert "7. " in read(steps).text
    assert kinds(read(diary)) == kinds(read(steps)) == set()


HALF_WIDTH = str.maketrans("，。、；：！？“”（）", ',.,;:!?""()')
OUTING = (
    "我们一早出门，天还没有亮。路上没有人，风很大，吹得人睁不开眼。到了山下，太阳才出来，大家都很高兴，说：今天是好天气！"
    "有人要先吃饭，有人要先上山，说来说去，还是先上山。山上有水，有树，有花，就是没有路。走了很久，才看见一座小庙，门开着，里面没有人。"
)
RHYME = (
    "人之初，性本善。性相近，习相远。苟不教，性乃迁。教之道，贵以专。昔孟母，择邻处。子不学，断机杼。窦燕山，有义方。教五子，名俱扬。"
    "养不教，父之过。教不严，师之惰。子不学，非所宜。幼不学，老何为。玉不琢，不成器。人不学，不知义。"
)
DISHES = (
    "红烧肉、宫保鸡丁、麻婆豆腐、回锅肉、清蒸鱼、白切鸡、小炒肉、地三鲜、水煮鱼、东坡肉、扬州炒饭、小笼包、豆浆、"
    "油条、当归、黄芪、党参、白术、茯苓、甘草、熟地、川芎、白芍、桂枝、生姜、大枣、麻黄、杏仁"
)
TALK = (
    "嗯，对，我知道，这个，那个，就是，怎么说呢，他，他说，不对，好的，行，那就这样，可以，没事，真的，没问题，走吧，"
    "现在就走，等等，等一下，我忘了，拿东西，哦，好，快去，别急，慢慢来，来得及，不要紧，你先说，我听着"
)
# The last character of a clause and the first of the next are often a word.
LINKED = (
    "他今天去了城里，里面人很多，多年不见的朋友也在，在街上走了一会，会后大家一起吃饭，饭后又喝了茶，茶水很好，好在天没有下雨，"
    "雨天路不好走，走到家已经晚上，上楼就睡了，了无心事，事后想起来，来去都很顺利。"
)


@pytest.mark.parametrize("text", [OUTING, RHYME, DISHES, TALK, LINKED])
def test_marks_where_chinese_punctuates_are_no_noise_whatever_they_are(text: str) -> None:
    parts = re.findall(r"[^，。、：！]+", text)
    written = [text, text.translate(HALF_WIDTH), *(mark.join(parts) for mark in ",.、;-/|·*→ \u3000")]
    for each in written:
        clean = clean_text(each, URL)
        assert (clean.text, clean.obfuscations) == (each, ())


@pytest.mark.parametrize("mark", [*"，,。.、;!·-*/|~…●", "mixed"])
@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_mark_after_every_one_to_three_characters_is_noise(mark: str, every: int) -> None:
    turns = itertools.cycle(",.;*" if mark == "mixed" else mark)
    spoilt = "".join(
        f"{char}{next(turns)}" if at % every == 0 and (char + following).isalpha() else char
        for at, (char, following) in enumerate(itertools.pairwise(f"{TEXT}\n{OUTING}\n"))
    )
    clean = clean_text(spoilt, URL)
    assert [one.kind for one in clean.obfuscations] == [Obfuscation.PUNCTUATION_NOISE]
    assert re.sub(r"\W", "", clean.text) == re.sub(r"\W", "", f"{TEXT}\n{OUTING}")


def test_pinyin_in_brackets_goes_and_letters_become_as_wide_as_usual() -> None:
    spelt = FIRST.replace("雾", "雾(wù)").replace("渡", "渡（dù）").replace("船", "船(chuan)")
    reading = read(honest(spelt, SECOND.replace("大家", "ＶＩＰ大家Ｔｏｍ和Ｂｅｔａ"), THIRD))
    assert reading.text.split("\n")[0] == FIRST
    assert "VIP大家Tom和Beta" in reading.text
    assert kinds(reading) == {Obfuscation.PINYIN_INSERTED, Obfuscation.FULL_WIDTH}


@pytest.mark.parametrize(
    "advertisement",
    [
        "【墨香阁 www.moxiangge.cc】",
        "（云水小说网ｗｗｗ．ｙｕｎｓｈｕｉ．ｃｏｍ首发）",
        "一秒记住【清风书屋】www.qfshu.net，最快更新！",
        "本章未完，请点击下一页继续阅读！",
        "[三叶中文网w w w . s y . c o m无弹窗]",
    ],
)
def test_an_advertisement_inside_a_text_goes_and_nothing_else(advertisement: str) -> None:
    spoilt = FIRST.replace("散尽，", f"散尽，{advertisement}")
    reading = read(honest(spoilt, SECOND, THIRD))
    assert reading.text == TEXT
    assert kinds(reading) == {Obfuscation.SITE_ADVERTISEMENT}


def test_several_obfuscations_at_once_are_all_undone() -> None:
    spoilt = "".join(f'{char}<i class="k">的</i>\u200b' if char in "雾渡等" else char for char in FIRST)
    shown = f'<p>{spoilt}</p><p class="r">{SECOND[::-1]}</p><p>{THIRD}【墨香阁 www.moxiangge.cc】</p>'
    reading = read(shown, "<style>.k{opacity:0}.r{direction:rtl;unicode-bidi:bidi-override}</style>")
    assert reading.text == TEXT
    assert kinds(reading) == {
        Obfuscation.DECOYS, Obfuscation.REORDERED, Obfuscation.ZERO_WIDTH, Obfuscation.SITE_ADVERTISEMENT
    }  # fmt: skip


def test_a_folder_gives_only_what_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.css").write_text("p{}")
    (tmp_path / "secret").write_text("x")
    files = FolderResources(tmp_path / "site")
    assert files.get("https://a.example/a.css", ResourceKind.STYLE) == b"p{}"
    assert files.get("https://a.example/../secret", ResourceKind.STYLE) is None
    assert files.get("https://a.example/%2e%2e/secret", ResourceKind.STYLE) is None


@pytest.mark.parametrize(
    "honest",
    [
        "[1]\xa0开源:https://github.com/ruanyf/weekly",
        "Host gitee.com\nHostName gitee.com",
        "他打开 the github.com 看了一眼。",
        "Trust me. So we go on.",
    ],
)
def test_an_address_that_a_text_names_is_no_advertisement(honest: str) -> None:
    text = f"{SIMPLIFIED[0]}\n{honest}\n{SIMPLIFIED[1]}"
    assert clean_text(text).text == text


@pytest.mark.usefixtures("processes")
def test_the_process_that_runs_scripts_loads_no_reader_of_pages() -> None:
    code = f"import sys, {run_scripts.__module__}; print('lxml' in sys.modules, 'core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
