"""Titles of chapters: the number that they state, and the part of a chapter that a page states."""

import re
import unicodedata
from dataclasses import dataclass

from crawler.formats.numerals import chapter_number

_VOLUME = re.compile(r"第\s*\S{1,7}\s*[卷部集册冊]|^卷\s*\S{1,5}")
_CHAPTER = re.compile(r"[章回节節话話篇幕折]")
_UNNUMBERED = re.compile(
    r"^\s*(?:序章|序幕|序言|自序|楔子|引子|引言|前言|尾声|尾聲|终章|終章|后记|後記|番外|上架感言|跋(?:\s|$))"
)
# (1/3), 【2/3】, （第2页）, (2), 第2/3页: behind the title, on every page of a chapter that stands on several.
_PART = re.compile(
    r"\s*[\[(【_-]?\s*(?:第\s*)?(?P<part>[0-9]{1,3})\s*/\s*(?:共\s*)?(?P<parts>[0-9]{1,3})\s*[页頁]?\s*[\])】]?\s*$"
    r"|\s*[\[(【]\s*(?:第\s*)?(?P<alone>[0-9]{1,3})\s*[页頁]?\s*[\])】]\s*$|\s*第\s*(?P<worded>[0-9]{1,3})\s*[页頁]\s*$"
)
MAX_TITLE_CHARS = 60  # a link that is longer is a sentence


@dataclass(frozen=True, slots=True)
class ChapterTitle:
    """A title without what it says of parts. number: None for prologues and for what states none.

    part, parts: 1-based and how many there are; 0 if the title does not say.
    """

    text: str
    number: int | None
    part: int = 0
    parts: int = 0


def chapter_title(title: str) -> ChapterTitle:
    """Parse a chapter's title.

    >>> chapter_title("第一百零二章 渡口（2/3）")
    ChapterTitle(text='第一百零二章 渡口', number=102, part=2, parts=3)
    >>> chapter_title("楔子").number is None
    True
    """
    plain = unicodedata.normalize("NFKC", title)
    found = _PART.search(plain)
    if found is None:
        return ChapterTitle(" ".join(title.split()), _number(plain))
    part = int(found["part"] or found["alone"] or found["worded"])
    rest = " ".join(_cut(title, plain[: found.start()]).split())
    return ChapterTitle(rest, _number(plain), part, int(found["parts"] or 0))


def is_chapter_title(text: str) -> bool:
    """Return True if the words of a link name a chapter.

    >>> [is_chapter_title(text) for text in ("第十二回 夜渡", "12. 夜渡", "番外：灯", "第二卷 江上", "关于我们")]
    [True, True, True, False, False]
    """
    if len(text) > MAX_TITLE_CHARS:
        return False
    return _number(unicodedata.normalize("NFKC", text)) is not None or bool(_UNNUMBERED.match(text))


def _number(plain: str) -> int | None:
    """Return the chapter's number, never that of a volume alone."""
    is_volume = bool(_VOLUME.search(plain)) and not _CHAPTER.search(plain)
    return None if is_volume else chapter_number(plain)


def _cut(title: str, head: str) -> str:
    """Return the beginning of `title` as it was written whose compatibility form is `head`."""
    for end in range(len(title), -1, -1):
        if unicodedata.normalize("NFKC", title[:end]).rstrip() == head.rstrip():
            return title[:end]
    return head
