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
    rf"""{_STRING}|/\*.*?(?:\*/|\Z)|(?:^|(?<=[{{}};/]))([^{{}}@"'\\/;]*+)\{{((?:[^{{}}"'\\/]|/(?!\*)|{_INNER_STRING})*+)\}}""",
    re.DOTALL,
)
_NAME = re.compile(r"([.#])(?!\d)([^\s.#:>+~,*&|]+)")
_WATCHED = re.compile("|".join(sorted({*DECLARED, "--"}, key=len)), re.IGNORECASE)


def relevant(text: str, names: Set[str]) -> str:
    """What of a sheet may concern a page. names: its classes, and its ids as "#id".

    >>> relevant(".a{top:0} .b .c{top:0} p{top:0} p{zoom:2}", {"a", "c"})
    '.a{top:0} p{top:0}'
    """

    def kept(match: re.Match[str]) -> str:
        selectors, block = match[1], match[2]
        return match[0] if selectors is None or _is_relevant(selectors, block, names) else ""

    return _PARTS.sub(kept, text)


def _is_relevant(selectors: str, block: str, names: Set[str]) -> bool:
    if not _WATCHED.search(block):
        return False
    if "(" in selectors or "[" in selectors:
        return True
    return any(
        all((name if mark == "." else f"#{name}") in names for mark, name in _NAME.findall(part))
        for part in selectors.split(",")
    )
