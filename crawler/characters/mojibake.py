"""Measures how much a text looks written by people, and repairs text that was saved after a wrong decoding.

This quality decides between decodings. All functions depend only on the text.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from crawler.characters.repertoire import (
    CHINESE_MARKS,
    COMMON_HAN,
    FREQUENT_HAN,
    HAN,
    KANA_OR_HANGUL,
    PRIVATE_USE,
    SECOND_HAN,
)

if TYPE_CHECKING:  # numpy takes 17 MB, and an idle admin process decodes nothing
    import numpy as np
    from numpy.typing import NDArray

# Encodings of Latin letters. Their non-ASCII characters occur inside words.
LATIN = frozenset(
    {
        *("cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "mac-roman"),
        *("iso8859-2", "iso8859-3", "iso8859-4", "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16"),
    }
)
# Correct decodings of running Chinese score 0.93-1.0, wrong ones 0.05-0.70 (texts in every Chinese encoding under every
# label, 2026-11; ranges tried 0.6-0.9).
MIN_QUALITY_TO_ACCEPT = 0.75
MIN_QUALITY_TO_TRUST = 0.88
MIN_QUALITY_OF_CLEAN = 0.97  # above it, at most a few words in thirty can be wrong
MIN_GAIN_TO_REPAIR = 0.15  # correct text loses at least 0.2 by each repair
MAX_LOST_SHARE_TO_REPAIR = (
    0.1  # a text that loses one character at the end of each paragraph of ten is still text, but doubtful
)
MIN_CHARS_TO_SUSPECT = 4  # fewer characters have no statistics
# The worth of a letter with diacritics or a symbol that may be half of a Chinese character. Such a letter is worth 1
# inside a word or on its own; this is checked only if more than one character in a hundred is such a letter.
WORTH_OF_LATIN, MIN_SHARE_OF_LATIN = 0.4, 0.01
_SAMPLE_CHARS = 60_000
# In a page that is searched for mojibake block by block. A novel on one page has 50,000; a page with more is hostile.
MAX_BLOCKS_TO_REPAIR = 150_000
_SUSPECTS_TO_TRY, _CHARS_TO_TRY = 200, 2_000  # to choose the repair, and to try it on a long block

_CHARS_OF_PART, _CHARS_OF_SHORT = 200_000, 2_000  # numpy is faster from some 1,000 characters on (2026-11)
_LAST_OF_ASCII, _LAST_OF_BASIC_PLANE = 0x7F, 0xFFFF
_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_ASCII_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")
# Accented letters next to plain ones or on their own. Chinese read as Latin consists of long runs of them.
_LETTERS_IN_WORDS = re.compile(
    "(?<=[A-Za-z])[À-ÖØ-öø-ɏ]{1,2}|[À-ÖØ-öø-ɏ]{1,2}(?=[A-Za-z])|(?<![^\x00-\x7f])[À-ÖØ-öø-ɏ](?![^\x00-\x7f])"
)
_LATIN_OF_WINDOWS = re.compile("[\u0080-\u00ffŒœŠšŽžŸƒˆ˜]")
# Signs that stand alone in English and French: the apostrophe, dashes, the copyright sign, a no-break space. After
# signs that are lead bytes in Big5, no letter may follow.
_LONE_SIGNS = re.compile(
    "(?<![^\x00-\x7f])(?:[\u2013\u2014\u2018-\u201d\u2022\u2026\u20ac\u2122]|[\u00a0\u00a3\u00a9\u00ab\u00ae\u00b0\u00b7"
    "\u00bb\u00c0\u00e0](?![@-~]))(?![^\x00-\x7f])|(?<=[\\s>(])[¡¿](?=[A-ZÁÉÍÓÚÑ])"
)
# Other signs that stand alone in Unicode or are repeated (××××), and soft hyphens. In text that was read as Latin and
# saved, they form runs or, in Big5, precede a letter.
_SIGNS_ALONE = re.compile(
    "(?<![^\x00-\x7f])([\u00a1-\u00a8\u00aa\u00ac\u00af-\u00b6\u00b8-\u00ba\u00bc-\u00bf×÷])\\1*(?![@-~]|[^\x00-\x7f])"
    "|(?<=[a-z])\u00ad(?=[a-z])"
)
_BLOCK = re.compile(r"[^<>\r\n]+")
_KANA_IS_AT_HOME = frozenset({"utf-8", "utf-16-le", "utf-16-be", "cp932", "euc_jp", "cp949"})


@dataclass(frozen=True, slots=True)
class MojibakeRepair:
    """A text as it was before it was decoded as `wrong` instead of `right`.

    is_whole: True if no character is lost
    """

    text: str
    right: str
    wrong: str
    is_whole: bool


def quality(text: str, codec: str = "utf-8") -> float:
    """Return the share of non-ASCII text that looks written by people: 0.0 mojibake, 1.0 running text or pure ASCII.

    codec: the codec that decoded the text; it decides which letters are plausible.
    """
    if has_many_controls(text[:_SAMPLE_CHARS]):
        return 0.0
    if text.isascii():
        return 1.0
    sample = outside_ascii(text)
    if codec in LATIN:
        around = around_outside_ascii(text)
        return min(1.0, (_count_in_words(around) + len(_LONE_SIGNS.findall(around))) / len(sample))
    is_unicode, is_kana_at_home = codec.startswith("utf"), codec in _KANA_IS_AT_HOME
    worth, han, frequent, latin = 0.0, 0, 0, 0
    for char, count in _count_chars(sample):
        of_char, is_han, is_frequent = _judge_char(char, is_unicode, is_kana_at_home)
        worth, han, frequent = worth + of_char * count, han + is_han * count, frequent + is_frequent * count
        latin += count * (of_char == WORTH_OF_LATIN)
    if is_unicode and latin > MIN_SHARE_OF_LATIN * len(sample):
        around = around_outside_ascii(text)
        alone = sum(len(found[0]) for found in _SIGNS_ALONE.finditer(around))
        worth += (1 - WORTH_OF_LATIN) * min(latin, _count_in_words(around) + alone)
    share = frequent / han if han else 0.4
    # Two fifths of running text are frequent characters. Short texts and lists of names have fewer, so the weight is
    # low.
    value = (worth - 8 * count_lost(sample)) / len(sample) * (0.95 + 0.05 * min(1.0, share / 0.2))
    return max(0.0, min(1.0, value))


def _count_in_words(around: str) -> int:
    return sum(map(len, _LETTERS_IN_WORDS.findall(around)))


def outside_ascii(text: str) -> str:
    """Return the non-ASCII characters of a text, at most the first 60,000."""
    if len(text) < _CHARS_OF_SHORT:
        return "".join(_OUTSIDE_ASCII.findall(text))[:_SAMPLE_CHARS]
    sample = ""
    for at in range(0, len(text), _CHARS_OF_PART):
        codes = _text_codes(text[at : at + _CHARS_OF_PART])
        sample += codes[codes > _LAST_OF_ASCII].tobytes().decode("utf-32-le", "surrogatepass")
        if len(sample) >= _SAMPLE_CHARS:
            break
    return sample[:_SAMPLE_CHARS]


def _count_chars(sample: str) -> Iterable[tuple[str, int]]:
    """Return each character of a text with its number of occurrences."""
    import numpy as np

    codes = _text_codes(sample) if len(sample) >= _CHARS_OF_SHORT else None
    if codes is None or codes.max() > _LAST_OF_BASIC_PLANE:
        return Counter(sample).items()
    counts = np.bincount(codes)
    there = np.flatnonzero(counts)
    return zip(map(chr, there.tolist()), counts[there].tolist(), strict=True)


def _text_codes(text: str) -> "NDArray[np.uint32]":
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def around_outside_ascii(text: str) -> str:
    """Return the runs of non-ASCII characters, each with the characters directly before and after it, joined by NUL."""
    around: list[str] = []
    left = _SAMPLE_CHARS
    for run in _OUTSIDE_ASCII.finditer(text):
        start, end = run.start(), min(run.end(), run.start() + left)
        around.append(text[max(0, start - 1) : end + 1])
        left -= end - start
        if not left:
            break
    return "\0".join(around)


def frequent_share(text: str) -> float:
    """Return the share of frequent characters among the Chinese ones, [0, 1]; two fifths in running text."""
    han = [(char, count) for char, count in _count_chars(text[:_SAMPLE_CHARS]) if HAN.match(char)]
    frequent = sum(count for char, count in han if char in FREQUENT_HAN)
    return frequent / sum(count for _, count in han) if han else 0.0


def lost_share(text: str) -> float:
    """Return the share of the non-ASCII characters that are lost and cannot be restored, [0, 1]."""
    lost = count_lost(text)
    return lost / count_outside_ascii(text) if lost else 0.0


def count_lost(text: str) -> int:
    """Count lost characters: U+FFFD, what GBK makes of it (锟斤拷), and uninitialised memory (烫烫烫, 屯屯屯)."""
    lost = text.count("\ufffd")
    if "锟" in text or "拷" in text:  # a search for one character is ten times as fast as one for several
        lost += text.count("锟斤") + text.count("斤拷") - text.count("锟斤拷")
    return lost + sum(text.count(char * 3) for char in "烫屯" if char in text)


def count_outside_ascii(text: str) -> int:
    return 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))


def has_many_controls(text: str) -> bool:
    """Return True if a text has more control characters than any real text. UTF-16 and binary data have so many."""
    return len(_ASCII_CONTROLS.findall(text)) > len(text) / 100


def repair(text: str) -> MojibakeRepair | None:
    """Undo a wrong decoding, block by block; return None if no block indicates one.

    Only blocks that improve are changed, so a page with one garbled field keeps its other text.
    """
    blocks = [block[0] for block in islice(_BLOCK.finditer(text), MAX_BLOCKS_TO_REPAIR + 1)]
    if len(blocks) > MAX_BLOCKS_TO_REPAIR:
        return None
    suspects = list(islice(filter(_is_suspect, blocks), _SUSPECTS_TO_TRY))
    if not suspects:
        return None
    best = max(_WAYS, key=lambda way: sum(_block_gain(block[:_CHARS_TO_TRY], way) for block in suspects))
    is_whole = True

    def repair_match(block: re.Match[str]) -> str:
        nonlocal is_whole
        better = _repair_block(block[0], best)
        if better is None:
            return block[0]
        is_whole = is_whole and "\ufffd" not in better
        return better

    whole = _BLOCK.sub(repair_match, text)
    return None if whole == text else MojibakeRepair(whole, best.right, best.wrong, is_whole)


@dataclass(frozen=True, slots=True)
class _Way:
    right: str
    wrong: str
    undo: Callable[[str], bytes]


def _block_gain(block: str, way: _Way) -> float:
    better = _repair_block(block, way)
    return 0.0 if better is None else (quality(better, way.right) - quality(block)) * len(block)


def _repair_block(block: str, way: _Way) -> str | None:
    """Return a block decoded correctly, or None if that is no improvement. Lost characters become U+FFFD."""
    is_long = len(block) > 2 * _CHARS_TO_TRY
    if block.isascii() or (is_long and _repair_block(block[:_CHARS_TO_TRY], way) is None):
        return None
    raw = way.undo(block)
    better = raw.decode(way.right, "replace")
    if lost_share(better) > MAX_LOST_SHARE_TO_REPAIR:
        return None
    gain = quality(better.replace("\ufffd", ""), way.right) - quality(block.replace("\ufffd", ""))
    return better if gain >= MIN_GAIN_TO_REPAIR else None


def _is_suspect(block: str) -> bool:
    if block.isascii():
        return False
    kept = block.replace("\ufffd", "")
    return (
        count_outside_ascii(kept) >= MIN_CHARS_TO_SUSPECT
        and lost_share(kept) <= MAX_LOST_SHARE_TO_REPAIR  # text with many lost characters cannot be repaired
        and quality(kept) <= 1 - MIN_GAIN_TO_REPAIR
    )


def _encode_latin(block: str) -> bytes:
    """Encode as ISO 8859-1 and windows-1252 together, because each lacks characters of the other and pages mix them."""
    return _BEYOND_LATIN.sub("\xff", block.translate(_OF_WINDOWS)).encode("latin-1")


_OF_WINDOWS = {ord(char): byte for byte in range(0x80, 0xA0) if (char := bytes([byte]).decode("cp1252", "ignore"))}
_BEYOND_LATIN = re.compile("[^\x00-\xff]")  # no tried encoding uses \xff for a character, so the byte counts as lost


def _make_encoder(codec: str) -> Callable[[str], bytes]:
    def undo(block: str) -> bytes:
        return b"\xff".join(part.encode(codec, _AS_LOST) for part in block.split("\ufffd"))

    return undo


def _replace_lost(fault: UnicodeError) -> tuple[bytes, int]:
    """Replace a character that an encoding lacks by an invalid byte. A question mark would count as correct text."""
    assert isinstance(fault, UnicodeEncodeError)
    return b"\xff" * (fault.end - fault.start), fault.end


_AS_LOST = "zhuiwen.lost"
codecs.register_error(_AS_LOST, _replace_lost)

_WAYS = (
    _Way("utf-8", "cp1252", _encode_latin),
    _Way("gb18030", "cp1252", _encode_latin),
    _Way("big5hkscs", "cp1252", _encode_latin),
    _Way("utf-8", "gb18030", _make_encoder("gb18030")),
    _Way("utf-8", "big5hkscs", _make_encoder("big5hkscs")),
    _Way("big5hkscs", "gb18030", _make_encoder("gb18030")),
    _Way("gb18030", "big5hkscs", _make_encoder("big5hkscs")),
)


@lru_cache(maxsize=65_536)
def _judge_char(char: str, is_unicode: bool, is_kana_at_home: bool) -> tuple[float, bool, bool]:
    """Return the worth of a character, whether it is Chinese, and whether it is frequent in Chinese text."""
    return _character_worth(char, is_unicode, is_kana_at_home), HAN.match(char) is not None, char in FREQUENT_HAN


def _character_worth(char: str, is_unicode: bool, is_kana_at_home: bool) -> float:
    if char in COMMON_HAN or CHINESE_MARKS.match(char):
        return 1.0
    if char in SECOND_HAN:
        return 0.7
    if HAN.match(char):
        return 0.2
    if PRIVATE_USE.match(char):
        return 0.9 if is_unicode else 0.0  # web fonts display hidden text there; legacy codecs yield it only by mistake
    if KANA_OR_HANGUL.match(char):
        return 0.9 if is_kana_at_home else 0.3
    if _CONTROLS.match(char) or char == "\ufffd":
        return 0.0
    return 0.9 if is_unicode and char.isprintable() and not _LATIN_OF_WINDOWS.match(char) else WORTH_OF_LATIN
