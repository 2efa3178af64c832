"""Template filters for crawled text and for the product's figures."""

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from core.counting import count_characters
from core.hidden_characters import clip_text, spell_hidden
from core.obfuscations import OBFUSCATIONS
from core.shares import format_percentage
from core.wording import Message
from webadmin.ui.models import phrases
from webadmin.ui.pages import visible_text
from webadmin.ui.pages.wording import local_time, message_text

register = template.Library()


@register.filter
def visible(text: Any) -> SafeString:
    """Escape a crawled text and replace its hidden characters by marks."""
    return visible_text.visible(str(text or ""))


@register.filter
def percent(share: float | None) -> str:
    """Format a share in [0, 1] as a percentage, or return a dash for None."""
    return "–" if share is None else format_percentage(share)


@register.filter
def example(text: str) -> SafeString:
    """Escape a text as `visible` does. A text that consists only of spaces is replaced by the names of the spaces."""
    return visible_text.named_spaces(text) if text.isspace() else visible_text.visible(text)


@register.filter
def group_digits(number: int | None) -> str:
    """Format an integer with thousands separators, or return a dash for None.

    >>> group_digits(1234567)
    '1,234,567'
    """
    return "–" if number is None else f"{number:,}"


register.filter(local_time)
register.filter(clip_text)
register.filter("characters", count_characters)
register.filter("obfuscation_name", phrases.name_of_obfuscation)


@register.simple_tag
def now_zone() -> str:
    """Return the name of the current time zone with its current UTC offset."""
    return f"{timezone.get_current_timezone_name()} (UTC{timezone.localtime().isoformat()[-6:]})"


@register.filter
def local_minute(moment: datetime | None) -> str:
    """Format a time to the minute in the user's time zone, or return a dash for None."""
    return "–" if moment is None else timezone.localtime(moment).strftime("%Y-%m-%d %H:%M")


@register.filter
def message(stored: Message | None) -> str:
    """Return a stored message in the user's language, with hidden characters spelled out, or "" for None."""
    return spell_hidden(message_text(stored)) if stored else ""


@register.filter
def has_obfuscation(obfuscations: list[dict[str, Any]], kind: str) -> bool:
    """Return True if the obfuscations of a case include this kind."""
    return any(each["kind"] == kind for each in obfuscations)


@register.filter
def obfuscation_meaning(kind: str) -> str:
    """Return the explanation of a kind of obfuscation, or "" for an unknown kind."""
    known = OBFUSCATIONS.get(kind)
    return str(phrases.in_language_of_reader(known.explanation)) if known else ""


@register.filter
def obfuscation_caveat(kind: str) -> str:
    """Return the caveat about a kind of obfuscation for readers who rely on the text, or ""."""
    known = OBFUSCATIONS.get(kind)
    return str(phrases.in_language_of_reader(known.caveat)) if known and known.caveat else ""


@register.filter
def change_name(kind: str) -> str:
    """Return the label of a kind of change."""
    return phrases.choice_label(kind, phrases.CHANGES)
