"""Titles, names and texts of a made desk: Chinese words in a row that mean nothing."""

from random import Random

from laboratory import draws

WORDS = (
    "渡口", "灯火", "雨夜", "石桥", "北岸", "长河", "旧书", "归人", "青瓦", "远山", "雪线", "槐树",
    "码头", "春汛", "秋声", "月台", "邮差", "竹林", "井水", "铁匠", "茶馆", "纸鸢", "城南", "柳堤",
    "暮色", "晨钟", "盐路", "驿站", "荒村", "麦田", "孤岛", "帆影", "故园", "银杏", "风铃", "砚台",
    "棋局", "药铺", "琴房", "书院",
)  # fmt: skip
FAMILY, GIVEN = "赵钱孙李周吴郑王冯陈沈韩杨朱秦许", "文明远山若水清和子安云舒静怀谷林"
HAN = (
    "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年"
    "得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日"
)
COMMON = "第二十七章"


def title(rng: Random) -> str:
    """Two or three words: a work, a chapter."""
    return "".join(draws.one_of(rng, WORDS) for _ in range(draws.between(rng, 2, 3)))


def name(rng: Random) -> str:
    return draws.one_of(rng, FAMILY) + draws.one_of(rng, GIVEN) + draws.one_of(rng, GIVEN)


def text(rng: Random, chars: int) -> str:
    """Sentences of 8 to 24 characters, in lines."""
    pieces: list[str] = []
    length = 0
    while length < chars:
        sentence = "".join(draws.one_of(rng, HAN) for _ in range(draws.between(rng, 8, 24))) + draws.one_of(
            rng, "，，。\n"
        )
        pieces.append(sentence)
        length += len(sentence)
    return "".join(pieces)[:chars]
