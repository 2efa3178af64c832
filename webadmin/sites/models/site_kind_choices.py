"""The kinds of sites in crawler.site_kinds as choices, help texts and conditions for forms."""

from django.utils.functional import lazy
from django.utils.translation import get_language

from crawler.site_kinds import KINDS, SETTINGS
from webadmin.ui.models.phrases import in_language_of_reader

CRAWLED = tuple(kind.name for kind in KINDS.values() if kind.is_crawled)


def choices() -> list[tuple[str, str]]:
    """Return the kinds of sites as choices for a model field, labelled in the user's language."""
    return [(kind.name, in_language_of_reader(kind.label)) for kind in KINDS.values()]


def _start_url_help() -> str:
    """Return a help text that explains the start URLs of each kind of site, in the user's language."""
    is_chinese = (get_language() or "").startswith("zh")
    colon, between, end = ("：", "；", "。") if is_chinese else (": ", "; ", ".")
    words = in_language_of_reader
    told = between.join(f"{words(kind.label)}{colon}{words(kind.starts)}" for kind in KINDS.values())
    return f"{told}{end}"


def conditional_fields() -> dict[str, str]:
    """Return Unfold's display condition for each field that only the spiders of some kinds of sites use."""
    readers = {name: [kind.name for kind in KINDS.values() if name in kind.settings] for name in sorted(SETTINGS)}
    shown = {name: list(CRAWLED) for name in ("start_urls", "crawl_at", "interval_days")} | readers
    return {field: " || ".join(f"kind == '{name}'" for name in names) for field, names in shown.items()}


starts_help = lazy(_start_url_help, str)
