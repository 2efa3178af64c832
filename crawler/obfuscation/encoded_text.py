r"""Decodes paragraphs that a page displays encoded: \u6e05, &#28165;, %E6%B8%85, \xe6\xb8\x85 or base64.

Nobody can read them as displayed. Readers paste them into a decoder, or use a script that decodes them.
"""

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation, ObfuscationFound
from core.text import storable
from crawler.characters.mojibake import MIN_QUALITY_TO_TRUST, frequent_share, quality
from crawler.characters.repertoire import HAN, count_han
from crawler.markup import UNSEEN, element_text, parse
from crawler.obfuscation.repairs import EXAMPLE_CHARS, MarkedPage, Repair, Repaired

# Chosen, for one text and for the page. A tutorial contains a word or two encoded; the shortest copied paragraph has
# 16.
MIN_HAN, MIN_HAN_OF_PAGE = 8, 16
MIN_SHARE_OF_HAN = 0.5  # of the decoded characters; bytes that are Chinese by chance also decode to other characters
_UNITS = re.compile(
    r"(?:\\u|%u)([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});", re.IGNORECASE
)
# Bytes outside of URLs, with a number or a punctuation mark between some of them.
_BYTE = r"(?:%|\\x)[0-9a-f]{2}"
_BYTES = re.compile(rf"(?<![\w/=?&#.:-])(?:{_BYTE})++(?:[\w!'()*+.,:;?/~-]{{1,8}}+(?:{_BYTE})++)*+", re.IGNORECASE)
# At least ten characters in UTF-8, on one or several lines.
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{32,}+(?:\s++[A-Za-z0-9+/_-]{4,}+)*+={0,2}")
_SIGNS = re.compile(rf"{_UNITS.pattern}|{_BYTES.pattern}|{_BASE64.pattern}", re.IGNORECASE)
_MIN_CHARS = 32  # of an encoded text: eight characters of four signs each
_MARKUP = re.compile(r"</?(?:p|br|div|span)\b", re.IGNORECASE)
_CODECS = ("utf-8", "gb18030", "big5hkscs")
# Chosen; .25 or more of running text are frequent characters, and .03 of bytes that are decoded by chance.
MIN_FREQUENT = 0.1


def decode_text(text: str) -> str:
    r"""Return a text with its encoded parts decoded, or the unchanged text if they are not Chinese.

    >>> decode_text("%E6%B8%85" * 8), decode_text(r"\u6e05" * 9), decode_text(r"\u6e05")
    ('清清清清清清清清', '清清清清清清清清清', '\\u6e05')
    """
    decoded = text
    if len(_UNITS.findall(text)) >= MIN_HAN:  # two units may be one character outside the basic plane
        units = _UNITS.sub(lambda match: chr(min(0x10FFFF, _code(match))), text)
        decoded = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    decoded = _BYTES.sub(lambda match: _decode_percent(match[0]) or match[0], decoded)
    decoded = _BASE64.sub(lambda match: _decode_base64(match[0]) or match[0], decoded)
    if decoded == text or count_han(decoded) - count_han(text) < MIN_HAN:
        return text
    if _MARKUP.search(decoded) and (tree := parse(decoded)) is not None:
        decoded = element_text(tree)
    return storable(decoded)


def _code(unit: re.Match[str]) -> int:
    return int(unit[4]) if unit[4] else int(unit[1] or unit[2] or unit[3], 16)


def _decode_percent(shown: str) -> str:
    return _decode_bytes(unquote_to_bytes(shown.replace("\\x", "%").replace("\\X", "%")))


def _decode_base64(shown: str) -> str:
    bare = "".join(shown.split()).rstrip("=").replace("-", "+").replace("_", "/")
    return _decode_bytes(b64decode(bare[: len(bare) - (len(bare) % 4 == 1)] + "=" * (-len(bare) % 4)))


def _decode_bytes(data: bytes) -> str:
    """Return the Chinese text that bytes encode, or "" if they encode none."""
    for codec in _CODECS:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if len(HAN.findall(text)) >= max(MIN_HAN / 2, MIN_SHARE_OF_HAN * len(text)) and (
            codec == "utf-8" or (quality(text, codec) >= MIN_QUALITY_TO_TRUST and frequent_share(text) >= MIN_FREQUENT)
        ):
            return text
    return ""


def decode_elements(tree: HtmlElement) -> list[Repaired]:
    """Decode the encoded texts in a page's elements. The tree is changed. Return a record of each."""
    found = []
    for element, is_tail, text in _texts(tree):
        if (decoded := decode_text(text)) != text:
            found.append((element, is_tail, text, decoded))
    if sum(count_han(decoded) for *_, decoded in found) < MIN_HAN_OF_PAGE:
        return []
    return [_write(*each) for each in found]


def _texts(tree: HtmlElement) -> Iterator[tuple[HtmlElement, bool, str]]:
    """Yield (element, is_tail, text) for texts that may be encoded. is_tail: the text follows the element."""
    for element in tree.iter("*"):
        if element.tag not in UNSEEN and element.text and _may_be_encoded(element.text):
            _join_lines(element)
            yield element, False, element.text
        if element.tail and _may_be_encoded(element.tail):
            yield element, True, element.tail


def _may_be_encoded(text: str) -> bool:
    """Return True if a text has signs of a code. A text in base64 contains nothing outside ASCII."""
    if len(text) < _MIN_CHARS:
        return False
    has_signs = "\\" in text or "%" in text or "&#" in text
    return has_signs or (text.isascii() and _BASE64.search(text) is not None)


def _join_lines(element: HtmlElement) -> None:
    """Join the lines of an element if they have equal lengths. A code may be split into them inside a character."""
    if not all(child.tag == "br" for child in element):
        return
    lines = "\n".join(element.itertext()).split()
    if len(lines) > 1 and {len(line) for line in lines[:-1]} == {len(lines[0])} and len(lines[-1]) <= len(lines[0]):
        element[:] = []
        element.text = "".join(lines)


def _write(element: HtmlElement, is_tail: bool, shown: str, decoded: str) -> Repaired:
    """Replace one text of an element by its decoded lines, with a line break between them. Return a record."""
    first, *others = [line for line in decoded.splitlines() if line.strip()]
    breaks = [element.makeelement("br") for _ in others]
    for each, line in zip(breaks, others, strict=True):
        each.tail = line
    if is_tail:
        element.tail = None
        for each in reversed(breaks):
            element.addnext(each)
        element.tail = first
    else:
        element.text = first
        element[:0] = breaks
    return Repaired(Obfuscation.ENCODED_TEXT, element, 1, " ".join(shown.split())[:EXAMPLE_CHARS])


def _repair(page: MarkedPage) -> Iterable[Repaired]:
    return decode_elements(page.tree)


def _decode_lines(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
    """Return a text with its encoded parts decoded, and a record or None.

    For a text without markup, and for lines whose parts are joined from several elements.
    """
    decoded = decode_text(text)
    if decoded == text or count_han(decoded) < MIN_HAN_OF_PAGE:
        return text, None
    example = next(_SIGNS.finditer(text))
    return decoded, ObfuscationFound(Obfuscation.ENCODED_TEXT, 1, text[example.start() :][:EXAMPLE_CHARS])


REPAIR = Repair(in_tree=_repair, needs=frozenset({"body"}), in_text=_decode_lines, signs=_SIGNS)
