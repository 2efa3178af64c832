"""Pages in other languages than Chinese, told by the letters that their bytes give in an encoding of that language."""

import re
from collections.abc import Iterator, Sequence

from crawler.characters.charsets import HANGUL, KANA, LATIN, LETTERS, RUSSIAN, SYLLABLES
from crawler.characters.mojibake import MIN_QUALITY_TO_ACCEPT, around_outside_ascii, lost_share, outside_ascii, quality

# Of what is neither ASCII nor a mark. Chinese read as Korean has .7 Hangul, Korean pages have .95 and more; Japanese
# pages have .38 kana and more, Chinese read as Japanese up to .12 (32 and 61 pages of a test suite, 2026-11).
MIN_SHARE_OF_KANA, MIN_SHARE = 0.2, 0.9
MIN_CHARS_UNDECLARED, CHARS_OF_PARAGRAPH, MIN_SHARE_OF_SHORT = 14, 60, 0.97
MAX_LOST_SHARE = 0.005  # a page with a broken byte; what is read in the wrong encoding loses far more, or nothing
# Letters of an alphabet make words of their own; where Latin words with diacritics are read as Cyrillic, nearly each
# letter stands beside one of ASCII.
MAX_BESIDE_LATIN = 0.25
MAX_OUT_OF_CASE = 0.02  # capitals after small letters, of all characters outside ASCII and beside these
# Where nothing is declared: the encoding, the narrower one that has to read all of the page, and the letters.
_UNDECLARED = (
    ("cp949", "euc_kr", SYLLABLES),  # the kana of EUC-JP are the jamo of EUC-KR
    ("euc_jp", "euc_jp", KANA),
    ("cp932", "cp932", KANA),
    ("cp1251", "cp1251", RUSSIAN),
    ("koi8-r", "koi8-r", RUSSIAN),
)
# Without the frames of KOI8 (U+2500) and other signs that mojibake is made of.
_MARKS = re.compile(
    "[\u00a0\u00ab\u00b7\u00bb\u2010-\u206f\u2116\u2190-\u21ff\u25b2-\u27bf\u3000-\u3020\uff01-\uff0f\uff1a-\uff20]"
)


def declared_texts(body: bytes, labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The text and its codec, for each declared one of another language that gives text in that language."""
    for codec in dict.fromkeys(labels):
        if codec not in LATIN and codec not in LETTERS:
            continue
        text = body.decode(codec, "replace")
        is_latin = codec in LATIN and quality(text, codec) >= MIN_QUALITY_TO_ACCEPT and _keeps_case(text)
        is_other = codec in LETTERS and _is_made_of(LETTERS[codec], text, MIN_SHARE)
        if (is_latin or is_other) and lost_share(text) <= MAX_LOST_SHARE:
            yield text, codec


def undeclared_text(body: bytes) -> tuple[str, str] | None:
    """The text and its codec, where it is made of the letters of one language beyond doubt."""
    found: list[tuple[str, str]] = []
    for codec, narrow, letters in _UNDECLARED:
        try:
            text = body.decode(narrow)
        except UnicodeDecodeError:
            continue
        chars = len(_letters(text))
        is_doubtful = chars < CHARS_OF_PARAGRAPH or letters == RUSSIAN
        min_share = MIN_SHARE_OF_SHORT if is_doubtful else MIN_SHARE
        if chars >= MIN_CHARS_UNDECLARED and _is_made_of(letters, text, min_share):
            if letters != RUSSIAN:
                return text, codec
            found.append((text, codec))
    # Russian in the wrong one of its encodings is in capitals.
    return max(found, key=lambda each: sum(map(str.islower, each[0])), default=None)


def _is_made_of(letters: str, text: str, min_share: float) -> bool:
    """Whether what is not ASCII in a text is made of some letters, and those of an alphabet make words."""
    all_letters = _letters(text)
    # The syllables that windows-949 has beyond EUC-KR are those of mojibake.
    is_hangul = letters in (HANGUL, SYLLABLES)
    own_letters = all_letters.encode("euc_kr", "ignore").decode("euc_kr") if is_hangul else all_letters
    own = len(re.findall(f"[{letters}]", own_letters))
    if not own or own < (MIN_SHARE_OF_KANA if letters == KANA else min_share) * len(all_letters):
        return False
    if is_hangul or letters == KANA:
        return True
    beside = len(re.findall(f"[A-Za-z](?=[{letters}])|[{letters}](?=[A-Za-z])", text))
    return beside <= MAX_BESIDE_LATIN * own and _keeps_case(text)


def _keeps_case(text: str) -> bool:
    """Whether capitals hardly ever follow small letters: read in the wrong encoding, text is full of such."""
    around = around_outside_ascii(text)
    cases = "".join("s" if char.islower() else "C" if char.isupper() else " " for char in around)
    return cases.count("sC") <= MAX_OUT_OF_CASE * len(around)


def _letters(text: str) -> str:
    """What is neither ASCII nor a mark."""
    return _MARKS.sub("", outside_ascii(text))
