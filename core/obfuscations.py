"""The ways to alter or hide a text: one record each, in the order in which they are looked for and shown.

Desk, reports, command line and evidence take their words from here. A record names its repair by a dotted path, as a
kind of site names its spider: words are needed where the libraries that read pages must not be loaded.
docs/recipes/obfuscation.md says how to add one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from core.words import Words


class Obfuscation(StrEnum):
    """What was altered in a text, or hides it from programs; what for, nobody knows. The value is what is stored.

    label, explanation: for people. repair: where its repair stands, a `crawler.obfuscation.repairs.Repair`, which
    several may share; "" where only comparison with the work shows it. caveat: what whoever relies on the text has to
    know of how it was undone, told wherever the obfuscation is.
    """

    label: Words
    explanation: Words
    repair: str
    caveat: Words | None

    def __new__(
        cls, kind: str, label: Words, explanation: Words, repair: str = "", caveat: Words | None = None
    ) -> Self:
        """A member whose value is its kind."""
        member = str.__new__(cls, kind)
        member._value_ = kind
        member.label, member.explanation, member.repair, member.caveat = label, explanation, repair, caveat
        return member

    # In the markup of a page, repaired in this order: scripts write first, since style hides what they wrote; what is
    # hidden goes before shapes and order are looked at; the order comes last, since it moves whatever is shown.
    SCRIPTED = (
        "scripted",
        Words("text assembled by scripts", "脚本拼接的文字"),
        Words(
            "The text stands in a script, encoded, split or turned round, and is put together in the browser.",
            "正文藏在脚本里，经过编码、拆分或倒序，由浏览器拼接后显示。",
        ),
        "crawler.obfuscation.scripted.REPAIR",
    )
    HIDDEN_TEXT = (
        "hidden_text",
        Words("hidden text", "隐藏文字"),
        Words(
            "Words in the source that no ordinary screen shows: hidden by style, without size, or in the background's "
            "colour.",
            "源代码里有任何普通屏幕都不显示的文字：被样式隐藏、大小为零，或与背景同色。",
        ),
        "crawler.obfuscation.visibility.REPAIR",
    )
    RUBY = (
        "ruby",
        Words("ruby", "注音标注"),
        Words(
            "Pinyin above characters, which a program reads in between them.", "汉字上方标注拼音，程序会把它读进正文。"
        ),
        "crawler.obfuscation.visibility.REPAIR",
    )
    DECOYS = (
        "decoys",
        Words("decoy characters", "诱饵字符"),
        Words("Single hidden characters between those of the text.", "在正文的字与字之间插入读者看不见的单个字符。"),
        "crawler.obfuscation.visibility.REPAIR",
    )
    GENERATED_TEXT = (
        "generated_text",
        Words("text out of the style sheet", "样式表里的文字"),
        Words(
            "Words of the text stand in the style sheet or an attribute, not in the markup.",
            "部分正文写在样式表或属性里，网页标记中没有。",
        ),
        "crawler.obfuscation.generated_text.REPAIR",
    )
    FONT = (
        "font",
        Words("obfuscated font", "混淆字体"),
        Words(
            "A font of the site's own draws other characters than the source names.",
            "网站自带的字体把源代码里的字符画成别的字。",
        ),
        "crawler.obfuscation.shown_fonts.REPAIR",
    )
    PICTURE_TEXT = (
        "picture_text",
        Words("pictures for characters", "以图代字"),
        Words("Pictures or drawings stand in place of characters.", "用图片或图形代替文字。"),
        "crawler.obfuscation.pictures.REPAIR",
    )
    TEXT_PICTURE = (
        "text_picture",
        Words("pictures of text", "整段文字做成图片"),
        Words("Pictures stand in place of paragraphs, pages or the whole text.", "用图片代替整段、整页或整章文字。"),
        "crawler.obfuscation.page_pictures.REPAIR",
        Words(
            "This text was read from pictures by machine recognition; single characters may be misread. What counts is "
            "the picture.",
            "这些文字由机器从图片中识别得出，个别字可能识别有误，应以图片为准。",
        ),
    )
    REORDERED = (
        "reordered",
        Words("order made by style", "靠样式排序"),
        Words(
            "The source has the text in another order; style or control characters put it right on the screen.",
            "源代码里的文字顺序是乱的，靠样式或控制字符在屏幕上排回原样。",
        ),
        "crawler.obfuscation.reordered.REPAIR",
    )

    # Between the characters of the text, repaired in this order.
    ZERO_WIDTH = (
        "zero_width",
        Words("zero-width characters", "零宽字符"),
        Words("Characters without width stand between those of the text.", "在字与字之间插入没有宽度的字符。"),
        "crawler.obfuscation.text_noise.ZERO_WIDTH",
    )
    SITE_ADVERTISEMENT = (
        "site_advertisement",
        Words("site advertisements", "网站广告语"),
        Words("Advertisements of the site stand inside sentences.", "在句子中间插入网站的广告语。"),
        "crawler.obfuscation.advertisements.REPAIR",
    )
    SPACES = (
        "spaces",
        Words("spaces between characters", "字间空格"),
        Words("Spaces stand between the characters of the text.", "在字与字之间插入空格。"),
        "crawler.obfuscation.text_noise.SPACES",
    )
    PINYIN_INSERTED = (
        "pinyin_inserted",
        Words("pinyin inserted", "插入拼音"),
        Words(
            "Pinyin stands behind the characters whose sound it is, in brackets or without.",
            "在字后插入拼音，带括号或不带。",
        ),
        "crawler.obfuscation.text_noise.PINYIN_INSERTED",
    )
    FULL_WIDTH = (
        "full_width",
        Words("full-width letters", "全角字母"),
        Words(
            "Letters, marks or characters have an unusual width or form.", "字母、标点或汉字用了不寻常的宽度或字形。"
        ),
        "crawler.obfuscation.text_noise.FULL_WIDTH",
    )
    PUNCTUATION_NOISE = (
        "punctuation_noise",
        Words("punctuation strewn in", "插入标点"),
        Words("Punctuation marks stand between the characters of the text.", "在字与字之间插入标点。"),
        "crawler.obfuscation.text_noise.PUNCTUATION_NOISE",
    )

    # Seen by comparison with the work.
    PINYIN_REPLACED = (
        "pinyin_replaced",
        Words("pinyin for characters", "拼音代字"),
        Words("Pinyin stands in place of characters.", "用拼音代替汉字。"),
    )
    PRIVATE_USE = (
        "private_use",
        Words("private-use characters", "私用区字符"),
        Words(
            "Characters that only the site's own font draws stand in place of the work's.",
            "用只有网站自带字体才显示的字符代替原字。",
        ),
    )
    HOMOPHONE = (
        "homophone",
        Words("homophones", "同音字替换"),
        Words(
            "Characters are replaced by others of the same sound, or of one that people confuse with it.",
            "用读音相同或容易混淆的字代替原字。",
        ),
    )
    SHAPE = (
        "shape",
        Words("look-alike characters", "形近字"),
        Words("Characters are replaced by others of like shape.", "用字形相近的字代替原字。"),
    )
    REPLACED = (
        "replaced",
        Words("characters replaced", "换字"),
        Words(
            "Characters are replaced by others, of neither like sound nor like shape.", "用音、形都不相近的字代替原字。"
        ),
    )
    SCRIPT_CONVERTED = (
        "script_converted",
        Words("simplified/traditional", "简繁转换"),
        Words("The text is in the other script: traditional or simplified.", "把简体转成繁体，或把繁体转成简体。"),
    )
    TEXT_INSERTED = (
        "text_inserted",
        Words("text inserted", "插入文字"),
        Words("Text stands in the passage that is not the work's.", "在原文中插入了作品以外的文字。"),
    )
    TEXT_DELETED = (
        "text_deleted",
        Words("text left out", "删减文字"),
        Words("Text of the work is left out of the passage.", "删去了作品中的部分文字。"),
    )
    REARRANGED = (
        "rearranged",
        Words("characters in another order", "文字换序"),
        Words(
            "Characters stand in another order than they are read in: in columns, backwards, neighbours swapped.",
            "文字不按阅读顺序排列：竖排成列、倒写、相邻字对调等。",
        ),
    )
    STREWN = (
        "strewn",
        Words("characters strewn in", "夹杂无关字"),
        Words(
            "Characters that belong to no sentence stand between those of the text.", "在字与字之间夹杂不成句的无关字。"
        ),
    )
    SHUFFLED = (
        "shuffled",
        Words("order changed", "语序打乱"),
        Words("Sentences or paragraphs stand in another order than in the work.", "句子或段落的顺序与作品不同。"),
    )
    PATCHWORK = (
        "patchwork",
        Words("several works mixed", "多部作品拼接"),
        Words("Passages of several works stand beside each other on the page.", "把多部作品的段落拼接在一个页面上。"),
    )

    # Of reading itself: what takes too long is left out (crawler.reading_steps).
    SLOW_PARTS = (
        "slow_parts",
        Words("parts that are slow to read", "拖慢读取的内容"),
        Words(
            "Parts of the page take a program so long to read that they were left out; its text was read and compared.",
            "页面含有使程序读取过久的内容，已略过；正文照常读取并比对。",
        ),
    )


# By what is stored; another version may know kinds that this one does not.
OBFUSCATIONS: Mapping[str, Obfuscation] = MappingProxyType({kind.value: kind for kind in Obfuscation})


@dataclass(frozen=True, slots=True)
class ObfuscationFound:
    """One kind of obfuscation on a page: how often, and one example as it stood there (at most 80 characters)."""

    kind: Obfuscation
    count: int
    example: str = ""
