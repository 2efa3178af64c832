"""Pages put together from parts in two encodings, as where a template in GBK takes in an advertisement in UTF-8.

Bytes are cut where no encoding has the inside of a character: at tags and line ends first, at other signs where that
does not do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from crawler.characters.mojibake import MIN_GAIN_TO_REPAIR, MIN_QUALITY_TO_ACCEPT, count_outside_ascii, quality

_BLOCK = re.compile(rb"[^<>\r\n]+")
# Neither GBK, Big5 nor the four bytes of GB 18030 have these inside a character.
_PIECE = re.compile(rb"[^\x00-\x2f\x3a-\x3f]+")
# Four characters of the blocks of Chinese, kana and full-width forms; in 43 MB of novels never by chance, in GBK or
# Big5 (2026-11). A set of bytes first, which is searched for five times as fast.
_UTF8_RUN = re.compile(rb"[\xe3-\xe9\xef][\x80-\xbf]{2}(?:[\xe3-\xe9\xef][\x80-\xbf]{2}){3}")
_OTHERS = {"utf-8": ("gb18030", "big5hkscs", "cp1252"), "gb18030": ("utf-8",), "big5hkscs": ("utf-8",)}
MIN_CHARS_TO_SUSPECT = 3  # of a block that can be read in the page's encoding
# That are looked at, 20 us each; what is behind them is read in the page's own encoding. Saved pages have up to 4,823.
MAX_BLOCKS = 20_000


@dataclass(frozen=True, slots=True)
class Pieced:
    """Text of two encodings. own_chars, other_chars: outside ASCII; lost: blocks that are text in neither."""

    text: str
    codec: str
    other: str
    own_chars: int
    other_chars: int
    lost: int


def may_be_mixed(body: bytes, codec: str, is_whole: bool) -> bool:
    """Whether bytes that `codec` reads, wholly or not, show signs of another encoding."""
    if codec not in _OTHERS:
        return False
    return not is_whole if codec == "utf-8" else not is_whole or _UTF8_RUN.search(body) is not None


def pieced(body: bytes, codec: str) -> Iterator[Pieced]:
    """The page read in `codec`, but for the blocks that are text in another encoding only: once for each of these."""
    for other in _OTHERS.get(codec, ()):
        yield _Pieces(codec, other).read(body)


class _Pieces:
    """One reading of one page."""

    def __init__(self, codec: str, other: str) -> None:
        self._codec, self._other = codec, other
        self._own = self._others = self._lost = 0
        self._blocks_left = MAX_BLOCKS

    def read(self, body: bytes) -> Pieced:
        parts: list[str] = []
        end = 0
        for block in _BLOCK.finditer(body):
            parts += [body[end : block.start()].decode("ascii"), self._block(block[0])]
            end = block.end()
            if self._blocks_left <= 0:
                break
        parts.append(self._unsure(body[end:], None))
        return Pieced("".join(parts), self._codec, self._other, self._own, self._others, self._lost)

    def _block(self, block: bytes) -> str:
        if block.isascii():
            return block.decode("ascii")
        self._blocks_left -= 1
        ours, worth = _strictly(block, self._codec)
        if ours is not None and (worth >= MIN_QUALITY_TO_ACCEPT or count_outside_ascii(ours) < MIN_CHARS_TO_SUSPECT):
            self._own += count_outside_ascii(ours)
            return ours
        theirs, their_worth = _strictly(block, self._other)
        if theirs is not None and their_worth >= max(MIN_QUALITY_TO_ACCEPT, worth + MIN_GAIN_TO_REPAIR):
            self._others += count_outside_ascii(theirs)
            return theirs
        return self._by_piece(block) if len(list(islice(_PIECE.finditer(block), 2))) > 1 else self._unsure(block, ours)

    def _by_piece(self, block: bytes) -> str:
        parts: list[str] = []
        end = 0
        for piece in _PIECE.finditer(block):
            parts += [block[end : piece.start()].decode("ascii"), self._block(piece[0])]
            end = piece.end()
            if self._blocks_left <= 0:
                break
        parts.append(self._unsure(block[end:], None))
        return "".join(parts)

    def _unsure(self, block: bytes, ours: str | None) -> str:
        if block.isascii():
            return block.decode("ascii")
        text = block.decode(self._codec, "replace") if ours is None else ours
        self._lost += ours is None
        self._own += count_outside_ascii(text)
        return text


def _strictly(block: bytes, codec: str) -> tuple[str | None, float]:
    try:
        text = block.decode(codec)
    except UnicodeDecodeError:
        return None, 0.0
    return text, quality(text, codec)
