"""Short texts of our own for the tests of reading, in both scripts."""

SIMPLIFIED = (
    "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人。",
    "卖豆腐脑的老周把担子放下，掀开木桶盖，热气便一团一团地涌出来。",
    "“今天的船怕是要晚。”有人望着江心说，声音里听不出是担心还是松了一口气。",
    "许青禾没有搭话，只把怀里的包袱又往紧里抱了抱，那里面是父亲留下的半本账册。",
)
TRADITIONAL = (
    "清晨的霧還沒有散盡，老渡口的石階上已經坐滿了等船的人。",
    "賣豆腐腦的老周把擔子放下，掀開木桶蓋，熱氣便一團一團地湧出來。",
    "「今天的船怕是要晚。」有人望著江心說，聲音裡聽不出是擔心還是鬆了一口氣。",
    "許青禾沒有搭話，只把懷裡的包袱又往緊裡抱了抱，那裡面是父親留下的半本帳冊。",
)


def paragraphs(lines: tuple[str, ...] = SIMPLIFIED) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def own_text(number: int) -> str:
    """A page's text that no other page has."""
    return paragraphs((f"这是第{number}页自己的开头，别的页上没有这一句话。", *SIMPLIFIED))
