"""Which values of settings must not be seen, and what is shown in their place."""

from core import service_urls
from core.known_settings import known_settings

HIDDEN = "***"
# Secret as a whole; of the others, which are URLs, what is not secret is shown.
KEYS = frozenset({"secret_key", "s3_access_key", "s3_secret_key"})


def shown(name: str, value: str) -> str:
    """A value, written, as it may be shown to whoever looks over one's shoulder.

    >>> shown("mongo_url", "mongodb://zw:hush@db/zw"), shown("secret_key", "hush"), shown("web_port", "1")
    ('mongodb://***@db/zw', '***', '1')
    """
    if not known_settings()[name].told.is_secret or not value:
        return value
    if name in KEYS:
        return HIDDEN
    return ",".join(service_urls.without_secrets(url) for url in value.split(","))


def holds_secret(name: str, value: str) -> bool:
    """Whether a value holds what nobody else may see: a URL without user and options does not."""
    return shown(name, value) != value
