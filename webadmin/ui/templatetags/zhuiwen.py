"""Filters for crawled text and for the product's own figures."""

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from core.counting import count_characters
from core.hidden_characters import clip_text, spell_hidden
from core.obfuscations import OBFUSCATIONS
from core.shares import percentage
from core.wording import Message
from webadmin.ui.models import phrases
from webadmin.ui.pages import visible_text
from webadmin.ui.pages.wording import local_time, message_text

register = template.Library()


@register.filter
def visible(text: Any) -> SafeString:
    """Escape a crawled text and show its hidden characters as marks."""
    return visible_text.visible(str(text or ""))


@register.filter
def percent(share: float | None) -> str:
    """Write a share of 1 in per cent."""
    return "–" if share is None else percentage(share)


@register.filter
def example(text: str) -> SafeString:
    """As `visible`; a text of nothing but spaces is named, for nobody would see it."""
    return visible_text.named_spaces(text) if text.isspace() else visible_text.visible(text)


@register.filter
def group_digits(number: int | None) -> str:
    """Write a whole number with its thousands apart.

    >>> group_digits(1234567)
    '1,234,567'
    """
    return "–" if number is None else f"{number:,}"


register.filter(local_time)
register.filter(clip_text)


@register.simple_tag
def now_zone() -> str:
    """Name the zone in which times are shown, with its distance from UTC now."""
    return f"{timezone.get_current_timezone_name()} (UTC{timezone.localtime().isoformat()[-6:]})"


@register.filter
def local_minute(moment: datetime | None) -> str:
    """Write a moment short enough for a table, in the zone of whoever reads."""
    return "–" if moment is None else timezone.localtime(moment).strftime("%Y-%m-%d %H:%M")


@register.filter
def message(stored: Message | None) -> str:
    """Word a stored message in the reader's language; nothing hidden in it stays hidden."""
    return spell_hidden(message_text(stored)) if stored else ""


@register.filter
def has_obfuscation(obfuscations: list[dict[str, Any]], kind: str) -> bool:
    """Return true if a case's obfuscations have one of this kind."""
    return any(each["kind"] == kind for each in obfuscations)


@register.filter
def characters(text: str) -> int:
    """Count the characters of a text as all figures do."""
    return count_characters(text)


@register.filter
def obfuscation_name(kind: str) -> str:
    """Name an obfuscation; a kind that this version does not know is shown as it is stored."""
    return phrases.name_of_obfuscation(kind)


@register.filter
def obfuscation_meaning(kind: str) -> str:
    """Explain an obfuscation in one sentence."""
    known = OBFUSCATIONS.get(kind)
    return str(phrases.in_language_of_reader(known.explanation)) if known else ""


@register.filter
def obfuscation_caveat(kind: str) -> str:
    """Say what whoever relies on the text has to know of it; "" for nothing."""
    known = OBFUSCATIONS.get(kind)
    return str(phrases.in_language_of_reader(known.caveat)) if known and known.caveat else ""


@register.filter
def change_name(kind: str) -> str:
    """Name a kind of change."""
    return phrases.choice_label(kind, phrases.CHANGES)
