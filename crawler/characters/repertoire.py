"""Defines the characters of running Chinese text, taken from the national character sets.

Serves the detection of mojibake: wrongly decoded text consists of characters that are hardly ever written.
"""

import re
from functools import lru_cache


def _codec_characters(codec: str, leads: range, trails: range) -> frozenset[str]:
    pairs = (bytes((lead, trail)).decode(codec, "ignore") for lead in leads for trail in trails)
    return frozenset(char for char in pairs if len(char) == 1)


# GB 2312 level 1 (3,755 characters) and Big5 level 1 (5,401): the frequently used characters of both standards.
COMMON_HAN = _codec_characters("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)) | _codec_characters(
    "big5", range(0xA4, 0xC7), range(0x40, 0xFF)
)
# The second levels: rare in running text, but normal in names and older prose.
SECOND_HAN = (
    _codec_characters("gb2312", range(0xD8, 0xF8), range(0xA1, 0xFF))
    | _codec_characters("big5", range(0xC9, 0xFA), range(0x40, 0xFF))
) - COMMON_HAN

# Characters that together make up two fifths of any modern Chinese text, in both scripts; general knowledge.
FREQUENT_HAN = frozenset(
    "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過"
    "发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理"
    "心她本前开開但因只从從想实實日军軍者意无無力它与與长長把机機十民第公此已工使情明性知全三又关關点點正业業外将將两兩"
    "高间間由问問很最重并物手应應战戰向头頭文体體政美相见見被利什二等产產或新己制身果加西斯月话話回特代内內信表化老给給世位次度门門任常先海通教儿兒原东東声聲提"
)

# Punctuation and symbols of Chinese pages: general punctuation, arrows, shapes, CJK marks, full-width forms.
CHINESE_MARKS = re.compile(
    "[\u00a0\u00a9\u00ab\u00ae\u00b7\u00bb\u2000-\u206f\u2100-\u27bf\u3000-\u303f\uff00-\uff60\uffe0-\uffef\ufe30-\ufe4f]"
)
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
HAN_RUN = re.compile(f"{HAN.pattern}+")  # ten times as fast as a search for single characters
KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uff61-\uffdc\u3130-\u318f\uac00-\ud7af]")
PRIVATE_USE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")


def count_han(text: str) -> int:
    """Count the Chinese characters of a text.

    >>> count_han("第1章 abc")
    2
    """
    return 0 if text.isascii() else (_count_cached if len(text) > _LONG_CHARS else _count_common)(text)


def _count_common(text: str) -> int:
    return len("".join(HAN_RUN.findall(text)))


_count_cached = lru_cache(maxsize=2)(_count_common)  # callers that judge a long text count its characters repeatedly
_LONG_CHARS = 10_000


def han_chars(text: str) -> str:
    """Return only the Chinese characters of a text.

    >>> han_chars("第1章 abc")
    '第章'
    """
    return "" if text.isascii() else "".join(HAN_RUN.findall(text))


# Compiles patterns written in simplified characters that also match traditional ones.

# Characters in labels of forums. Forums in traditional Chinese write 回覆 for 回复, and may write 貼子 for 帖子.
_TRADITIONAL = dict(
    zip(
        "楼发复帖问题网满荐优质写业个条医专师热阅读点击浏览数关闭对编辑审删撑开为赞谢欢还没无举报评论内间时刚钟"
        "于来写访围观积动亮现线长电达转顶贴驱载录册图证历项选该",
        "樓發覆貼問題網滿薦優質寫業個條醫專師熱閱讀點擊瀏覽數關閉對編輯審刪撐開為讚謝歡還沒無舉報評論內間時剛鐘"
        "於來寫訪圍觀積動亮現線長電達轉頂貼驅載錄冊圖證歷項選該",
        strict=True,
    )
)


def compile_for_both_scripts(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Compile a pattern so that each character matches both of its forms.

    Such characters may not be in character classes.
    """
    return re.compile("".join(_both_scripts(character) for character in pattern), flags)


def _both_scripts(character: str) -> str:
    other = _TRADITIONAL.get(character, character)
    return character if other == character else f"[{character}{other}]"
