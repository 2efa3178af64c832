"""Where elements end that show nothing of what is in them: there for a browser, much later for libxml2.

To a browser with scripts <noscript> is a text that ends at the next </noscript>, whatever is in it. And browsers take
</button> where libxml2 passes it over because a <div> is open inside.
"""

import re

from crawler.markup import UNSEEN, parse
from crawler.plain_markup import ATTRIBUTES, RAW_ELEMENTS

MAX_LOOKED_AT = (
    1_000  # chosen: pages have up to a hundred; to look at one takes 30 us, what it holds is parsed once more
)
_RAW = "|".join(
    rf"{name}(?=[\s/>]){ATTRIBUTES}(?:>.*?(?:</{name}(?=[\s/>])|\Z)|\Z)" for name in RAW_ELEMENTS if name != "noscript"
)
_ENDED = r"(?:noscript|button|object|select|template)(?=[\s/>])"
_ELEMENT = re.compile(
    rf"(?:[^<]++|<!--(?:-?>|.*?(?:--!?>|\Z))|<(?!{_ENDED})(?:{_RAW}|/?[a-z][^\s/>]*+{ATTRIBUTES}(?:>|\Z)|))*+"
    rf"(?:<(?P<name>{_ENDED}){ATTRIBUTES}(?:>(?P<content>.*?)(?=</(?P=name)[\s/>]|\Z)|\Z)|\Z)",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_ANY = re.compile(f"<{_ENDED}", re.IGNORECASE)


def with_ends(markup: str) -> tuple[str, bool]:
    """The markup, each <noscript> emptied that would not end for libxml2, and whether all other elements end there.

    >>> with_ends("<noscript><!--</noscript>渡口<noscript><p>石阶</noscript>")
    ('<noscript></noscript>渡口<noscript><p>石阶</noscript>', True)
    >>> with_ends("<button><div></div></button>渡口"), with_ends("<button><div></button>渡口")
    (('<button><div></div></button>渡口', True), ('<button><div></button>渡口', False))
    """
    if _ANY.search(markup) is None:
        return markup, True
    looked_at: dict[tuple[str, str], bool] = {}
    parts, at, are_ended = [], 0, True
    for match in _ELEMENT.finditer(markup):
        if match["content"] is None:
            break
        name, content = match["name"].lower(), match["content"]
        if (name, content) not in looked_at:
            looked_at[name, content] = len(looked_at) < MAX_LOOKED_AT and _is_ended(name, content)
        if looked_at[name, content]:
            continue
        if name == "noscript":
            parts.append(markup[at : match.start("content")])
            at = match.end("content")
        else:
            are_ended = False
    return "".join([*parts, markup[at:]]), are_ended


def _is_ended(name: str, content: str) -> bool:
    """Whether what stands behind it is behind it for libxml2 too."""
    if "<" not in content:
        return True
    if name != "noscript" and f"<{name}" in content.lower():
        return True  # one inside of another one: its end is not this one
    last = parse(f"<div><{name}>{content}</{name}><p>.</p></div>")
    while last is not None and len(last):
        last = last[-1]
    return last is not None and last.text == "." and not any(node.tag in UNSEEN for node in last.iterancestors())
