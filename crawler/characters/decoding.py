"""Decodes the bytes of a page, or refuses them. A charset label counts only if the decoded text makes sense.

Serves the crawl and `zhuiwen read`. The only markup that is read is the declared charset.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from w3lib.encoding import html_body_declared_encoding, resolve_encoding

from core.states import Rejection
from core.wording import Message
from crawler.characters.mojibake import (
    LATIN,
    MIN_GAIN_TO_REPAIR,
    MIN_QUALITY_OF_CLEAN,
    MIN_QUALITY_TO_ACCEPT,
    MIN_QUALITY_TO_TRUST,
    around_outside_ascii,
    count_lost,
    count_outside_ascii,
    frequent_share,
    lost_share,
    outside_ascii,
    quality,
    repair,
)

# Codecs for the charset labels of pages. Each label maps to its largest superset, because pages use its characters.

CHINESE = frozenset({"gb18030", "big5hkscs"})
UNICODE = frozenset({"utf-8", "utf-16-le", "utf-16-be"})
# For each encoding that serves one language or script other than Chinese, the letters that its texts consist of.
HANGUL, KANA = "\u3131-\u318e\uac00-\ud7a3", "\u3041-\u30fe"
LETTERS = {
    "cp949": HANGUL,
    **dict.fromkeys(("cp932", "euc_jp"), KANA),
    **dict.fromkeys(("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866"), "\u0400-\u052f"),
    **dict.fromkeys(("cp1253", "iso8859-7"), "\u0370-\u03ff"),
    **dict.fromkeys(("cp1255", "iso8859-8"), "\u0590-\u05ff"),
    **dict.fromkeys(("cp1256", "iso8859-6"), "\u0600-\u06ff"),
}
_READ = CHINESE | UNICODE | LATIN | LETTERS.keys()
# Labels that pages use but w3lib does not know, and a label that w3lib maps to a narrower codec.
_MORE = {
    "x-gbk": "gb18030",
    **dict.fromkeys(("cn-big5", "x-x-big5", "cp950"), "big5hkscs"),
    "unicode-1-1-utf-8": "utf-8",
    **dict.fromkeys(("utf-16", "unicode"), "utf-16-le"),
    **dict.fromkeys(("windows-949", "ks_c_5601-1989"), "cp949"),
    "x-euc-jp": "euc_jp",
    "iso-8859-8-i": "iso8859-8",
}

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTROLS, _MAX_BYTES_TO_SUSPECT = re.compile(rb"[\x00-\x08\x0e-\x1f]"), 4_000  # as in mojibake.has_many_controls
_STATISTICAL = ("utf-8", "gb18030", "big5hkscs")  # tried in this order if nothing else decides
MAX_LOST_SHARE = 0.02  # of the characters outside ASCII; a page that is cut off loses less
# GBK and Big5 read as UTF-8 lose .77 to .92; a page of which half is UTF-8 loses .5 (40 pages, 2026-12).
MAX_LOST_SHARE_OF_MIXED = 0.65
# Three in ten characters of GBK are valid UTF-8 by chance (lead C4-DF, trail 80-BF); eight in a row are not.
MIN_CHARS_OF_SURE_UTF8 = 8
_LABEL_BONUS = 0.02  # a label only decides between candidates of equal quality
_VALID_UTF8_BONUS = 0.25  # text in another encoding is hardly ever valid UTF-8 for more than a few characters
# Running Chinese has 0.25-0.5; Korean read as GB 2312 up to 0.09, Japanese as Big5 up to 0.17 (2026-11).
MAX_FREQUENT_SHARE_IN_DOUBT, MAX_FREQUENT_SHARE_OF_DECLARED = 0.2, 0.3
MAX_FREQUENT_IN_LATIN = 0.05  # of the characters that result from Latin letters read as Chinese


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and the codec that decoded it (`gb18030`, `big5hkscs`, `utf-8`, ...).

    repairs: messages for the operator about repairs: a part in another encoding, or text that had been decoded wrongly
    before it was saved
    """

    text: str
    encoding: str
    is_doubtful: bool = False
    repairs: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class _DecodingCandidate:
    """A decoding and its quality; the highest rank wins."""

    decoded: Decoded
    worth: float
    rank: float
    is_whole: bool
    lost: float  # share of lost characters; 0.0 for repaired text, which may have lost some in each paragraph

    @property
    def is_acceptable(self) -> bool:
        return self.worth >= MIN_QUALITY_TO_ACCEPT and self.lost <= MAX_LOST_SHARE


def decode(body: bytes, header_charset: str = "", hint: str = "") -> Decoded | Rejection:
    """Decode a page by its labels and by statistics; return Rejection.MOJIBAKE if no decoding yields text.

    header_charset: the charset of Content-Type, as received. hint: the charset stated by the operator. Both may be
    empty or wrong.
    """
    mark, codec = next((pair for pair in _MARKS if body.startswith(pair[0])), (b"", ""))
    body = body[len(mark) :]
    if codec.startswith("utf-16"):
        return _best_decoding(body, [codec], [codec]) or Rejection.MOJIBAKE
    declared = html_body_declared_encoding(body[:8192]) or ""
    labels = [named for label in (hint, codec, header_charset, declared) if (named := resolve_codec(label))]
    return (
        _best_decoding(body, list(_candidate_codecs(body, labels)), labels)
        or _valid_utf8(body, labels)
        or Rejection.MOJIBAKE
    )


def resolve_codec(label: str) -> str:
    """Return the codec for a charset label, or "" if pages are never decoded with it.

    >>> resolve_codec("GB2312"), resolve_codec("utf-7")
    ('gb18030', '')
    """
    plain = label.strip().strip("\"'").lower()
    codec = _MORE.get(plain) or resolve_encoding(plain) or ""
    return codec if codec in _READ else ""


def _candidate_codecs(body: bytes, labels: Sequence[str]) -> Iterator[str]:
    if len(_CONTROLS.findall(body, 0, _MAX_BYTES_TO_SUSPECT)) > min(len(body), _MAX_BYTES_TO_SUSPECT) / 100:
        yield from ("utf-16-le", "utf-16-be")  # in the wrong order, Chinese becomes rare characters: quality decides
    if _is_utf8_for_sure(body, labels):
        yield "utf-8"
        return
    yield from dict.fromkeys([*(label for label in labels if label in UNICODE | CHINESE), *_STATISTICAL])


def _is_utf8_for_sure(body: bytes, labels: Sequence[str]) -> bool:
    """Return True if the body is valid UTF-8 and either declared as UTF-8 or too long to be valid by chance."""
    text, is_whole = _decode_text(body, "utf-8")
    return is_whole and ("utf-8" in labels or count_outside_ascii(text) >= MIN_CHARS_OF_SURE_UTF8)


def _valid_utf8(body: bytes, labels: Sequence[str]) -> Decoded | None:
    """Return valid UTF-8 even if it hardly looks like text, as a browser shows it; None if its characters were lost."""
    text, _ = _decode_text(body, "utf-8")
    is_short = count_outside_ascii(text) < MIN_CHARS_OF_SURE_UTF8
    is_lost = lost_share(text) > MAX_LOST_SHARE and count_lost(text) >= MIN_CHARS_OF_SURE_UTF8
    if is_lost or not _is_utf8_for_sure(body, labels):
        return None
    return Decoded(text, "utf-8", is_doubtful=not is_short or "\ufffd" in text)


def _best_decoding(body: bytes, codecs: Sequence[str], labels: Sequence[str]) -> Decoded | None:
    """Return the best decoding, or None if no candidate is text."""
    plain: list[_DecodingCandidate] = []
    best: _DecodingCandidate | None = None
    for codec in dict.fromkeys(codecs):
        # No quality exceeds 1.0, and codecs of labels come first. So no later codec ranks higher.
        if best is not None and best.rank >= 1.0 and codec not in (*labels, "utf-8") and _is_clean(best, body):
            return _check_language(best, body, labels)
        plain.append(_plain_candidate(body, codec, labels))
        best = _highest_ranked([each for each in plain if each.is_acceptable])
    if best is None or not _is_clean(best, body):
        found = [*plain, *_mixed_candidates(body, plain), *_repaired_candidates(plain)]
        best = _highest_ranked([each for each in found if each.is_acceptable])
    return _check_language(best, body, labels)


def _check_language(best: _DecodingCandidate | None, body: bytes, labels: Sequence[str]) -> Decoded | None:
    if best is None or best.decoded.encoding not in UNICODE:
        return _other_language(body, labels, best) or (best.decoded if best else None)
    return best.decoded


def _highest_ranked(candidates: Sequence[_DecodingCandidate]) -> _DecodingCandidate | None:
    return max(candidates, key=lambda each: each.rank, default=None)  # the first if several are equal


def _is_clean(best: _DecodingCandidate, body: bytes) -> bool:
    return best.worth >= MIN_QUALITY_OF_CLEAN and not may_be_mixed(body, best.decoded.encoding, best.is_whole)


def _plain_candidate(body: bytes, codec: str, labels: Sequence[str]) -> _DecodingCandidate:
    text, is_whole = _decode_text(body, codec)
    worth, lost = quality(text, codec), lost_share(text)
    rank = round(worth + _LABEL_BONUS * (codec in labels) + _VALID_UTF8_BONUS * (codec == "utf-8" and is_whole), 9)
    doubtful = worth < MIN_QUALITY_TO_TRUST or not is_whole
    return _DecodingCandidate(Decoded(text, codec, doubtful), worth, rank, is_whole, lost)


def _mixed_candidates(body: bytes, plain: Sequence[_DecodingCandidate]) -> Iterator[_DecodingCandidate]:
    """Yield decodings of the page in one encoding with parts in another.

    The page's own encoding has the longer part.
    """
    for codec in [
        each.decoded.encoding
        for each in plain
        if each.lost <= MAX_LOST_SHARE_OF_MIXED and may_be_mixed(body, each.decoded.encoding, each.is_whole)
    ]:
        for other in _OTHERS[codec]:
            mixed = _MixedDecoder(codec, other)
            text = mixed.decode(body)
            if not 0 < mixed.other_chars <= mixed.own_chars:
                continue
            worth = quality(text)
            share = mixed.own_chars / (mixed.own_chars + mixed.other_chars)
            doubtful = worth < MIN_QUALITY_TO_TRUST or mixed.lost > 0
            said = (Message("page.mixed", chars=mixed.other_chars, other=other, encoding=codec),)
            # 0.2: the longer part decides. The label does not count here, because such pages are often wrongly
            # labelled.
            rank = worth + 0.2 * share - 0.05 * mixed.lost
            yield _DecodingCandidate(
                Decoded(text, codec, doubtful, said), worth, rank, not mixed.lost, lost_share(text)
            )


def _repaired_candidates(plain: Sequence[_DecodingCandidate]) -> Iterator[_DecodingCandidate]:
    """Yield repairs of text that had been decoded wrongly before it was saved, as far as the text can be restored."""
    for each in plain:
        mended = repair(each.decoded.text) if each.is_whole else None
        if mended is None:
            continue
        codec = each.decoded.encoding
        worth = quality(mended.text.replace("\ufffd", ""))
        doubtful = worth < MIN_QUALITY_TO_TRUST or not mended.is_whole
        said = (Message("page.saved-wrongly", encoding=codec, right=mended.right, wrong=mended.wrong),)
        # A repair ranks below a decoding that needs none, unless that decoding is not text.
        decoded = Decoded(mended.text, codec, doubtful, said)
        yield _DecodingCandidate(decoded, worth, worth + each.rank - each.worth, is_whole=True, lost=0.0)


def _other_language(body: bytes, labels: Sequence[str], best: _DecodingCandidate | None) -> Decoded | None:
    """Return text in another language that the page declares, or in Latin letters; None if it may be Chinese."""
    frequent = frequent_share(best.decoded.text) if best else 0.0
    if frequent < MAX_FREQUENT_SHARE_OF_DECLARED:
        for text, codec in declared_texts(body, labels):
            return Decoded(text, codec, "\ufffd" in text)
    if frequent >= MAX_FREQUENT_SHARE_IN_DOUBT:
        return None
    latin = _plain_candidate(body, "cp1252", ())
    is_sure = (
        latin.worth >= (MIN_QUALITY_TO_TRUST if best else MIN_QUALITY_TO_ACCEPT) and frequent < MAX_FREQUENT_IN_LATIN
    )
    return latin.decoded if is_sure else None


def _decode_text(body: bytes, codec: str) -> tuple[str, bool]:
    """Return the text, and True if every byte is valid. A character that is cut off at the end counts as valid."""
    try:
        return body.decode(codec), True
    except UnicodeDecodeError as fault:
        if fault.start >= len(body) - 4:
            return body[: fault.start].decode(codec), True
        return body.decode(codec, "replace"), False


# Decodes pages that mix two encodings, such as a GBK template with an advertisement in UTF-8.
#
# Bytes are split where no encoding has a character: at tags and line endings first, and at other ASCII characters if
# that is not sufficient.

_BLOCK = re.compile(rb"[^<>\r\n]+")
# Neither GBK, Big5 nor the four-byte characters of GB 18030 contain these bytes.
_PIECE = re.compile(rb"[^\x00-\x2f\x3a-\x3f]+")
# Four characters of the Chinese, kana and full-width blocks, which never occur by chance in 43 MB of novels in GBK or
# Big5 (2026-11). The set of lead bytes makes the search five times as fast.
_UTF8_RUN = re.compile(rb"[\xe3-\xe9\xef][\x80-\xbf]{2}(?:[\xe3-\xe9\xef][\x80-\xbf]{2}){3}")
_UTF8_CHAR = re.compile(rb"[\xe3-\xe9\xef][\x80-\xbf]{2}")
_OTHERS = {"utf-8": ("gb18030", "big5hkscs", "cp1252"), "gb18030": ("utf-8",), "big5hkscs": ("utf-8",)}
MIN_CHARS_TO_SUSPECT = 3  # in a block that is valid in the page's encoding
# A block takes 20 us. Text after the last block is decoded in the page's own encoding. Saved pages have up to 4,823.
MAX_BLOCKS = 20_000


def may_be_mixed(body: bytes, codec: str, is_whole: bool) -> bool:
    """Return True if a body shows signs of a second encoding. is_whole: True if `codec` decodes the body completely."""
    if codec not in _OTHERS:
        return False
    return not is_whole if codec == "utf-8" else not is_whole or _UTF8_RUN.search(body) is not None


class _MixedDecoder:
    """Decodes a page in two encodings: blocks that are text only in `other` use it, and all other blocks use `codec`.

    own_chars, other_chars: characters outside ASCII in each encoding. lost: blocks that are text in neither
    """

    def __init__(self, codec: str, other: str) -> None:
        self._codec, self._other = codec, other
        self.own_chars = self.other_chars = self.lost = 0
        self._blocks_left = MAX_BLOCKS

    def decode(self, body: bytes, pattern: "re.Pattern[bytes]" = _BLOCK) -> str:
        """Return the text of a body. pattern: matches the blocks that are decoded separately."""
        parts: list[str] = []
        end = 0
        for block in pattern.finditer(body):
            parts += [body[end : block.start()].decode("ascii"), self._decode_block(block[0])]
            end = block.end()
            if self._blocks_left <= 0:
                break
        return "".join([*parts, self._decode_unsure_block(body[end:], None)])

    def _decode_block(self, block: bytes) -> str:
        if block.isascii():
            return block.decode("ascii")
        self._blocks_left -= 1
        is_alone = self._other == "utf-8" and _UTF8_CHAR.search(block) is None
        ours, worth = _decode_strictly(block, self._codec, is_alone=is_alone)
        if ours is not None and (worth >= MIN_QUALITY_TO_ACCEPT or count_outside_ascii(ours) < MIN_CHARS_TO_SUSPECT):
            self.own_chars += count_outside_ascii(ours)
            return ours
        theirs, their_worth = _decode_strictly(block, self._other)
        if theirs is not None and their_worth >= max(MIN_QUALITY_TO_ACCEPT, worth + MIN_GAIN_TO_REPAIR):
            self.other_chars += count_outside_ascii(theirs)
            return theirs
        return (
            self.decode(block, _PIECE)
            if len(list(islice(_PIECE.finditer(block), 2))) > 1
            else self._decode_unsure_block(block, ours)
        )

    def _decode_unsure_block(self, block: bytes, ours: str | None) -> str:
        if block.isascii():
            return block.decode("ascii")
        text = block.decode(self._codec, "replace") if ours is None else ours
        self.lost += ours is None
        self.own_chars += count_outside_ascii(text)
        return text


def _decode_strictly(block: bytes, codec: str, *, is_alone: bool = False) -> tuple[str | None, float]:
    """Return the text of a block, or None if it is invalid, and its quality. is_alone: no other codec is possible."""
    try:
        text = block.decode(codec)
    except UnicodeDecodeError:
        return None, 0.0
    return text, 1.0 if is_alone else quality(text, codec)


# Recognises pages in other languages: the page declares an encoding and has the letters of its language.

# Shares of the characters that are neither ASCII nor punctuation: Chinese read as Korean has .7 Hangul, Korean pages
# have at least .95; Japanese pages have at least .38 kana, Chinese read as Japanese up to .12 (32 and 61 pages of a
# test suite, 2026-11).
MIN_SHARE_OF_KANA, MIN_SHARE_OF_LETTERS = 0.2, 0.9
# A page with one invalid byte loses as many; text in a wrong encoding loses far more, or nothing.
MAX_LOST_SHARE_OF_DECLARED = 0.005
# The letters of an alphabet form separate words. If Latin words with diacritics are read as Cyrillic, nearly every
# letter adjoins an ASCII letter.
MAX_JOINED_LATIN = 0.25
MAX_OUT_OF_CASE = 0.02  # capitals after small letters, relative to the characters outside ASCII and their neighbours
# Excludes the box drawing of KOI8 (U+2500) and other characters that mojibake contains.
_SIGNS = re.compile(
    "[\u00a0\u00ab\u00b7\u00bb\u2010-\u206f\u2116\u2190-\u21ff\u25b2-\u27bf\u3000-\u3020\uff01-\uff0f\uff1a-\uff20]"
)


def declared_texts(body: bytes, labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the text and codec for each declared encoding of another language that yields text in that language."""
    for codec in dict.fromkeys(labels):
        if codec not in LATIN and codec not in LETTERS:
            continue
        text = body.decode(codec, "replace")
        is_latin = codec in LATIN and quality(text, codec) >= MIN_QUALITY_TO_ACCEPT and _keeps_case(text)
        is_other = codec in LETTERS and _consists_of_letters(LETTERS[codec], text)
        if (is_latin or is_other) and lost_share(text) <= MAX_LOST_SHARE_OF_DECLARED:
            yield text, codec


def _consists_of_letters(letters: str, text: str) -> bool:
    """Return True if the non-ASCII text consists of `letters` and, in alphabets, they form words of their own."""
    all_letters = _foreign_letters(text)
    # The syllables that windows-949 adds to EUC-KR are typical of mojibake.
    is_hangul = letters == HANGUL
    own_letters = all_letters.encode("euc_kr", "ignore").decode("euc_kr") if is_hangul else all_letters
    own = len(re.findall(f"[{letters}]", own_letters))
    if not own or own < (MIN_SHARE_OF_KANA if letters == KANA else MIN_SHARE_OF_LETTERS) * len(all_letters):
        return False
    if is_hangul or letters == KANA:
        return True
    joined_latin = len(re.findall(f"[A-Za-z](?=[{letters}])|[{letters}](?=[A-Za-z])", text))
    return joined_latin <= MAX_JOINED_LATIN * own and _keeps_case(text)


def _keeps_case(text: str) -> bool:
    """Return True if capitals rarely follow small letters, as they often do in a wrong encoding."""
    around = around_outside_ascii(text)
    cases = "".join("s" if char.islower() else "C" if char.isupper() else " " for char in around)
    return cases.count("sC") <= MAX_OUT_OF_CASE * len(around)


def _foreign_letters(text: str) -> str:
    """Return the characters of a text that are neither ASCII nor punctuation."""
    return _SIGNS.sub("", outside_ascii(text))
