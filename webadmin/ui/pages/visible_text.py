"""Converts crawled text to markup: escaped, with marks in place of hidden characters."""

import unicodedata
from html import escape

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import pgettext_lazy

from core.hidden_characters import glyphs, has_hidden

_SPACES = {
    " ": pgettext_lazy("mark in place of white space", "space"),
    "\u3000": pgettext_lazy("mark in place of white space", "wide space"),
    "\n": pgettext_lazy("mark in place of white space", "line break"),
    "\t": pgettext_lazy("mark in place of white space", "tab"),
}


def visible(text: str) -> SafeString:
    """Escape `text` and replace each run of hidden characters by a mark."""
    return mark_safe(_visible_html(text))  # noqa: S308 - every part is escaped in _visible


def _visible_html(text: str) -> str:
    if not has_hidden(text):
        return escape(text)
    return "".join(_mark_html(run.label, run.detail) if run.label else escape(run.text) for run in glyphs(text))


def named_spaces(spaces: str) -> SafeString:
    """Return a mark that contains the names of the spaces in a text of spaces."""
    kinds = list(dict.fromkeys(spaces))
    detail = ", ".join(f"U+{ord(space):04X} {unicodedata.name(space, '')}".strip() for space in kinds)
    label = " ".join(str(_SPACES.get(space, f"U+{ord(space):04X}")) for space in kinds)
    label += "" if len(spaces) == 1 else f"×{len(spaces)}"
    return _mark_html(label, detail)


def _mark_html(label: str, detail: str) -> SafeString:
    return format_html(
        '<span class="zw-hidden" role="img" data-mark="{}" title="{}" aria-label="{}"></span>', label, detail, detail
    )
