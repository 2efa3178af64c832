"""Validates hosts, URLs and patterns that users enter."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.errors import RetryLater
from core.hosts import Host, parse_host
from core.wording import Message
from crawler.rule_checks import rule_faults
from webadmin.ui.pages.wording import message_text

HOST = re.compile(r"(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")


def clean_host(text: str) -> str:
    """Return an entered host or URL as `host` or `host:port`, in the normal form of core.hosts.

    Raises ValidationError if it contains no valid host.
    """
    try:
        host = parse_host(text)
    except ValueError as error:
        raise _no_host(text) from error
    if "@" in text or not HOST.fullmatch(str(Host(host.name))):
        raise _no_host(text)
    return str(host)


def _no_host(text: str) -> ValidationError:
    return ValidationError(_("“%(text)s” is not a host; enter one such as www.example.com."), params={"text": text})


def clean_urls(text: str) -> str:
    """Return a field with one URL on each line without blank lines.

    Raises ValidationError if there is no URL, or for an invalid URL.
    """
    urls = [line.strip() for line in text.splitlines() if line.strip()]
    if not urls:
        raise ValidationError(_("Enter at least one URL."))
    for url in urls:
        _check_url(url)
    return "\n".join(urls)


def _check_url(url: str) -> None:
    """Raise ValidationError for an invalid URL.

    The scheme is checked first, because URLs with other schemes often have no host.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValidationError(_("“%(url)s” is not a URL."), params={"url": url}) from error
    if parts.scheme not in {"http", "https"}:
        raise ValidationError(_("“%(url)s” does not begin with http:// or https://."), params={"url": url})
    if not parts.netloc:
        raise ValidationError(_("“%(url)s” is not a URL."), params={"url": url})
    clean_host(parts.netloc)


def rule_errors(patterns: Iterable[str] = (), selectors: Iterable[str] = ()) -> dict[str, ValidationError]:
    """Return the errors in rules, by rule. patterns: regular expressions. selectors: CSS selectors.

    Raises ValidationError if the rules cannot be tested now.
    """
    patterns = list(patterns)
    try:
        faults = rule_faults(patterns, selectors)
    except RetryLater as error:
        raise ValidationError(message_text(error)) from error
    return {rule: _rule_error(rule, fault, is_pattern=rule in patterns) for rule, fault in faults.items()}


def _rule_error(rule: str, fault: Message, *, is_pattern: bool) -> ValidationError:
    if not is_pattern or not fault.code.startswith("pattern."):
        return ValidationError(message_text(fault))
    if fault.code == "pattern.slow":
        words = _("“%(pattern)s” takes too long; avoid a repetition inside a repetition.")
        return ValidationError(words, params={"pattern": rule})
    words = _("“%(pattern)s” is not a regular expression: %(reason)s.")
    return ValidationError(words, params={"pattern": rule, "reason": message_text(fault)})
