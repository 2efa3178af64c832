"""The text of a work, a page that copied it with changes, and a page that says it in other words. All are our own."""

from dataclasses import dataclass, field
from typing import Any

from core.matches import ChangeKind
from core.obfuscations import Obfuscation

WORK_TEXT = (
    "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。\n"
    "他没有声张，只把账本合上，压在枕头底下。江面起了雾，对岸的码头像一行被水洇开的字，看得见，读不出。\n"
    "夜里有人敲舱板，三下，停一停，又两下。那是他和弟弟约好的暗号，可弟弟已经走了十一年。\n"
    "老周披衣起来，提着马灯走到船头。雾里站着一个孩子，赤着脚，怀里抱着一只湿透的布包。\n"
    "“我爹说，把这个交给撑船的。”孩子把布包放下，转身就走，脚步声落在木板上，却没有留下一点水迹。\n"
    "布包里是一叠旧船票，日期都是立冬，年份一年接着一年，最后一张，写着明天。\n"
)
TAKEN_CHARS = 190  # of WORK_TEXT, in every case
ADVERT = "本章未完，请记住本站网址继续阅读。"
HOMOPHONES = {"渡": "度", "雾": "务", "账": "帐", "码": "马", "暗": "按", "票": "漂"}
ZERO_WIDTH = "\u200b"
# WORK_TEXT in other words, its first sentences in another order, with one at either end that it has not.
REWORDED_TEXT = (
    "江上的老渡口，许多人只在梦里还见过。\n"
    "货舱里还剩 17 袋米，上月可是十九袋，老周点完了数，先把绳子在第三根桩子上绑牢。\n"
    "到了立冬，渡口便不再点灯。\n"
    "账目他藏到枕头下面，一声也没有吭。雾气漫上江面，对岸码头只剩一行化开的墨迹。\n"
    "后来的人都说，那一夜什么也没有发生。\n"
)
_REWORDED_PAIRS = (
    ("货舱里还剩", "先把绳子在第三根桩子上绑牢。", "老周把船缆系", "比上个月少了两袋。", 0.62),
    ("到了立冬", "不再点灯。", "渡口的灯", "熄的。", 0.81),
    ("账目他藏", "没有吭。", "他没有声张", "枕头底下。", 0.44),
    ("雾气漫上", "墨迹。", "江面起了雾", "读不出。", 0.23),
)


@dataclass
class _Copy:
    """A page text being made out of a work text, with every change noted; offsets in code points of either text."""

    text: str = ""
    changes: list[list[Any]] = field(default_factory=list)

    def put(self, kind: ChangeKind | None, page_part: str, work_start: int, work_end: int) -> None:
        start = len(self.text)
        self.text += page_part
        if kind is not None:
            self.changes.append([str(kind), start, len(self.text), work_start, work_end])


def _copied(work_text: str, number: int) -> _Copy:
    """The page's copy of a work text: homophones, a zero-width character, an advertisement and a lost sentence."""
    copy = _Copy(f"第{number}章 立冬\n")
    lost_start = work_text.find("他没有声张")
    lost_end = work_text.find("江面起了雾")
    position = 0
    while position < len(work_text):
        char = work_text[position]
        if position == lost_start >= 0:
            copy.put(ChangeKind.DELETED, "", lost_start, lost_end)
            position = lost_end
            continue
        if char in HOMOPHONES:
            copy.put(ChangeKind.HOMOPHONE, HOMOPHONES[char], position, position + 1)
        else:
            copy.put(None, char, position, position + 1)
        position += 1
        if position % 47 == 0:
            copy.put(ChangeKind.NOISE, ZERO_WIDTH, position, position)
        if position % 151 == 0:
            copy.put(ChangeKind.INSERTED, ADVERT, position, position)
    return copy


def page_text(number: int = 1) -> str:
    """The whole main text of page `number`."""
    return _copied(WORK_TEXT, number).text + f"\n{ADVERT}\n"


def spans(number: int = 1) -> list[dict[str, Any]]:
    """The frozen passages of page `number` against WORK_TEXT, with true offsets and excerpts."""
    copy = _copied(WORK_TEXT, number)
    start = len(f"第{number}章 立冬\n")
    return [
        {
            "page": [start, len(copy.text)],
            "work": [0, len(WORK_TEXT)],
            "similarity": 0.9412,
            "page_excerpt": copy.text[start:],
            "work_excerpt": WORK_TEXT,
            "changes": copy.changes,
        }
    ]


OBFUSCATIONS = [
    {"kind": str(Obfuscation.ZERO_WIDTH), "count": 6, "example": "米袋\u200b，一共"},
    {"kind": str(Obfuscation.HOMOPHONE), "count": 9, "example": "度口"},
    {"kind": str(Obfuscation.TEXT_INSERTED), "count": 2, "example": ADVERT},
]


def reworded_pairs() -> list[list[Any]]:
    """Where the sentences of REWORDED_TEXT stand, and their counterparts in WORK_TEXT, with their strength."""
    found = []
    for page_from, page_to, work_from, work_to, strength in _REWORDED_PAIRS:
        start, work_start = REWORDED_TEXT.index(page_from), WORK_TEXT.index(work_from)
        end, work_end = REWORDED_TEXT.index(page_to, start) + len(page_to), WORK_TEXT.index(work_to) + len(work_to)
        found.append([start, end, work_start, work_end, strength])
    return found
