"""Pages that are made to be slow to read: each kind at any size, always the same bytes for the same size."""

from collections.abc import Callable, Mapping
from itertools import count

SENTENCE = "渡口的石阶被水磨得发亮，老人把灯挂在桅杆上，等最后一班船靠岸。"
RARE = "".join(map(chr, range(0x3400, 0x3800)))  # in neither level of GB 2312 or Big5
_MOST_BYTES = 1_000_000


def _page(body: str, head: str = "") -> bytes:
    whole = (
        f"<!doctype html><html><head><title>渡口</title>{head}</head><body><p>{SENTENCE * 4}</p>{body}</body></html>"
    )
    return whole.encode()


def _filled(piece: str, size: int, head: str = "") -> bytes:
    """A page with one piece again and again; `#` in it is the number of the piece."""
    if "#" not in piece:
        # In paragraphs: libxml2 drops a text of more than 10 MB.
        most, bytes_of_piece = _MOST_BYTES // len(piece.encode()) + 1, len(piece.encode())
        pieces = size // bytes_of_piece
        return _page("<p>".join([piece * most] * (pieces // most) + [piece * (pieces % most)]), head)
    parts, left = [], size
    for number in count():
        parts.append(piece.replace("#", str(number)))
        left -= len(parts[-1].encode())
        if left <= 0:
            return _page("".join(parts), head)
    raise AssertionError


def _numbered(piece: str, size: int) -> str:
    """Text of about `size` bytes; `#` in it is the number of the piece."""
    width = len(piece.replace("#", "123456").encode())
    return "".join(piece.replace("#", str(number)) for number in range(size // width + 1))


def _styled(sheet: Callable[[int], str], piece: str, most_sheet: int = 400_000) -> Callable[[int], bytes]:
    """A page half of which is its sheet, as far as that is read at all."""

    def made(size: int) -> bytes:
        of_sheet = min(size // 2, most_sheet)
        return _filled(piece, size - of_sheet, f"<style>{sheet(of_sheet)}</style>")

    return made


def _scripted(piece: str, head: str = "") -> Callable[[int], bytes]:
    return lambda size: _page(f"<div id=x></div><script>{head}{_numbered(piece, size)}</script>")


def _filled_with(piece: str, head: str = "") -> Callable[[int], bytes]:
    return lambda size: _filled(piece, size, head)


def _bytes_of(piece: bytes, before: bytes = b"<html><body><p>") -> Callable[[int], bytes]:
    return lambda size: before + piece * (size // len(piece))


def _nested(tag: str, text: str = "字") -> Callable[[int], bytes]:
    return lambda size: _page(f"<{tag}>{text}" * (size // len(f"<{tag}>{text}".encode())))


def _split_strings(size: int) -> bytes:
    """One text in pieces of two characters, joined again and again."""
    return _page(f"<script>var a=['渡口','石阶'];var t={'a[0]+a[1]+' * (size // 10)}'';document.write(t)</script>")


def _doctypes(size: int) -> bytes:
    return b"<!DOCTYPE html PUBLIC '-//a//b' 'c'>" * (size // 36) + _page(SENTENCE)


KINDS: Mapping[str, Callable[[int], bytes]] = {
    # seen beyond the bounds before they were bounds
    "content before elements": _filled_with("<i></i>字", "<style>i::before{content:'文'}</style>"),
    "many attributes": _filled_with("<p " + " ".join(f"a{n}={n}" for n in range(200)) + ">字</p>"),
    "many attributes of their own": _filled_with("<b a#=1 b#=2 c#=3 data-x='渡口渡口'>字</b>"),
    "links": _filled_with("<a href=/#>字</a>"),
    "addresses in one line": _filled_with("https://pan.example/s/1 "),
    "selectors": _styled(lambda size: _numbered(".a .b#,.c > p:not(.d#){color:red}", size), "<p class='a c'>字</p>"),
    "selectors of tags": _styled(lambda size: _numbered("div p b{top:#px}", size), "<div><p><b>字</b></p></div>"),
    "rare characters": _filled_with(RARE),
    "rare characters in elements": _filled_with("<p>" + RARE[:12] + "</p>"),
    "read as Latin and saved": _filled_with("<p>" + SENTENCE.encode().decode("latin-1") + "</p>"),
    "ISO-2022": _bytes_of(b'\x1b$B0!0"\x1b(B<b>\x1b$)A0!\x0e\x1b(B</b>'),
    "ISO-2022 in GBK": _bytes_of(
        "渡口".encode("gbk") + b"\x1b$B0!\x1b(B<b>\xe6\xb8\xa1\xe5\x8f\xa3\xe7\x9a\x84\xe7\x81\xaf</b>"
    ),
    "broken entities": _filled_with("&#x;&#99999999;&amp&nbsp&lt&#xd800;&x;"),
    "advertisements": _filled_with("渡口【看书网www.example.com首发】石阶，"),
    "advertisements in lines": _filled_with("<p>老人把灯【本书由看书网首发】挂在桅杆上。</p>"),
    "open brackets": _filled_with("【（[看书网www.example.com首发"),
    "headings that lead home": _filled_with("<h1><a href=/>渡口#</a></h1>"),
    "an h1 in an h1": _nested("h1"),
    "doctypes": _doctypes,
    "script strings split and joined": _split_strings,
    "script strings repeated": _scripted("document.write('渡'+'口');"),
    "script strings without end": _scripted("a='渡口\\u6e21"),
    "script strings that grow": _scripted("t+='渡'+t;", "var t=unescape('%u6e21');"),
    "script names": _scripted("var n#='渡'+'口';"),
    "script names used": _scripted("var n#=[n0,'口'].join('');document.write(n#+n0);", "var n0='\\u6e21';"),
    "script statements that are none": _scripted("document.write(atob(x)+"),
    "script brackets": _scripted("document.write([[(("),
    # nesting and elements
    "deep nesting": _nested("div"),
    "elements that end nothing": _filled_with("</p></div></b>字"),
    "tables in tables": _nested("table><tr><td"),
    "paragraphs with classes": _filled_with("<p class=c#>老人把灯挂在桅杆上，等最后一班船靠岸。</p>"),
    "pieces in a sentence": _filled_with("灯<i class=x>渡</i>"),
    "empty pieces": _filled_with("灯<span class=x></span>"),
    "blanks": _filled_with(" \n\t"),
    "ruby": _filled_with("<ruby>灯<rt>deng</rt></ruby>"),
    "h2 in sections": _filled_with("<section><h2><a href=/x#>渡口的石阶被水磨</a></h2></section>"),
    "meta elements": _filled_with("<meta name=a# content='渡口'>"),
    # attributes and addresses
    "one huge attribute": lambda size: _page(f"<p class='{_numbered('c# ', size)}'>{SENTENCE}</p>"),
    "huge style attributes": _filled_with("<p style='" + "color:red;" * 5_000 + "top:#px'>字</p>"),
    "style attributes": _filled_with("<p style='color:rgb(#,2,3);left:-#px'>灯</p>"),
    "data addresses": _filled_with("<img src='data:image/png;base64," + "QUJD" * 2_500 + "'>字"),
    # style sheets
    "imports": _styled(lambda size: _numbered("@import url(/s#.css) screen;", size), "<p>字</p>"),
    "media": _styled(lambda size: _numbered("@media (min-width:#px){p{top:1px}}", size), "<p>字</p>"),
    "media in media": _styled(lambda size: "@media all{" * (size // 11), "<p>字</p>"),
    "has": _styled(lambda size: _numbered("div:has(p:has(b)) i{top:#px}", size), "<div><p>字</p></div>"),
    "nth-child": _styled(lambda size: _numbered("p:nth-child(#n+1):nth-last-child(2n){top:1px}", size), "<p>字</p>"),
    "following brothers": _styled(lambda size: _numbered("p ~ p ~ p ~ b{top:#px}", size), "<p>字</p>"),
    "variables": _styled(lambda size: _numbered("p{--v#:var(--w#,var(--v0))}", size), "<p>字</p>"),
    "faces": _styled(lambda size: _numbered("@font-face{font-family:f#;src:url(/f#.woff)}", size), "<p>字</p>"),
    "animations": _styled(lambda size: _numbered("@keyframes k#{to{top:1px}}p{animation:k#}", size), "<p>字</p>"),
    "style elements": _filled_with("<style>.a#{top:1px}</style>字"),
    "a sheet of brackets": _styled(lambda size: "a{" * (size // 2), "<p>字</p>", 16_000_000),
    "a sheet of blanks": _styled(lambda size: " " * size + "@x", "<p>字</p>", 16_000_000),
    "a sheet of closing brackets": _styled(lambda size: "x" + "}" * size, "<p>字</p>"),
    "a selector of stars": _styled(lambda size: "* " * 1_900 + "{top:0}p{top:1px}", "<p>字</p>"),
    "lines of base64": _filled_with("A" * 40 + " ", "<p>"),
    "a sheet of comments": _styled(lambda size: "/*" * (size // 2), "<p>字</p>", 16_000_000),
    "a sheet of rules": _styled(lambda size: _numbered(".a{top:#px}", size), "<p class=a>字</p>", 16_000_000),
    "hidden pieces": _filled_with("灯<i class=x>乱</i>", "<style>.x{display:none}</style>"),
    "hidden pieces of their own": _filled_with("灯<i style='left:-#px;position:absolute'>乱</i>"),
    "turned pieces": _filled_with("<bdo dir=rtl>灯渡#</bdo>"),
    "classes that hide each other": _styled(
        lambda size: _numbered(".a#{display:none}.b#{display:block!important}", size), "<p class='a# b#'>字</p>"
    ),
    # characters
    "zero-width characters": _filled_with("灯\u200b渡\u200d口\ufeff"),
    "entities of letters": _filled_with("&ensp;&hellip;&CounterClockwiseContourIntegral;"),
    "comments without end": _filled_with("<!--"),
    "broken UTF-8": _bytes_of((SENTENCE * 2).encode() + b"\xe6\xb8<b>"),
    "broken GB 18030": _bytes_of("渡口的灯".encode("gbk") + b"\x81\x30\x81\xff<b>"),
    "broken Big5": _bytes_of("渡口的燈".encode("big5") + b"\xf9\xff<b>"),
    "two encodings": _bytes_of("<p>渡口的灯</p>".encode("gbk") + "<p>渡口的灯火</p>".encode()),
    "two encodings in one line": _bytes_of("渡口的灯".encode("gbk") + "渡口的灯火".encode() + b" "),
    "all bytes": _bytes_of(bytes(range(256))),
    "UTF-16": lambda size: "\ufeff".encode("utf-16-le") + ("<p>渡口的灯</p>" * (size // 26)).encode("utf-16-le"),
    "plain text with advertisements": lambda size: "渡口【看书网www.example.com首发】\n".encode() * (size // 52),
    "pinyin between characters": _filled_with("灯(dēng)火huǒ"),
    "blanks between characters": _filled_with("灯 火　渡 "),
    "marks between characters": _filled_with("灯*火·渡、口#"),
    "full width": _filled_with("灯ＷＷＷ．Ａ＃１．ＣＯＭ｡豈"),
    "dates": _filled_with("<p>发表于 2026-11-01 10:00:00 作者：渡口 记者 灯火</p>"),
    "floors of a thread": _filled_with(
        "<div class=post><b>#楼</b> 2026-11-01 10:00<p>渡口的石阶被水磨得发亮。</p></div>"
    ),
    "names of reporters": _filled_with("（记者（记者 文／作者：作者"),
    "next pages": _filled_with("<a rel=next href=/n#>下一页</a>"),
    "linked data": lambda size: _page(f"<script type=application/ld+json>{'[' * size}</script>"),
    "state of a script": lambda size: _page(
        "<script>window.__INITIAL_STATE__={" + _numbered('"k#":{"t":"渡口"},', size)
    ),
}
