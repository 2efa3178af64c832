"""Neutralizes bidirectional control characters (such as U+202E) in all admin pages.

Titles, URLs and names come from crawled pages, files and people that may be hostile. On every admin page, including
those of libraries, these characters in visible text are replaced by marks such as ‹RLO›. In text that only a program
reads, such as the value of a field or a URL, they become character references.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from core.hidden_characters import BIDI, spell_hidden

_BIDI = re.compile(f"[{BIDI}]+")
_BYTES = re.compile(rb"\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")  # these characters in UTF-8
_TAG = re.compile(r"""<!--.*?-->|<[a-zA-Z!/](?:[^>"']|"[^"]*"|'[^']*')*>""", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s=>"'/]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)""")
_RAW = re.compile(r"<(textarea|script|style)\b", re.IGNORECASE)  # elements whose content is not markup
_SHOWN = frozenset({"title", "alt", "placeholder", "label"})


def mark_bidi(text: str) -> str:
    r"""Replace bidirectional control characters by visible marks.

    >>> mark_bidi("第一章\u202egnp.exe")
    '第一章‹RLO›gnp.exe'
    """
    return _BIDI.sub(lambda found: spell_hidden(found[0]), text)


def mark_bidi_in_html(page: str) -> str:
    r"""Mark bidirectional control characters in a page's texts and visible attributes. Field values keep them.

    >>> mark_bidi_in_html('<p title="\u202e">\u202e</p><input value="\u202e">')
    '<p title="‹RLO›">‹RLO›</p><input value="&#x202E;">'
    """
    pieces: list[str] = []
    at = 0
    while found := _TAG.search(page, at):
        pieces += [mark_bidi(page[at : found.start()]), _to_references(_ATTRIBUTE.sub(_mark_attribute, found[0]))]
        at = found.end()
        name = _RAW.match(found[0])
        if name:
            end = _element_end(name[1], page, at)
            pieces.append(_INSIDE[name[1].lower()](page[at:end]))
            at = end
    return "".join([*pieces, mark_bidi(page[at:])])


class BidiMiddleware:
    """Marks bidirectional control characters in every HTML page. Downloads are not changed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if not isinstance(response, HttpResponse) or not response.get("Content-Type", "").startswith("text/html"):
            return response
        if _BYTES.search(response.content):
            response.content = mark_bidi_in_html(response.content.decode(response.charset)).encode(response.charset)
            response["Content-Length"] = str(len(response.content))
        return response


def _mark_attribute(found: "re.Match[str]") -> str:
    name, equals, value = found.groups()
    is_shown = name.lower() in _SHOWN or name.lower().startswith("aria-")
    return f"{name}{equals}{mark_bidi(value) if is_shown else _to_references(value)}"


def _to_references(text: str) -> str:
    return _BIDI.sub(lambda found: "".join(f"&#x{ord(char):X};" for char in found[0]), text)


def _to_escapes(text: str) -> str:
    return _BIDI.sub(lambda found: "".join(f"\\u{ord(char):04X}" for char in found[0]), text)


def _element_end(name: str, page: str, start: int) -> int:
    end = re.compile(f"</{name}", re.IGNORECASE).search(page, start)
    return end.start() if end else len(page)


_INSIDE = {"textarea": _to_references, "script": _to_escapes, "style": mark_bidi}
