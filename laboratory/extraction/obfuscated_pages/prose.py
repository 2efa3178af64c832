"""Generates short prose to be obfuscated: sentences composed of parts, so that no two pages have the same text."""

from random import Random

_TIMES = (
    "清晨", "黄昏", "入夜以后", "雨停的时候", "第二天一早", "半夜里",
    "开春那几日", "腊月将尽时", "晌午过后", "天快亮的时候",
)  # fmt: skip
_PEOPLE = (
    "老船工", "杂货铺的掌柜", "背竹篓的姑娘", "教书先生", "守桥的老人", "刚进城的少年",
    "卖糖人的汉子", "他的师父", "那位旅客", "邮差",
)  # fmt: skip
_PLACES = ["渡口", "石板街", "旧戏台", "山脚下的茶棚", "城南客栈", "河湾", "枫树林", "祠堂门前", "盐仓后墙", "码头尽头"]
_ACTS = (
    "把灯笼挂在檐下，等着远处的消息",
    "听见有人轻轻敲了三下门",
    "从怀里摸出一封没有署名的信",
    "数着台阶，一级一级往上走",
    "忽然想起许多年前答应过的事",
    "低头看了看手心里的铜钱，没有说话",
    "把湿透的蓑衣搭在竹竿上",
    "问起北边的路还通不通",
    "望着水面上慢慢散开的雾",
    "收起算盘，叹了一口气",
)
_REMARKS = (
    "“再等一等罢，”有人说，“船总会来的。”",
    "“你可认得这个字？”他指着门楣问。",
    "谁也不曾料到，事情会在那天晚上起变化。",
    "风从江上吹来，带着一点点桂花的气味。",
    "屋里的钟敲了七下，炉火还没有熄。",
    "“别回头，”那声音很低，“一直走到桥那边去。”",
    "街上的人渐渐少了，只剩下更夫的脚步声。",
    "纸窗上映出两个影子，一高一矮，许久不动。",
    "后来的日子，他再没有提起过这句话。",
    "远山像一幅没有干透的画，颜色慢慢晕开。",
    "孩子们追着纸鸢跑过田埂，笑声传得很远。",
    "账本第三页缺了一角，正好是最要紧的那一笔。",
)


def paragraphs(rng: Random, count: int = 8) -> list[str]:
    """Return `count` paragraphs of two to five sentences."""
    return ["".join(_sentence(rng) for _ in range(rng.randint(2, 5))) for _ in range(count)]


def _sentence(rng: Random) -> str:
    if rng.random() < 0.45:
        return rng.choice(_REMARKS)
    return f"{rng.choice(_TIMES)}，{rng.choice(_PEOPLE)}在{rng.choice(_PLACES)}{rng.choice(_ACTS)}。"
