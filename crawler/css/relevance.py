"""A sheet without the rules that are for other pages, or that say nothing of what is watched.

Most of a sheet is. They are cut out of its text, since to read all of it takes ten times as long; what is not plainly
a rule of that kind stays.
"""

import re
from collections.abc import Set

from crawler.css.declarations import DECLARED

# A text, a comment, or a rule whose block has no other block in it. Each alternative ends where it has looked to: the
# time is linear in the sheet however it is broken.
_STRING = r""""(?:[^"\\\n]|\\.)*+(?:"|\n|\Z)|'(?:[^'\\\n]|\\.)*+(?:'|\n|\Z)"""
_INNER_STRING = r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'"""
_PARTS = re.compile(
    rf"""{_STRING}|/\*.*?(?:\*/|\Z)|(?:^|(?<=[{{}};])|(?<=\*/))([^{{}}@"'\\/;]*+)\{{((?:[^{{}}"'\\/]|/(?!\*)|{_INNER_STRING})*+)\}}""",
    re.DOTALL,
)
# A class, an id, or a tag at the beginning of a compound.
_NAME = re.compile(r"([.#]|(?<![^\s>+~])(?=[A-Za-z]))(?!\d)([^\s.#:>+~,*&|]+)")
_ALWAYS = frozenset({"<from", "<to", "<tbody"})  # of keyframes, and what browsers put around rows by themselves
_COMPOUND = r"(?:[a-zA-Z][\w-]*+(?:[.#][a-zA-Z][\w-]*+)*+|(?:[.#][a-zA-Z][\w-]*+)++)"
_PLAIN = re.compile(rf"{_COMPOUND}(?:(?:\s*+[>+~]\s*+|\s++){_COMPOUND})*+", re.ASCII)
# What depends on what a reader does does not hold; other pseudo-elements than these two have no text.
_NEVER = re.compile(
    r":(?:hover|focus|focus-within|focus-visible|active|visited|target)(?![\w-])|::(?!before|after)", re.IGNORECASE
)
_WATCHED = re.compile("|".join(sorted({*DECLARED, "--"}, key=len)), re.IGNORECASE)


def relevant(text: str, names: Set[str]) -> str:
    """What of a sheet may concern a page. names: its classes, ids as "#id" and tags as "<tag".

    >>> relevant(".a{top:0} .b .c{top:0} p{top:0} p{zoom:2} p:hover{top:0} h2{top:0}", {"a", "c", "<p"})
    '.a{top:0} p{top:0}'
    """
    known = names | _ALWAYS

    def kept(match: re.Match[str]) -> str:
        selectors, block = match[1], match[2]
        if selectors is None or "(" in selectors or "[" in selectors or "|" in selectors:
            return match[0] if selectors is None or _WATCHED.search(block) else ""
        parts = selectors.split(",")
        matching = {part for part in parts if _may_match(part, known)}
        if not matching or not _WATCHED.search(block):
            return ""
        # One that no browser reads makes it drop the whole rule, and has to stay.
        read = [part for part in parts if part in matching or not _is_plain(part)]
        return f"{','.join(read)}{{{block}}}"

    return _PARTS.sub(kept, text)


def _may_match(selector: str, names: Set[str]) -> bool:
    if _NEVER.search(selector):
        return False
    return all(
        (f"<{name.lower()}" if not mark else name if mark == "." else f"#{name}") in names
        for mark, name in _NAME.findall(selector)
    )


def _is_plain(selector: str) -> bool:
    """Whether a browser reads a selector for sure."""
    return _PLAIN.fullmatch(selector.strip()) is not None
