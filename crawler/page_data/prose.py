"""Finds the prose among the values of JSON texts and scripts, and converts it to markup that is read like any page."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import islice

from crawler.characters.repertoire import count_han
from crawler.links import decode_literal

MAX_CHARS = 4_000_000  # in a page's own and requested data together; a chapter has some 10,000
MAX_VALUES = 50_000
MAX_DEPTH = 60
MAX_OBJECTS_OF_SCRIPT = 30  # assigned by one script
MAX_CHARS_BETWEEN = 40  # between two literals of one list
MIN_QUOTES_OF_SCRIPT, MIN_SHARE_QUOTED = 4, 0.9  # chosen: speech in a text uses other quotation marks, or fewer of them
# Chosen, not measured: two sentences. Settings and labels are shorter. A text has punctuation every 10 to 40
# characters.
MIN_HAN, MAX_HAN_OF_SENTENCE = 40, 80
_OBJECT = re.compile(r"[=(]\s*(?=[\[{])")
_PARSED = re.compile(r"JSON\.parse\(\s*(?=[\"'])")
_QUOTE = re.compile("[\"'`]")
_INSIDE = {
    '"': re.compile(r'(?:[^"\\\n]|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+", re.DOTALL),
    "`": re.compile(r"(?:[^`\\]|\\.)*+", re.DOTALL),
}
_NAME_BEFORE = re.compile(r"([\w$]{1,40})[\"']?\s*[=:(]\s*[\[(]?\s*$")
_MARKS = re.compile("[，。！？；：…、“”「」]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_TITLE = re.compile(r"^(?:(?:chapter|article|page|post|section|cname)_?)?(?:title|name)$|^headline$", re.IGNORECASE)
_TEXT_KEY = re.compile(r"content|text|body|paragraph|para|lines|html|chapter|article|正文", re.IGNORECASE)
_OTHER_KEY = re.compile(
    r"comment|reply|replies|review|recommend|related|intro|desc|abstract|summary|notice|copyright|seo|keyword|config|i18n|locale"
    r"|author|user|footer|header|nav|menu|ad(?:s|vert)",
    re.IGNORECASE,
)
_WEIGHT_OF_TEXT, _WEIGHT_OF_OTHER = 3.0, 0.1  # chosen: a chapter outweighs comments of three times its length


@dataclass(frozen=True, slots=True)
class _Literal:
    start: int
    end: int
    text: str


_NOTHING = _Literal(0, 0, "")


@dataclass(slots=True)
class _Group:
    """The values with the same path in a structure, where list indexes are ignored."""

    title: str
    weight: float
    texts: list[str] = field(default_factory=list)


def prose_markup(sources: Sequence[str], page_title: str) -> str:
    """Convert the longest prose among the values of JSON texts and scripts to a page, or return "" if there is none.

    All values with the same path in a structure are used, in order, because paragraphs may be a list. page_title: the
    title of the new page; "" for the title in the data
    """
    groups: list[_Group] = []
    left = MAX_CHARS
    for source in sources:
        left -= len(source)
        if left < 0:
            break
        of_source = _group_strings(source)
        groups += of_source if any(map(_group_score, of_source)) else _group_literals(source)
    best = max(groups, key=_group_score, default=None)
    if best is None or _group_score(best) <= 0:
        return ""
    body = "".join(map(_text_markup, best.texts))
    title = best.title if count_han(best.title) else ""
    heading = f"<h1>{escape(title)}</h1>" if title else ""
    head = f"<title>{escape(page_title or title)}</title>"
    return f"<html><head>{head}</head><body><article>{heading}{body}</article></body></html>"


def _group_strings(source: str) -> list[_Group]:
    """Group the strings in the structures of a script by their paths."""
    groups: dict[tuple[int, tuple[str, ...]], _Group] = {}
    values = ((number, each) for number, value in enumerate(_json_values(source)) for each in _structure_strings(value))
    for number, (path, title, text) in islice(values, MAX_VALUES):
        group = groups.setdefault((number, path), _Group(title, _path_weight(path)))
        group.texts.append(text)
    return list(groups.values())


def _json_values(source: str) -> Iterator[object]:
    """Yield the JSON values in a source: the whole source, or else the values that the script assigns or parses."""
    with suppress(ValueError, RecursionError):
        yield json.loads(source)
        return
    for match in islice(_PARSED.finditer(source), MAX_OBJECTS_OF_SCRIPT):
        with suppress(ValueError, RecursionError):
            yield json.loads(next(_source_literals(source, match.end()), _NOTHING).text)
    decoder, at = json.JSONDecoder(), 0
    for _ in range(MAX_OBJECTS_OF_SCRIPT):
        opened = _OBJECT.search(source, at)
        if opened is None:
            return
        at = opened.end()
        with suppress(ValueError, RecursionError):
            value, at = decoder.raw_decode(source, at)
            yield value


def _group_literals(source: str) -> list[_Group]:
    """Group the literals of a script that is not JSON.

    The items of a list form a group, and literals joined by + one item.
    """
    groups: list[_Group] = []
    if source.isascii() and "\\u" not in source:
        return groups
    end = -1
    for literal in islice(_source_literals(source, 0), MAX_VALUES):
        between = source[end : literal.start].strip() if 0 <= literal.start - end <= MAX_CHARS_BETWEEN else "?"
        end = literal.end
        if (nested := _quoted_texts(literal.text)) is not None:
            groups.append(_Group("", 1.0, nested))
        elif groups and between == "+" and groups[-1].texts:
            groups[-1].texts[-1] += literal.text
        elif groups and between == ",":
            groups[-1].texts.append(literal.text)
        else:
            name = _NAME_BEFORE.search(source[max(0, literal.start - 60) : literal.start])
            groups.append(_Group("", _path_weight([name[1]] if name else []), [literal.text]))
    return groups


def _quoted_texts(text: str) -> list[str] | None:
    """Return the quoted texts in a literal that is itself part of a script, or None for any other literal."""
    if text.count('"') < MIN_QUOTES_OF_SCRIPT or _TAG.search(text):
        return None
    quoted = [literal.text for literal in islice(_source_literals(text, 0), MAX_VALUES) if count_han(literal.text)]
    return quoted if count_han("".join(quoted)) > MIN_SHARE_QUOTED * count_han(text) else None


def _source_literals(source: str, at: int) -> Iterator[_Literal]:
    while opened := _QUOTE.search(source, at):
        inside = _INSIDE[opened[0]].match(source, opened.end())
        assert inside is not None  # the match may be empty
        at = inside.end() + 1
        if source[inside.end() : at] == opened[0]:
            yield _Literal(opened.start(), at, decode_literal(inside[0]))


def _structure_strings(structure: object) -> Iterator[tuple[tuple[str, ...], str, str]]:
    stack: list[tuple[object, tuple[str, ...], str]] = [(structure, (), "")]
    while stack:
        value, path, title = stack.pop()
        if isinstance(value, str):
            if count_han(value):
                yield path, title, value
        elif len(path) >= MAX_DEPTH:
            continue
        elif isinstance(value, list):
            stack += [(each, (*path, "*"), title) for each in reversed(value)]
        elif isinstance(value, dict):
            own = next((said for key, said in value.items() if _TITLE.match(key) and isinstance(said, str)), title)
            stack += [(each, (*path, key), own) for key, each in reversed(value.items())]


def _path_weight(path: Sequence[str]) -> float:
    named = [key for key in path if key != "*"]
    if any(_OTHER_KEY.search(key) for key in named):
        return _WEIGHT_OF_OTHER
    return _WEIGHT_OF_TEXT if named and _TEXT_KEY.search(named[-1]) else 1.0


def _group_score(group: _Group) -> float:
    text = "".join(group.texts)
    han = count_han(text)
    is_prose = han >= MIN_HAN and len(_MARKS.findall(text)) * MAX_HAN_OF_SENTENCE >= han
    return han * group.weight if is_prose else 0.0


def _text_markup(text: str) -> str:
    if "&lt;" in text and not _TAG.search(text):
        text = unescape(text)
    if _TAG.search(text):
        return f"<div>{text}</div>"
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in unescape(text).splitlines() if line.strip())
