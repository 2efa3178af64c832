"""Texts for the matrix of encodings, of several kinds and lengths: out of the corpora, and our own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from laboratory.cases.corpora import read
from laboratory.draws import generator

# 60 characters are a short notice, 2,400 a chapter of a serial novel; what is longer is only easier to tell.
LENGTHS = (60, 90, 150, 400, 2_400)
TEXTS_OF_A_KIND = 2  # at each length
_FILES = {"editions": "chapter", "single": "prose", "wiki": "article", "news_xwlb": "news"}


@dataclass(frozen=True, slots=True)
class Sample:
    """A piece of running text. kind: `chapter-hant`, `news-hans`, ... or `own-hans`."""

    name: str
    kind: str
    text: str


def samples(corpora: Path | None, seed: int) -> list[Sample]:
    """Texts of all kinds and lengths, the same for the same seed. Raises UnreadableFile for an incomplete folder."""
    found = list(_of_corpora(corpora, seed)) if corpora is not None and corpora.is_dir() else []
    return [*found, *_own()]


def _of_corpora(corpora: Path, seed: int) -> Iterator[Sample]:
    for file, name in _FILES.items():
        records = read(corpora, f"{file}_dev.jsonl.gz")
        for script in ("hans", "hant"):
            texts = [each["text"] for each in records if each["lang_variant"].lower().endswith(script)]
            yield from _cut(texts, f"{name}-{script}", seed)


def _cut(texts: Sequence[str], kind: str, seed: int) -> Iterator[Sample]:
    chance = generator(seed, "encodings", kind)
    for length in LENGTHS:
        long_enough = [number for number, text in enumerate(texts) if len(text) >= length]
        for turn in range(TEXTS_OF_A_KIND if long_enough else 0):
            text = texts[long_enough[chance.randrange(len(long_enough))]]
            start = chance.randrange(len(text) - length + 1)
            yield Sample(f"{kind}-{length}-{turn}", kind, text[start : start + length].strip())


def _own() -> Iterator[Sample]:
    for script, lines in (("hans", OWN_SIMPLIFIED), ("hant", OWN_TRADITIONAL)):
        whole = "\n".join(lines)
        for length in LENGTHS:
            text = (whole + "\n") * (length // len(whole) + 1)
            yield Sample(f"own-{script}-{length}", f"own-{script}", text[:length].strip())


OWN_SIMPLIFIED = (
    "天还没有亮透，修表铺的卷帘门就拉开了一半，灯光从下面漏出来，照着门口那只睡着的黄猫。",
    "老板姓邬，镇上的人都说他耳朵比眼睛好，隔着柜台听一听，就知道哪一个齿轮缺了油。",
    "“这只怀表走了六十年，”他对来取表的姑娘说，“停下来的那一天，是有人故意拨停的。”",
    "她没有接话，把表贴在耳边，听见里面有很轻的一声响，像雪从竹枝上滑下去。",
    "据县志记载，一九三二年夏天的洪水冲毁了码头以西的全部房屋，渡船停航四个月零九天。",
    "本站公告：服务器将于周三凌晨2:00至4:30维护，期间无法登录，请各位读者提前保存进度。",
)
OWN_TRADITIONAL = (
    "天還沒有亮透，修錶鋪的捲簾門就拉開了一半，燈光從下面漏出來，照著門口那隻睡著的黃貓。",
    "老闆姓鄔，鎮上的人都說他耳朵比眼睛好，隔著櫃檯聽一聽，就知道哪一個齒輪缺了油。",
    "「這隻懷錶走了六十年，」他對來取錶的姑娘說，「停下來的那一天，是有人故意撥停的。」",
    "她沒有接話，把錶貼在耳邊，聽見裡面有很輕的一聲響，像雪從竹枝上滑下去。",
    "據縣志記載，一九三二年夏天的洪水沖毀了碼頭以西的全部房屋，渡船停航四個月零九天。",
    "本站公告：伺服器將於週三凌晨2:00至4:30維護，期間無法登入，請各位讀者提前儲存進度。",
)
