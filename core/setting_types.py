"""The types and metadata of the fields in `core.settings`: names, descriptions and allowed values of settings."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from annotated_types import GroupedMetadata, Interval, Predicate

from core import service_urls
from core.hosts import parse_host
from core.mail_servers import can_be_server, is_plain_address
from core.translation import gettext_noop as _
from core.wording import Message

SETTING = "setting"  # in the metadata of a field
NONE = _("none")  # the display of an empty default, unless `default` is set
# Django's check of SECRET_KEY requires the same (security.W009).
MIN_KEY_CHARS, MIN_KEY_KINDS = 50, 5
_ENDING = re.compile(r"[a-z0-9-]{2,63}(?:\.[a-z0-9-]{2,63}){0,2}")
_PLACE = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s/@\[\]:,]+):[0-9]{1,5}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")
_ORIGIN = re.compile(r"https?://(?:\*\.)?(\[[0-9a-fA-F:.]+\]|[^\s/@\[\]:,*.][^\s/@\[\]:,*]*)(?::[0-9]{1,5})?")
_HOST = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s/@\[\]:,]+)(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Setting:
    """The description of one setting for the operator.

    name: its name in the file, and after `ZHUIWEN_` in the environment; by default the name of the field. default: the
    default in words, if the value does not explain itself. is_secret: whether it is stored separately and never
    displayed.
    """

    meaning: str
    name: str = ""
    default: str = ""
    is_secret: bool = False


def setting(value: Any, meaning: str, *, name: str = "", default: str = "", is_secret: bool = False) -> Any:
    """Return a dataclass field with this default and a `Setting` as metadata; its repr shows no secret."""
    default = default or (NONE if value in ("", ()) else "")
    return field(default=value, repr=not is_secret, metadata={SETTING: Setting(meaning, name, default, is_secret)})


@dataclass(frozen=True)
class Admits(GroupedMetadata):
    """A constraint on a text by a predicate. words: a description of the allowed values."""

    test: Callable[[str], bool]
    words: Message

    def __iter__(self) -> Iterator[object]:
        yield Predicate(self.test)


def _url_type(beginnings: tuple[str, ...]) -> Admits:
    test = partial(service_urls.can_be, beginnings=beginnings)
    return Admits(test, Message("config.url", beginnings=beginnings))


def _storage_url(beginnings: tuple[str, ...]) -> Admits:
    """Return the constraint on storage URLs; an S3 URL must name a valid bucket and no user."""

    def test(text: str) -> bool:
        is_s3 = text.lower().startswith("s3:")
        return service_urls.can_be(text, beginnings) and (not is_s3 or bool(service_urls.bucket_and_prefix(text)))

    examples = tuple("s3://BUCKET/PREFIX" if beginning == "s3://" else beginning for beginning in beginnings)
    return Admits(test, Message("config.url", beginnings=examples))


def _is_place(text: str) -> bool:
    try:
        return bool(_PLACE.fullmatch(text)) and parse_host(text).port is not None
    except ValueError:
        return False


def _is_socket(text: str) -> bool:
    try:
        return _is_place(text) and bool(ip_address(parse_host(text).name))
    except ValueError:
        return False


def _is_whois_server(text: str) -> bool:
    """Return whether `text` is `host:port`, `ENDING=host:port` for names with this ending, or `ip=` for addresses."""
    ending, has_ending, place = text.rpartition("=")
    return _is_place(place) and (not has_ending or bool(_ENDING.fullmatch(ending)))


def _is_host(text: str) -> bool:
    try:
        return bool(_HOST.fullmatch(text)) and bool(parse_host(text).name)
    except ValueError:
        return False


def _is_name(text: str) -> bool:
    """Return whether `text` is a host name or an IP address without port and brackets."""
    try:
        return bool(ip_address(text))
    except ValueError:
        return bool(_NAME.fullmatch(text))


def _is_web_name(text: str) -> bool:
    """Return whether `text` is valid in ALLOWED_HOSTS: a name, `.name` with subdomains, `*`, IPv6 in brackets."""
    is_v6 = text.startswith("[") and text.endswith("]")
    name = text[1:-1] if is_v6 else text.removeprefix(".")
    return text == "*" or (_is_name(name) and is_v6 == (":" in name))


def _is_origin(text: str) -> bool:
    """Return whether `text` is valid in CSRF_TRUSTED_ORIGINS: `https://name` or `https://name:port`, or `*.name`."""
    match = _ORIGIN.fullmatch(text)
    return match is not None and _is_web_name(match[1])


def _is_zone(name: str) -> bool:
    try:
        return bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name is a folder of time zones
        return False


def _is_hard_to_guess(key: str) -> bool:
    return len(key) >= MIN_KEY_CHARS and len(set(key)) >= MIN_KEY_KINDS


Port = Annotated[int, Interval(ge=1, le=65_535)]
DemoPort = Annotated[int, Interval(ge=1, le=65_528)]  # the first of seven ports
MongoUrl = Annotated[str, _url_type(service_urls.MONGO)]
RedisUrl = Annotated[str, _url_type(service_urls.REDIS)]
IndexUrl = Annotated[str, _url_type(service_urls.REDIS + service_urls.REDIS_CLUSTER)]
DatabaseUrl = Annotated[str, _url_type(service_urls.DATABASE)]
EvidenceUrl = Annotated[str, _storage_url(service_urls.EVIDENCE)]
RawUrl = Annotated[str, _storage_url(service_urls.OBJECTS)]
EndpointUrl = Annotated[str, Admits(service_urls.is_plain_web_url, Message("config.endpoint-url"))]
Key = Annotated[str, Admits(_is_hard_to_guess, Message("config.key", chars=MIN_KEY_CHARS))]
WebUrl = Annotated[str, _url_type(service_urls.WEB)]
TimeZone = Annotated[str, Admits(_is_zone, Message("config.time-zone"))]
Place = Annotated[str, Admits(_is_place, Message("config.places"))]
TimeServer = Annotated[str, Admits(_is_host, Message("config.hosts"))]
Socket = Annotated[str, Admits(_is_socket, Message("config.sockets"))]
SmtpUrl = Annotated[str, Admits(can_be_server, Message("config.smtp-url"))]
ListenAddress = Annotated[str, Admits(_is_name, Message("config.listen-address"))]
WebName = Annotated[str, Admits(_is_web_name, Message("config.web-names"))]
Origin = Annotated[str, Admits(_is_origin, Message("config.origins"))]
MailAddress = Annotated[str, Admits(is_plain_address, Message("config.mail-address"))]
WhoisServer = Annotated[str, Admits(_is_whois_server, Message("config.whois-servers"))]
