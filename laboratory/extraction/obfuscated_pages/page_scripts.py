"""Obfuscations by JavaScript: the source contains the text encoded, split or reversed."""

import base64
import json
from collections.abc import Callable, Sequence
from html import escape
from random import Random
from urllib.parse import quote

from laboratory.extraction.obfuscated_pages.page import Body


def scripted(paragraphs: Sequence[str], rng: Random) -> Body:
    """Write the whole text by a script, in one of several ways."""
    markup = "".join(f"<p>{escape(each, quote=False)}</p>" for each in paragraphs)
    expression = rng.choice(_ENCODINGS)(markup, rng)
    where = 'document.getElementById("ct").innerHTML'
    script = rng.choice(
        (
            f"<script>{where}={expression};</script>",
            f"<script>var s={expression};\nvar box=document.getElementById('ct');\nbox.innerHTML=s;</script>",
            f"<script>$(function(){{ $('#ct').html({expression}); }});</script>",
        )
    )
    return Body((), "\n".join(paragraphs), script=script, container='class="content" id="ct"')


def _base64(markup: str, rng: Random) -> str:
    return f'decodeURIComponent(escape(atob("{base64.b64encode(markup.encode()).decode()}")))'


def _base64_of_percent(markup: str, rng: Random) -> str:
    return f"decodeURIComponent(atob('{base64.b64encode(quote(markup).encode()).decode()}'))"


def _array(markup: str, rng: Random) -> str:
    return f"{json.dumps(_cut(markup, rng), ensure_ascii=rng.random() < 0.5)}.join('')"


def _turned(markup: str, rng: Random) -> str:
    return f"{json.dumps(markup[::-1], ensure_ascii=False)}.split('').reverse().join('')"


def _percent_u(markup: str, rng: Random) -> str:
    return "unescape('" + "".join(f"%u{ord(char):04X}" for char in markup) + "')"


def _codes(markup: str, rng: Random) -> str:
    codes = ",".join(str(ord(char)) for char in markup)
    return rng.choice((f"String.fromCharCode({codes})", f"String.fromCharCode.apply(null,[{codes}])"))


def _split_base64(markup: str, rng: Random) -> str:
    whole = base64.b64encode(markup.encode()).decode()
    return f"Base64.decode({'+'.join(json.dumps(part) for part in _cut(whole, rng))})"


def _cut(text: str, rng: Random) -> list[str]:
    parts, at = [], 0
    while at < len(text):
        size = rng.randint(3, 40)
        parts.append(text[at : at + size])
        at += size
    return parts


_ENCODINGS: tuple[Callable[[str, Random], str], ...] = (
    _base64,
    _base64_of_percent,
    _array,
    _turned,
    _percent_u,
    _codes,
    _split_base64,
)
