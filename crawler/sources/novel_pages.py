"""Joins chapters that a site splits into several pages: finds the next page of a chapter, and joins the texts."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

from core.marks import Mark
from core.obfuscations import merge_findings
from core.pages import Reading
from core.zones import SurroundingLine
from crawler.formats.numerals import chapter_number
from crawler.obfuscation.text_origins import join_raw_parts

# Parses the titles of chapters: the number of the chapter, and the part of the chapter that a page contains.

_VOLUME = re.compile(r"第\s*\S{1,7}\s*[卷部集册冊]|^卷\s*\S{1,5}")
_CHAPTER = re.compile(r"[章回节節话話篇幕折]")
_UNNUMBERED = re.compile(
    r"^\s*(?:序章|序幕|序言|自序|楔子|引子|引言|前言|尾声|尾聲|终章|終章|后记|後記|番外|上架感言|跋(?:\s|$))"
)
# (1/3), 【2/3】, （第2页）, (2), 第2/3页: these follow the title on every page of a chapter that has several.
_PART = re.compile(
    r"\s*[\[(【_-]?\s*(?:第\s*)?(?P<part>[0-9]{1,3})\s*/\s*(?:共\s*)?(?P<parts>[0-9]{1,3})\s*[页頁]?\s*[\])】]?\s*$"
    r"|\s*[\[(【]\s*(?:第\s*)?(?P<alone>[0-9]{1,3})\s*[页頁]?\s*[\])】]\s*$|\s*第\s*(?P<worded>[0-9]{1,3})\s*[页頁]\s*$"
)
MAX_TITLE_CHARS = 60  # a link with a longer text is a sentence


@dataclass(frozen=True, slots=True)
class ChapterTitle:
    """The title of a chapter without its part number.

    number: None for a prologue or a title without a number. part, parts: the number of this part, from 1, and the
    number of parts; 0 if the title does not state them
    """

    text: str
    number: int | None
    part: int = 0
    parts: int = 0


def chapter_title(title: str) -> ChapterTitle:
    """Parse the title of a chapter.

    >>> chapter_title("第一百零二章 渡口（2/3）")
    ChapterTitle(text='第一百零二章 渡口', number=102, part=2, parts=3)
    >>> chapter_title("楔子").number is None
    True
    """
    plain = unicodedata.normalize("NFKC", title)
    found = _PART.search(plain)
    if found is None:
        return ChapterTitle(" ".join(title.split()), _chapter_number(plain))
    part = int(found["part"] or found["alone"] or found["worded"])
    rest = " ".join(_original_beginning(title, plain[: found.start()]).split())
    return ChapterTitle(rest, _chapter_number(plain), part, int(found["parts"] or 0))


def is_chapter_title(text: str) -> bool:
    """Return True if the text of a link names a chapter.

    >>> [is_chapter_title(text) for text in ("第十二回 夜渡", "12. 夜渡", "番外：灯", "第二卷 江上", "关于我们")]
    [True, True, True, False, False]
    """
    if len(text) > MAX_TITLE_CHARS:
        return False
    return _chapter_number(unicodedata.normalize("NFKC", text)) is not None or bool(_UNNUMBERED.match(text))


def _chapter_number(plain: str) -> int | None:
    """Return the chapter number in a title, or None. The number of a volume does not count."""
    is_volume = bool(_VOLUME.search(plain)) and not _CHAPTER.search(plain)
    return None if is_volume else chapter_number(plain)


def _original_beginning(title: str, head: str) -> str:
    """Return the start of a title whose compatibility form is `head`."""
    for end in range(len(title), -1, -1):
        if unicodedata.normalize("NFKC", title[:end]).rstrip() == head.rstrip():
            return title[:end]
    return head


MAX_PARTS = 60  # real chapters had at most 20; more parts indicate an endless sequence of URLs
_NEXT_PAGE = re.compile(
    r"下\s*[一1]?\s*[页頁]|[后後]一[页頁]|(?:继续|繼續)(?:阅读|閱讀|看)|next\s*page|翻[页頁]", re.IGNORECASE
)
_EXTENSION = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.IGNORECASE)
_FIRST_PART = re.compile(r"[_-]1$")
_PART_PARAMETERS = frozenset({"page", "p", "pn", "pg", "part", "pageno", "page_no", "pageindex", "pagenum"})
_ENDS = frozenset("。！？!?…”」』；;：:—～~.）)】》*")
_OPENS = frozenset("“「『《（(【")
# Lines that sites insert at the end of one page of a chapter and at the start of the next, of at most 40 characters.
_SEAM = re.compile(
    r"[\s（(【\[〈<《—*-]*(?:"
    r"(?:本章|本节|本節|这章|這章|此章|小主|亲爱的读者).{0,12}(?:未完|没有结束|還沒|还没|後面|后面).{0,22}"
    r"|(?:未完|待续|待續).{0,14}(?:下\s*一?\s*[页頁]|翻[页頁]|继续|繼續).{0,14}"
    r"|(?:请|請|点|點|轻触|猛戳).{0,4}(?:击|擊|此)?.{0,4}下\s*一?\s*[页頁].{0,16}"
    r"|(?:接|承)\s*上\s*一?\s*[页頁].{0,6}|上\s*一?\s*[页頁]\s*.{0,14}下\s*一?\s*[页頁]"
    r"|第?\s*\d{1,3}\s*/\s*\d{1,3}\s*[页頁]?|(?:下\s*一?\s*[页頁]|上\s*一?\s*[页頁]|返回目[录錄]|加入书[签架])"
    r")[\s）)】\]〉>》。.!！…—*-]*"
)
_COUNTED = re.compile(
    r"第?\s*\d{1,3}\s*/\s*\d{1,3}\s*[页頁]?|(?:下|上)\s*一?\s*[页頁]|返回目[录錄]|加入书[签架]"
)  # of any pager
_MAX_SEAM_CHARS = 40
_MIN_CUT_CHARS = 20  # chosen; a heading may contain a comma
_SEAM_LINES = 4  # on each side of a seam; sites insert two or three there at most


@dataclass(frozen=True, slots=True)
class Following:
    """A link that may continue a page: its URL and its text.

    is_marked: True if it is rel=next or matches the operator's rule
    """

    url: str
    words: str
    is_marked: bool = False


def part_number(first_url: str, url: str) -> int | None:
    """Return the part of the text at `first_url` that a URL states, from 2, or None if it states none.

    >>> part_number("http://a.example/b/12.html", "http://a.example/b/12_2.html")
    2
    >>> part_number("http://a.example/b/12.html", "http://a.example/b/13.html") is None
    True
    """
    first, other = urlsplit(first_url), urlsplit(url)
    if first.netloc != other.netloc:
        return None
    if first.path == other.path:
        return _queried_part(first.query, other.query)
    if first.query != other.query:
        return None
    stem, found = _EXTENSION.sub("", first.path).rstrip("/"), _EXTENSION.sub("", other.path).rstrip("/")
    for base in dict.fromkeys((stem, _FIRST_PART.sub("", stem))):
        match = re.fullmatch(re.escape(base) + r"(?:[_/-]|[_/-]?p(?:age)?[_/-]?)(\d{1,3})", found)
        if match and int(match[1]) >= 2:
            return int(match[1])
    return None


def next_part(first_url: str, url: str, links: Sequence[Following], is_chapter: "frozenset[str] | set[str]") -> str:
    """Return the URL of the page that continues the text at `url`, or "" if the text ends there.

    links: the links of the page, in order. is_chapter: the URLs of known chapters, which are never parts. A link with
    the text "next chapter" leads to a part only if its URL states a part, because sites use these words for both.
    """
    at = part_number(first_url, url) or 1
    for link in links:
        if link.url in is_chapter or link.url in (url, first_url):
            continue
        numbered = part_number(first_url, link.url)
        if numbered is not None and numbered == at + 1 and (_is_onward(link) or link.is_marked):
            return link.url
    for link in links:
        is_elsewhere = link.url not in is_chapter and link.url not in (url, first_url)
        if is_elsewhere and part_number(first_url, link.url) is None and _NEXT_PAGE.search(link.words):
            return link.url
    return ""


def is_same_chapter(first: Reading, part: Reading) -> bool:
    """Return True if the page after a "next page" link continues the chapter and is no other chapter."""
    ours, theirs = chapter_title(first.title), chapter_title(part.title)
    if ours.number is not None and theirs.number is not None:
        return ours.number == theirs.number
    if theirs.part > 1:
        return True
    if not theirs.text or not ours.text:
        return True
    return _line_key(ours.text) == _line_key(theirs.text) or theirs.number is None


def announces_continuation(text: str) -> bool:
    """Return True if a text ends with words that refer the reader to its next page."""
    ends = [line.strip() for line in text.split("\n")[-_SEAM_LINES:]]
    return any(_is_seam_line(line) for line in ends if not _COUNTED.fullmatch(line))


def is_continuation(parts: Sequence[Reading], part: Reading, first_url: str, url: str) -> bool:
    """Return True if a page continues a text. Only the pages are considered, because they may not belong to a novel.

    A list of news and an article may have the same pager. A continuation has titles such as 1/2 and 2/2, or follows
    words that announce it. Otherwise its URL must state a part, and its chapter number must be the same or a sentence
    must be split between the pages.
    """
    ours, before, theirs = (chapter_title(each.title) for each in (parts[0], parts[-1], part))
    is_same_title = bool(ours.text) and _line_key(ours.text) == _line_key(theirs.text)
    if ours.number != theirs.number and theirs.number is not None:
        return False
    if theirs.part and before.parts and is_same_title:
        return theirs.part == before.part + 1
    if announces_continuation(parts[-1].text):
        return is_same_title or not theirs.text
    is_at_part = part_number(first_url, url) is not None
    return is_at_part and is_same_title and (ours.number is not None or _is_cut(parts[-1].text))


def _is_cut(text: str) -> bool:
    """Return True if a text ends inside a sentence.

    A list of titles also ends without punctuation, but contains none.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip() and not _is_seam_line(line.strip())]
    last = lines[-1] if lines else ""
    return bool(last) and last[-1] not in _ENDS and ("。" in last or (len(last) >= _MIN_CUT_CHARS and "，" in last))


def join_parts(parts: Sequence[Reading]) -> Reading:
    """Join the readings of the parts of a text, in order, with the title and times of the first part.

    At the seams, these are removed: the repeated heading, "to be continued on the next page", lines that every part has
    there, and a last line that the next part repeats. A sentence that was split between pages becomes one line. The
    confidence is the lowest of the parts.
    """
    texts = [part.text.split("\n") for part in parts]
    title = chapter_title(parts[0].title)
    boilerplate = _repeated_lines(texts) if len(parts) > 1 else frozenset()
    lines: list[str] = []
    starts: list[int] = []
    for number, own in enumerate(texts):
        starts.append(len(lines))
        body = _remove_seams(own, title.text, boilerplate, is_first=number == 0, is_last=number == len(texts) - 1)
        if lines and body and len(body[0]) >= 8 and body[0] == lines[-1]:
            body = body[1:]
        if lines and body and lines[-1] and lines[-1][-1] not in _ENDS and body[0][0] not in _OPENS:
            lines[-1] += body[0]
            body = body[1:]
        lines += body
    text = "\n".join(lines)
    raw_text, marks = _raw_parts(parts, text)
    return replace(
        parts[0],
        title=title.text or parts[0].title,
        text=text,
        confidence=min(part.confidence for part in parts),
        is_encoding_doubtful=any(part.is_encoding_doubtful for part in parts),
        obfuscations=merge_findings(found for part in parts for found in part.obfuscations),
        raw_text=raw_text,
        marks=marks,
        surroundings=_adjacent_lines(parts, starts),
        posters=tuple(
            replace(each, after=start + each.after)
            for part, start in zip(parts, starts, strict=True)
            for each in part.posters
        ),
    )


def _raw_parts(parts: Sequence[Reading], text: str) -> tuple[str, tuple[Mark, ...]]:
    """Return the raw text of all parts and the marks between it and `text`; ("", ()) if no obfuscation was undone."""
    if not any(part.raw_text for part in parts):
        return "", ()
    return join_raw_parts(((part.raw_text or part.text, part.text, part.marks) for part in parts), text)


def _adjacent_lines(parts: Sequence[Reading], starts: Sequence[int]) -> tuple[SurroundingLine, ...]:
    """Return the surrounding lines of all parts without repetitions.

    starts: the number of main lines before each part.
    """
    found: list[SurroundingLine] = []
    for part, start in zip(parts, starts, strict=True):
        known = {line.text for line in found}
        found += [replace(line, after=start + line.after) for line in part.surroundings if line.text not in known]
    return tuple(found)


def _is_onward(link: Following) -> bool:
    return bool(re.search(r"下|[后後]一|next|继续|繼續|>|»|→|翻", link.words, re.IGNORECASE)) or link.words.isdecimal()


def _queried_part(first: str, other: str) -> int | None:
    ours, theirs = dict(parse_qsl(first)), dict(parse_qsl(other))
    changed = {name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}
    if len(changed) != 1 or (name := changed.pop()).lower() not in _PART_PARAMETERS:
        return None
    value = theirs.get(name, "")
    return int(value) if value.isdecimal() and 2 <= int(value) <= 999 else None


def _repeated_lines(texts: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the lines at the seams of two or more parts. Prose does not repeat whole lines at the edges of pages."""
    heads = [set(text[:_SEAM_LINES]) for text in texts]
    tails = [set(text[-_SEAM_LINES:]) for text in texts]
    return frozenset(
        line
        for edges in (heads, tails)
        for one, other in pairwise(edges)
        for line in one & other
        if len(line) <= _MAX_SEAM_CHARS * 2
    )


def _remove_seams(
    lines: Sequence[str], title: str, boilerplate: frozenset[str], *, is_first: bool, is_last: bool
) -> list[str]:
    start, end = 0, len(lines)
    keeps_heading = is_first
    while start < min(end, _SEAM_LINES) and _is_seam(lines[start], title, boilerplate, keeps_heading):
        start += 1
    while end > max(start, len(lines) - _SEAM_LINES) and _is_seam(
        lines[end - 1], "", boilerplate, is_last and is_first
    ):
        end -= 1
    return [line for line in lines[start:end] if line.strip()]


def _is_seam_line(line: str) -> bool:
    plain = unicodedata.normalize("NFKC", line).replace("(", "（")
    return len(line) <= _MAX_SEAM_CHARS and bool(_SEAM.fullmatch(plain))


def _is_seam(line: str, title: str, boilerplate: frozenset[str], keeps_heading: bool) -> bool:
    bare = line.strip()
    if _is_seam_line(bare):
        return True
    if bare in boilerplate and not (
        keeps_heading and title and _line_key(title) == _line_key(chapter_title(bare).text)
    ):
        return True
    if keeps_heading or not title:
        return False
    key = _line_key(chapter_title(bare).text)
    return bool(key) and len(bare) <= 2 * len(title) + 12 and (key == _line_key(title) or _line_key(title) in key)


def _line_key(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text) if char.isalnum()).lower()
