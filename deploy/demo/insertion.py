"""Edits that put something between the characters: advertisements, pinyin in brackets, invisible characters, spaces."""

from collections.abc import Callable
from random import Random

from deploy.demo.sentences import sentences
from deploy.demo.substitution import common_characters, pinyin

ADVERTISEMENTS = (
    "（本章未完，请点击下一页继续精彩阅读）",
    "天才一秒记住本站地址，手机用户输入网址同样可以观看最新章节。",
    "【新用户注册即送三十天免广告会员，名额有限】",
    "求收藏，求推荐票，加入书架不迷路！",
    "本站承诺永久免费，喜欢请分享给您的书友。",
    "（如遇内容错乱请关闭浏览器的阅读模式，或换一个线路刷新）",
    "点我下载客户端，离线缓存全本无弹窗。",
    "友情提示：长时间阅读请注意让眼睛休息，更新速度全网最快。",
)
ZERO_WIDTH = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
SPACES = (" ", "\u3000", "  ")
BRACKETS = ("(%s)", "（%s）", "[%s]")

# Readings with tones of frequent characters that have one reading in nearly every place; others are put without a tone.
TONED_READINGS = """
一yī 二èr 三sān 四sì 五wǔ 六liù 七qī 八bā 九jiǔ 十shí 人rén 大dà 天tiān 水shuǐ 火huǒ 山shān 石shí 河hé 船chuán
灯dēng 车chē 门mén 手shǒu 口kǒu 心xīn 眼yǎn 头tóu 脚jiǎo 夜yè 年nián 月yuè 日rì 雨yǔ 云yún 风fēng 树shù 草cǎo
他tā 她tā 我wǒ 你nǐ 是shì 在zài 有yǒu 来lái 去qù 上shàng 下xià 前qián 后hòu 左zuǒ 右yòu 看kàn 说shuō 写xiě 走zǒu
站zhàn 琴qín 秤chèng 桥qiáo 账zhàng 纸zhǐ 笔bǐ 字zì
"""
TONED = {pair[0]: pair[1:] for pair in TONED_READINGS.split()}


def advertisements(text: str, rng: Random, strength: float) -> str:
    """An advertisement after a share `strength` of the sentences."""
    parts = [sentences(paragraph) for paragraph in text.split("\n")]
    places = [(row, cell) for row, paragraph in enumerate(parts) for cell in range(len(paragraph))]
    chosen = set(rng.sample(places, max(1, round(strength * len(places)))))
    return "\n".join(
        "".join(
            sentence + (rng.choice(ADVERTISEMENTS) if (row, cell) in chosen else "")
            for cell, sentence in enumerate(paragraph)
        )
        for row, paragraph in enumerate(parts)
    )


def pinyin_in_brackets(text: str, rng: Random, strength: float) -> str:
    """Its pinyin in brackets after a share `strength` of the common characters, in one of three kinds of bracket."""
    bracket = rng.choice(BRACKETS)
    return _inserted(text, rng, strength, lambda char: bracket % TONED.get(char, pinyin(char)))


def zero_width(text: str, rng: Random, strength: float) -> str:
    """A character without width after a share `strength` of the common characters."""
    return _inserted(text, rng, strength, lambda _char: rng.choice(ZERO_WIDTH))


def spaces(text: str, rng: Random, strength: float) -> str:
    """Spaces, narrow or ideographic, after a share `strength` of the common characters."""
    return _inserted(text, rng, strength, lambda _char: rng.choice(SPACES))


def _inserted(text: str, rng: Random, share: float, after: Callable[[str], str]) -> str:
    places = [at for at, char in enumerate(text) if char in common_characters() and pinyin(char)]
    chosen = set(rng.sample(places, round(share * len(places))))
    return "".join(char + after(char) if at in chosen else char for at, char in enumerate(text))
