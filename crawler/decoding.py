"""Bytes -> characters, or a refusal: labels are believed only as far as the text that they give makes sense.

Serves the crawl and `zhuiwen read`. Does not look at markup beyond the charset that it declares.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from w3lib.encoding import html_body_declared_encoding

from core.states import Rejection
from crawler.repertoire import (
    CHINESE_MARKS,
    COMMON_HAN,
    FREQUENT_HAN,
    HAN,
    KANA_OR_HANGUL,
    PRIVATE_USE,
    SECOND_HAN,
)

# What the labels of pages stand for: each by its largest superset, since pages use characters beyond their label.
_BY_LABEL = {
    **dict.fromkeys(
        ("gb2312", "gb_2312-80", "gbk", "x-gbk", "cp936", "ms936", "euc-cn", "gb18030", "chinese"), "gb18030"
    ),
    **dict.fromkeys(("big5", "big5-hkscs", "big5hkscs", "cn-big5", "x-x-big5", "csbig5", "cp950"), "big5hkscs"),
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16-le", "unicode"), "utf-16-le"),
    **dict.fromkeys(("utf-16be", "utf-16-be"), "utf-16-be"),
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252", "us-ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    "euc-jp": "euc_jp",
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "cp949"), "cp949"),
}
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_STATISTICAL = ("utf-8", "gb18030", "big5hkscs")  # in this order when nothing else decides
_KANA_IS_AT_HOME = frozenset({"utf-8", "utf-16-le", "utf-16-be", "cp932", "euc_jp", "cp949"})

# The bounds were set on the matrix of tests/crawler/test_decoding.py (texts x encodings x wrong labels, 2026-11): right
# decodings of running Chinese score 0.93-1.0, wrong ones 0.05-0.70; ranges tried 0.6-0.9.
MIN_QUALITY_TO_ACCEPT = 0.75
MIN_QUALITY_TO_TRUST = 0.88
MAX_LOST_SHARE = 0.02  # of the characters outside ASCII; a page cut off or with one broken advertisement stays below
# Three in ten characters of GBK happen to be valid UTF-8 (lead C4-DF, trail 80-BF): eight in a row are no accident.
MIN_CHARS_OF_SURE_UTF8 = 8
_SAMPLE_CHARS = 60_000
_LABEL_BONUS = 0.02  # a label decides between readings that are as good as each other, and never more
_VALID_UTF8_BONUS = 0.25  # text in another encoding is hardly ever valid UTF-8 beyond a few characters
_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]+")
_LOST = re.compile("\ufffd|锟斤拷|锟斤|斤拷|烫烫烫|屯屯屯")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_ASCII_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")
_LETTERS_IN_WORDS = re.compile("(?<=[A-Za-z])[À-ÖØ-öø-ɏ]{1,2}|[À-ÖØ-öø-ɏ]{1,2}(?=[A-Za-z])")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the codec that gave it (`gb18030`, `big5hkscs`, `utf-8`, ...)."""

    text: str
    encoding: str
    is_doubtful: bool = False


def decode(body: bytes, header_charset: str = "", hint: str = "") -> Decoded | Rejection:
    """The text of a page, whatever its labels say; Rejection.MOJIBAKE where no decoding gives text.

    header_charset: of Content-Type, as it came; hint: what the operator says. Both may be empty or wrong.
    """
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return _accepted(body[len(mark) :], [codec], labels=[codec])
    declared = html_body_declared_encoding(body[:8192]) or ""
    labels = [_BY_LABEL.get(label.strip().strip("\"'").lower(), "") for label in (hint, header_charset, declared)]
    return _accepted(body, list(_candidates(body, labels)), [label for label in labels if label])


def codec_of(label: str) -> str:
    """The codec that a charset label stands for, "" for one that no page should be read in.

    >>> codec_of("GB2312")
    'gb18030'
    """
    return _BY_LABEL.get(label.strip().lower(), "")


def quality(text: str, codec: str = "utf-8") -> float:
    """How much of what is not ASCII looks written by people: 0.0 mojibake, 1.0 running text; pure ASCII gives 1.0."""
    if _has_many_controls(text[:_SAMPLE_CHARS]):
        return 0.0
    sample = "".join(_OUTSIDE_ASCII.findall(text))[:_SAMPLE_CHARS]
    if not sample:
        return 1.0
    if codec == "cp1252":
        return sum(map(len, _LETTERS_IN_WORDS.findall(text))) / len(sample)
    lost = len(_LOST.findall(sample))
    worth = sum(_worth(char, codec) * count for char, count in Counter(sample).items())
    han = [char for char in sample if HAN.match(char)]
    frequent = sum(char in FREQUENT_HAN for char in han) / len(han) if han else 0.4
    # Two fifths of running text are frequent characters; short texts and lists of names have few, so it weighs little.
    return max(0.0, (worth - 8 * lost) / len(sample) * (0.95 + 0.05 * min(1.0, frequent / 0.2)))


def _candidates(body: bytes, labels: list[str]) -> Iterator[str]:
    if _has_many_controls(body[:4000].decode("latin-1")):
        yield from ("utf-16-le", "utf-16-be")  # Chinese in one order is rare characters in the other: quality decides
    if _is_utf8_for_sure(body):
        yield "utf-8"
        return
    yield from dict.fromkeys([*(label for label in labels if label), *_STATISTICAL])


def _is_utf8_for_sure(body: bytes) -> bool:
    """Whether it is valid UTF-8 by more than chance: what is then no text is no text in any other encoding either."""
    text, is_whole = _text(body, "utf-8")
    return is_whole and sum(map(len, _OUTSIDE_ASCII.findall(text))) >= MIN_CHARS_OF_SURE_UTF8


def _accepted(body: bytes, codecs: list[str], labels: list[str]) -> Decoded | Rejection:
    """The best of the candidates, if it is text."""
    best: Decoded | None = None
    best_rank = -1.0
    for codec in dict.fromkeys(codecs):
        text, is_whole = _text(body, codec)
        worth = quality(text, codec)
        if worth < MIN_QUALITY_TO_ACCEPT or _lost_share(text) > MAX_LOST_SHARE:
            continue
        rank = worth + _LABEL_BONUS * (codec in labels) + _VALID_UTF8_BONUS * (codec == "utf-8" and is_whole)
        if rank > best_rank + 1e-9:
            best_rank = rank
            best = Decoded(text, codec, worth < MIN_QUALITY_TO_TRUST or not is_whole)
    return best or Rejection.MOJIBAKE


def _has_many_controls(text: str) -> bool:
    return len(_ASCII_CONTROLS.findall(text)) > len(text) / 100


def _text(body: bytes, codec: str) -> tuple[str, bool]:
    """The text, and whether every byte of it was right; a character cut off at the very end counts as right."""
    try:
        return body.decode(codec), True
    except UnicodeDecodeError as fault:
        if fault.start >= len(body) - 4:
            return body[: fault.start].decode(codec), True
        return body.decode(codec, "replace"), False


def _lost_share(text: str) -> float:
    outside = sum(map(len, _OUTSIDE_ASCII.findall(text)))
    return len(_LOST.findall(text)) / outside if outside else 0.0


def _worth(char: str, codec: str) -> float:
    if char in COMMON_HAN or CHINESE_MARKS.match(char):
        return 1.0
    if char in SECOND_HAN:
        return 0.7
    if HAN.match(char):
        return 0.2
    if PRIVATE_USE.match(char):
        return 0.9 if codec.startswith("utf") else 0.0  # web fonts hide text there; legacy codecs only by mistake
    if KANA_OR_HANGUL.match(char):
        return 0.9 if codec in _KANA_IS_AT_HOME else 0.3
    if _CONTROLS.match(char) or char == "\ufffd":
        return 0.0
    return 0.9 if codec.startswith("utf") and char.isprintable() and not "\u0080" <= char <= "\u024f" else 0.4
