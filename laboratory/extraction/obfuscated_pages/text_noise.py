"""Obfuscations in the text itself: zero-width characters, spaces, pinyin, odd widths, marks, advertisements."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape
from random import Random
from urllib.parse import quote

from crawler.characters.repertoire import HAN
from fingerprint.readings import READINGS_2026
from fingerprint.syllables_2026 import SYLLABLES
from laboratory.extraction.obfuscated_pages.page import Body

_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
_ODD_MARKS = ("*", "^", "~", "_", "|", "·", "-", "/", "`", "#", "●", "※")
_NAMES = ("清风书屋", "云水小说网", "墨香阁", "三叶中文网", "北窗读书", "笔海楼", "飞卢看书", "七星文学")
_HOSTS = ("qfshu", "yunshui8", "moxiangge", "sanye520", "beichuang", "bihai99", "flks", "qixingwx")
_ENDINGS = ("com", "net", "cc", "org", "info")


def zero_width(paragraphs: Sequence[str], rng: Random) -> Body:
    return _between(paragraphs, rng, lambda: rng.choice(_ZERO_WIDTH), rng.uniform(0.05, 0.6))


def spaces(paragraphs: Sequence[str], rng: Random) -> Body:
    blank = rng.choice((" ", "\u3000", "\u00a0", "  "))
    return _between(paragraphs, rng, lambda: blank, rng.uniform(0.1, 0.9))


def punctuation(paragraphs: Sequence[str], rng: Random) -> Body:
    """Insert marks that no Chinese sentence has between two characters."""
    marks = rng.sample(_ODD_MARKS, rng.randint(1, 2))
    return _between(paragraphs, rng, lambda: rng.choice(marks), rng.uniform(0.15, 0.6) * len(marks))


def true_marks(paragraphs: Sequence[str], rng: Random) -> Body:
    """Insert ordinary marks between so many characters that they no longer end clauses."""
    mark = rng.choice("。、，.,")
    return _between(paragraphs, rng, lambda: mark, rng.uniform(0.45, 0.8))


def pinyin_in_brackets(paragraphs: Sequence[str], rng: Random) -> Body:
    opening, closing = rng.choice(("()", "（）", "[]", "【】"))
    share = rng.uniform(0.05, 0.3)

    def spelt(char: str) -> str:
        syllable = SYLLABLES[int(READINGS_2026.syllables[ord(char)])]
        return f"{char}{opening}{syllable}{closing}" if rng.random() < share else char

    return _changed(paragraphs, lambda char: spelt(char) if HAN.fullmatch(char) else char)


def ruby(paragraphs: Sequence[str], rng: Random) -> Body:
    share = rng.uniform(0.05, 0.4)
    markup = []
    for each in paragraphs:
        parts = []
        for char in each:
            if HAN.fullmatch(char) and rng.random() < share:
                syllable = SYLLABLES[int(READINGS_2026.syllables[ord(char)])]
                parts.append(f"<ruby>{char}<rp>(</rp><rt>{syllable}</rt><rp>)</rp></ruby>")
            else:
                parts.append(escape(char))
        markup.append(f"<p>{''.join(parts)}</p>")
    return Body(markup, "\n".join(paragraphs))


def full_width(paragraphs: Sequence[str], rng: Random) -> Body:
    """Convert Latin words and numbers to full width, and on every other page marks to half width."""
    words = ("VIP", "Beta3", "ok", "Room207", "Zhang", "DNA", "B12", "Tom")
    truth = [f"{each[: len(each) // 2]}{rng.choice(words)}{each[len(each) // 2 :]}" for each in paragraphs]
    shown = ["".join(chr(ord(c) + 0xFEE0) if "!" < c <= "~" else c for c in each) for each in truth]
    if rng.random() < 0.5:
        shown = [each.translate(str.maketrans("。、", "｡､")) for each in shown]
    return Body([f"<p>{escape(each)}</p>" for each in shown], "\n".join(truth))


def advertisements(paragraphs: Sequence[str], rng: Random) -> Body:
    """Insert one into most paragraphs, between two sentences or two clauses; no two loads have the same."""
    shown = []
    for each in paragraphs:
        places = [at + 1 for at, char in enumerate(each[:-1]) if char in "，。"]
        if not places or rng.random() < 0.3:
            shown.append(each)
            continue
        at = rng.choice(places)
        shown.append(each[:at] + _advertisement(rng) + each[at:])
    return Body([f"<p>{escape(each)}</p>" for each in shown], "\n".join(paragraphs))


def _advertisement(rng: Random) -> str:
    number = rng.randrange(len(_NAMES))
    name, host = _NAMES[number], f"www.{_HOSTS[number]}.{rng.choice(_ENDINGS)}"
    spelt = rng.choice(
        (host, _wide(host), host.replace(".", "。"), host.replace(".", "点"), host.upper(), " ".join(host))
    )
    return rng.choice(
        (
            f"【{name} {spelt}】",
            f"（{name}{spelt}首发）",
            f"一秒记住【{name}】{spelt}，最快更新！",
            f"请记住本站域名：{spelt}。",
            f"手机用户请到{spelt}阅读。",
            "本章未完，请点击下一页继续阅读！",
            f"本书由{name}首发，{spelt}。",
            f"[{name}{spelt}无弹窗]",
            f"最新章节请到{name}{spelt}阅读。",
            f"喜欢本书请收藏{spelt}。",
        )
    )


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) for char in text)


def _between(paragraphs: Sequence[str], rng: Random, noise: Callable[[], str], share: float) -> Body:
    """Insert noise after a share of the characters that are followed by another character."""
    shown = []
    for each in paragraphs:
        parts = []
        for char, following in zip(each, each[1:] + "\n", strict=True):
            is_between = HAN.fullmatch(char) and HAN.fullmatch(following)
            parts.append(char + (noise() if is_between and rng.random() < share else ""))
        shown.append("".join(parts))
    return Body([f"<p>{escape(each)}</p>" for each in shown], "\n".join(paragraphs))


def _changed(paragraphs: Sequence[str], change: Callable[[str], str]) -> Body:
    shown = ["".join(map(change, each)) for each in paragraphs]
    return Body([f"<p>{escape(each)}</p>" for each in shown], "\n".join(paragraphs))


def encoded(paragraphs: Sequence[str], rng: Random) -> Body:
    """Show each paragraph as character numbers, percent-encoded bytes or base64."""
    ways: tuple[Callable[[str], str], ...] = (
        lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
        lambda text: "".join(f"&amp;#{ord(char)};" for char in text),
        lambda text: quote(text.encode(codec)),
        lambda text: b64encode(text.encode(codec)).decode(),
    )
    way, codec = rng.choice(ways), rng.choice(("utf-8", "gb18030"))
    return Body([f"<p>{way(each)}</p>" for each in paragraphs], "\n".join(paragraphs))
