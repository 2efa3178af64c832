"""Chooses the character that a glyph shows, by its shape, the frequency of characters, and a second opinion.

The evidence is combined by Bayes' rule: similarity and the frequency of a character in texts both count in nats. The
texts of works are not used, because the reading of a page must not depend on what is searched for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import exp, log

from crawler.characters.repertoire import COMMON_HAN, FREQUENT_HAN, HAN
from crawler.obfuscation.glyph_shapes import Candidate

# Fitted so that whole pages are read correctly: 300 passages in both scripts, in SimHei at 72, 22 and 20 px, and in
# Noto Serif and Noto Sans, each excluded from the references (2026-11); .006, .012, .02 and .03 were tried. A font
# among the references scores .95 or more, where a step is more significant: half the step separates 曰 and 日, a third
# does not.
_SIMILARITY_OF_A_NAT = 0.012
_FULL_STEP_BELOW, _LEAST_STEP = 0.9, 0.5
# The share of one character of each kind in running text, in nats. The 250 most frequent make up two fifths of a text.
_FREQUENT, _OTHER_SIGN, _COMMON, _RARE = log(1.8e-3), log(3.4e-4), log(1.2e-4), log(6e-6)
# Characters in neither GB 2312 nor Big5: .01 % of articles, 5,400 characters (docs/decisions/obfuscation.md).
_RAREST = log(2e-8)
# Many editions of traditional prose use these forms, as Hong Kong does by rule. Big5 contains another form of each.
_FORMS_BEYOND_BIG5 = frozenset("裏牀峯羣綫衞爲麪啓吿紥")
_OF_OTHER_SCRIPT = -6.0  # 奧 in simplified text is one in 400
_MIN_TO_TELL_SCRIPT = 3  # how many times as many characters of one script as of the other
# Multiplied by the recogniser's confidence. It reads 95 % of single glyphs correctly, but errs towards frequent ones:
# below .8, it reads 竟 as 竞 and 鳥 as 烏 (16 of 300 pages); above, only 毘 and 羨 fail (0 to .9, 3 to 7 nats tried).
_SEEN_BY_OCR, _MIN_OCR_CONFIDENCE = 3.0, 0.8
MIN_TO_BE_SURE = 0.95  # below it, a second opinion is needed


class Script(Enum):
    """The script of a text, as far as its characters determine it."""

    SIMPLIFIED = auto()
    TRADITIONAL = auto()
    EITHER = auto()


@dataclass(frozen=True, slots=True)
class GlyphChoice:
    """The most probable character, and its probability among the candidates, (0, 1]."""

    char: str
    probability: float

    @property
    def is_sure(self) -> bool:
        return self.probability >= MIN_TO_BE_SURE


def detect_script(chars: Iterable[str]) -> Script:
    """Return the script of a text by its distinct characters.

    >>> detect_script("这国门书见马").name, detect_script("這國門書見馬").name, detect_script("一二三").name
    ('SIMPLIFIED', 'TRADITIONAL', 'EITHER')
    """
    kinds = [(_has_char("gb2312", char), _has_char("big5", char)) for char in set(chars) if HAN.fullmatch(char)]
    simplified, traditional = kinds.count((True, False)), kinds.count((False, True))
    if simplified > _MIN_TO_TELL_SCRIPT * traditional:
        return Script.SIMPLIFIED
    return Script.TRADITIONAL if traditional > _MIN_TO_TELL_SCRIPT * simplified else Script.EITHER


@dataclass(frozen=True, slots=True)
class GlyphEvidence:
    """The evidence about a character besides the shape of its glyph.

    stated: the character in the source, and the odds in nats that its glyph shows it
    seen: the character that a recogniser read, and its confidence, [0, 1]
    """

    script: Script = Script.EITHER
    stated: tuple[str, float] = ("", 0.0)
    seen: tuple[str, float] = ("", 0.0)


def choose(candidates: Sequence[Candidate], evidence: GlyphEvidence = GlyphEvidence()) -> GlyphChoice:
    """Return the most probable of one or more candidates."""
    away = (1 - max(each.similarity for each in candidates)) / (1 - _FULL_STEP_BELOW)
    step = _SIMILARITY_OF_A_NAT * min(1.0, max(_LEAST_STEP, away))
    nats = [
        each.similarity / step + _prior(each.char, evidence) + _recognizer_nats(each.char, evidence)
        for each in candidates
    ]
    most = max(nats)
    return GlyphChoice(candidates[nats.index(most)].char, 1 / sum(exp(each - most) for each in nats))


def mark_doubtful(chars: str) -> str:
    """Return each doubtful character with a question mark, as the start of an example.

    >>> mark_doubtful("竟间"), mark_doubtful("")
    ('竟? 间? · ', '')
    """
    return " ".join(f"{char}?" for char in dict.fromkeys(chars)) + " · " if chars else ""


def _prior(char: str, evidence: GlyphEvidence) -> float:
    stated, odds = evidence.stated
    if char == stated:
        return odds
    return _share(char) + (_OF_OTHER_SCRIPT if _is_of_other(evidence.script, char) else 0.0)


def _recognizer_nats(char: str, evidence: GlyphEvidence) -> float:
    seen, confidence = evidence.seen
    return _SEEN_BY_OCR * confidence if char == seen and confidence >= _MIN_OCR_CONFIDENCE else 0.0


def _share(char: str) -> float:
    if char in FREQUENT_HAN:
        return _FREQUENT
    if not HAN.fullmatch(char):
        return _OTHER_SIGN
    if char in COMMON_HAN:
        return _COMMON
    return _RARE if _is_simplified(char) or _is_traditional(char) else _RAREST


def _is_of_other(script: Script, char: str) -> bool:
    """Return True if `char` belongs only to the other script. A character in neither script already has a low prior."""
    if script is Script.SIMPLIFIED:
        return _is_traditional(char) and not _is_simplified(char)
    return script is Script.TRADITIONAL and _is_simplified(char) and not _is_traditional(char)


def _is_simplified(char: str) -> bool:
    return _has_char("gb2312", char)


def _is_traditional(char: str) -> bool:
    return _has_char("big5", char) or char in _FORMS_BEYOND_BIG5


def _has_char(charset: str, char: str) -> bool:
    return bool(char.encode(charset, "ignore"))
