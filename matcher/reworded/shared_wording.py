"""Finds the names, numbers and distinctive words that two sentences share, also across languages."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from core.text import join_ranges
from matcher.reworded.numerals import Numeral, numerals

_EVERYDAY_HAN = (
    "一个 一种 一样 一些 一次 一天 一起 一直 自己 时候 知道 什么 怎么 这样 那样 这个 那个 现在 已经 因为 所以 但是 "
    "可是 不是 没有 只是 还是 就是 可以 起来 出来 下来 过来 出去 回来 进来 看见 看到 听见 觉得 认为 开始 后来 以后 "
    "以前 之后 之前 今天 明天 昨天 地方 东西 事情 问题 人们 大家 别人 如果 虽然 然后 于是 而且 或者 非常 很多 许多 "
    "一切 所有 其他 第一 第二 每天 每个 几个 时间 年来 当时 有人 不能 不会 不要 应该 需要 可能 一定 似乎 好像 比如 "
    "例如 关于 通过 进行 成为 作为 由于 对于"
)
_EVERYDAY_LATIN = (
    "that this with from have been were they them their there then than what when where which while whose would could "
    "should about after again before because being between both does doing down each every from into itself just like "
    "made make many more most much must never nothing once only other over same some something such taken than these "
    "thing things think those through time under until upon very want well went will without your yours said says "
    "still came come back even ever here himself herself know known long look looked down also always another anything "
    "around away didn't don't isn't wasn't it's that's day days first last little good people year years asked told "
    "took found gave give gone left might mine myself ours part place put right saw seen side since soon"
)
EVERYDAY, EVERYDAY_LATIN = frozenset(_EVERYDAY_HAN.split()), frozenset(_EVERYDAY_LATIN.split())
Ranges = list[tuple[int, int]]  # ascending and disjoint

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z\u00c0-\u024f]+)*")
MIN_HAN, MIN_LATIN = 2, 4  # characters of a marked word
MAX_NAME_HAN = 3  # characters of a name written in Latin letters as one word
# Words of grammar: they separate shared wording, and are left out at its ends.
_PARTING = "的了着吗呢吧啊呀把被么"
_AT_ENDS = "是在不没有这那我你他她它们和与及就也都又还要会能可说来去到上下里中过得地个些为以而之其从对于向让使给将并或"


def shared_wording(page: str, work: str) -> tuple[Ranges, Ranges]:
    """Return the wording that two sentences share, as places in each text as given.

    Variants of characters are equal.

    >>> page, work = "卓有年数了两天，坏了 7 座石桥。", "石拱橋七座受損，文物所長卓有年花兩天數完。"
    >>> [[side[start:end] for start, end in places] for side, places in zip((page, work), shared_wording(page, work))]
    [['卓有年', '两天', '7'], ['七', '卓有年', '兩天']]
    """
    from matcher.reworded.sentences import fold_characters  # late: its tables take memory, which the web server saves

    page, work = fold_characters(page), fold_characters(work)
    shared_ranges = [_same_characters(page, work), _same_numbers(page, work), _same_words(page, work)]
    on_work, on_page = _same_names(work, page)
    shared_ranges += [_same_names(page, work), (on_page, on_work)]
    on_page = [text_range for of_page, _ in shared_ranges for text_range in of_page]
    on_work = [text_range for _, of_work in shared_ranges for text_range in of_work]
    return join_ranges(on_page), join_ranges(on_work)


def _same_characters(page: str, work: str) -> tuple[Ranges, Ranges]:
    words = set(_common_runs(page, work))
    return _find_words(words, page), _find_words(words, work)


def _common_runs(page: str, work: str) -> Iterator[str]:
    """Yield the words in the longest runs of Chinese that both texts share, from the left."""
    for run in (match[0] for match in _HAN.finditer(page)):
        start = 0
        while start < len(run) - 1:
            end = start + MIN_HAN
            if run[start:end] not in work:
                start += 1
                continue
            while end < len(run) and run[start : end + 1] in work:
                end += 1
            yield from _split_words(run[start:end])
            start = end


def _split_words(run: str) -> Iterator[str]:
    for part in re.split(f"[{_PARTING}]", run):
        word = part.strip(_AT_ENDS)
        if len(word) >= MIN_HAN and word not in EVERYDAY:
            yield word


def _same_words(page: str, work: str) -> tuple[Ranges, Ranges]:
    def words(text: str) -> dict[str, Ranges]:
        ranges_of_words: dict[str, Ranges] = {}
        for match in _LATIN.finditer(text):
            word = match[0].casefold()
            if (len(word) >= MIN_LATIN and word not in EVERYDAY_LATIN) or (len(word) > 1 and match[0].isupper()):
                ranges_of_words.setdefault(word, []).append(match.span())
        return ranges_of_words

    return _shared_ranges(words(page), words(work))


def _same_numbers(page: str, work: str) -> tuple[Ranges, Ranges]:
    on_page, on_work = numerals(page), numerals(work)

    def equal_ranges(side: Iterable[Numeral], other: Iterable[Numeral]) -> Ranges:
        other_numerals = list(other)
        return [
            (numeral.start, numeral.end)
            for numeral in side
            if any(
                numeral.value == other_numeral.value and not (numeral.is_loose and other_numeral.is_loose)
                for other_numeral in other_numerals
            )
        ]

    return equal_ranges(on_page, on_work), equal_ranges(on_work, on_page)


def _same_names(latin: str, han: str) -> tuple[Ranges, Ranges]:
    """Return names in a Latin text that are readings of characters in a Chinese text (Younian, 有年).

    Returns the ranges of the names and of the characters.
    """
    names: dict[str, Ranges] = {}
    for match in _LATIN.finditer(latin):
        if match[0][0].isupper() and match[0].casefold() not in EVERYDAY_LATIN:
            names.setdefault(_plain_letters(match[0]), []).append(match.span())
    if not names or _HAN.search(han) is None:
        return [], []
    from fingerprint.readings import syllable_ids  # late, as above
    from fingerprint.syllables_2026 import SYLLABLES

    spelled: dict[str, Ranges] = {}
    for run in _HAN.finditer(han):
        syllables = [SYLLABLES[number] for number in syllable_ids(run[0])]
        for start in range(len(syllables)):
            for count in range(1, MAX_NAME_HAN + 1):
                word = "".join(syllables[start : start + count])
                if len(word) >= MIN_LATIN and word in names and start + count <= len(syllables):
                    spelled.setdefault(word, []).append((run.start() + start, run.start() + start + count))
    return _shared_ranges(names, spelled)


def _plain_letters(name: str) -> str:
    """Return the letters in lower case without marks, with ü as v, as in readings."""
    plain = unicodedata.normalize("NFD", name.casefold().replace("ü", "v"))
    return "".join(letter for letter in plain if letter.isalpha())


def _shared_ranges(page: dict[str, Ranges], work: dict[str, Ranges]) -> tuple[Ranges, Ranges]:
    common = page.keys() & work.keys()
    return [text_range for word in common for text_range in page[word]], [
        text_range for word in common for text_range in work[word]
    ]


def _find_words(words: Iterable[str], text: str) -> Ranges:
    return [match.span() for word in words for match in re.finditer(re.escape(word), text)]
