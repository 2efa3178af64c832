"""What was typed into a search, in the ways in which it may be stored."""

import re
from functools import cache
from typing import Any

_ADDRESS = re.compile(r"(?:https?:)?//(?:www\.)?|www\.(?=[^/\s]+\.)", re.IGNORECASE)


def written_ways(typed: str) -> list[str]:
    """An address without its scheme and www, as a site may have it with or without them; words in both scripts.

    >>> written_ways("https://www.pirate.example/read/1"), written_ways("渡口无灯")
    (['pirate.example/read/1'], ['渡口无灯', '渡口無燈'])
    """
    words = typed.strip()
    address = _ADDRESS.match(words)
    if address is not None and len(words.split()) == 1:
        return [words[address.end() :]]
    return list(dict.fromkeys([words, _converter("t2s").convert(words), _converter("s2t").convert(words)]))


@cache
def _converter(way: str) -> Any:
    from opencc import OpenCC

    return OpenCC(way)
