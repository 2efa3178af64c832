"""JSON as interfaces of sites answer with -> the Chinese prose that stands in its strings."""

import json
import re
from collections.abc import Iterator
from typing import Any

from crawler.characters.repertoire import count_han
from crawler.formats.plain import unified
from crawler.markup import parse, text_of

# A string is prose that ends or parts a sentence, or is as long as one; the rest are names, labels and keys.
MIN_HAN_OF_PROSE, MIN_HAN_BESIDE_MARK = 20, 2
_MARK = re.compile("[，。！？；：…“”、]")
_TITLES = ("title", "chapter_name", "chaptername", "chapter_title", "chaptertitle", "name")
_TAG = re.compile(r"</?(?:p|br|div|span)\b", re.IGNORECASE)


def read_json(text: str) -> tuple[str, str] | None:
    """(title, prose); None for what is no JSON. Strings of markup are read as markup, each on lines of its own."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    title, prose = "", []
    for key, string in _strings(value):
        if key.lower() in _TITLES and not title and count_han(string) and len(string) <= 100:
            title = " ".join(string.split())
            continue
        plain = _plain(string)
        han = count_han(plain)
        if han >= MIN_HAN_OF_PROSE or (han >= MIN_HAN_BESIDE_MARK and _MARK.search(plain)):
            prose.append(plain)
    return title, "\n".join(prose)


def _strings(value: Any) -> Iterator[tuple[str, str]]:
    """(key, string) of all strings in their order; the key of a list's strings is that of the list."""
    waiting = [("", value)]
    while waiting:
        key, each = waiting.pop()
        if isinstance(each, str):
            yield key, each
        elif isinstance(each, dict):
            waiting += reversed(list(each.items()))
        elif isinstance(each, list):
            waiting += ((key, item) for item in reversed(each))


def _plain(string: str) -> str:
    if not _TAG.search(string):
        return unified(string)
    tree = parse(string)
    return unified(text_of(tree)) if tree is not None else ""
