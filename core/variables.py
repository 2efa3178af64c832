"""Reading environment variables: each is parsed once, and what is wrong with any is kept until all were read."""

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core import service_urls
from core.hosts import parse_host

T = TypeVar("T")

PREFIX = "ZHUIWEN_"
_PLACE = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s/@\[\]:,]+):[0-9]{1,5}")


class Variables:
    """The variables of an environment by their bare names; `faults` has a sentence for each that cannot be."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.faults: dict[str, str] = {}  # by name without the prefix
        self.asked: set[str] = set()

    def text(self, name: str, default: str) -> str:
        self.asked.add(PREFIX + name)
        return self._environ.get(PREFIX + name, "").strip() or default

    def names(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.text(name, "")
        return tuple(part.strip() for part in value.split(",") if part.strip()) if value else default

    def places(self, name: str) -> tuple[str, ...]:
        """Hosts with their ports."""
        allowed = "host:port, an IPv6 address in brackets, like 127.0.0.1:8080 or [::1]:8080; commas between several"
        given = self.names(name, ())
        wrong = next((place for place in given if not _is_place(place)), None)
        if wrong is not None:
            self._refuse(name, wrong, allowed)
        return given if wrong is None else ()

    def sockets(self, name: str) -> tuple[str, ...]:
        """Addresses with their ports: places that need no name to be looked up."""
        given = self.names(name, ())
        wrong = next((place for place in given if not (_is_place(place) and _is_address(place))), None)
        if wrong is not None:
            self._refuse(name, wrong, "address:port, like 127.0.0.1:53 or [::1]:53; commas between several")
        return given if wrong is None else ()

    def url(self, name: str, beginnings: tuple[str, ...]) -> str:
        """A URL that begins as one of `beginnings`; "" where none is set."""
        given = self.text(name, "")
        if not given or service_urls.can_be(given, beginnings):
            return given
        self._refuse(name, service_urls.without_secrets(given), f"a URL that begins with {' or '.join(beginnings)}")
        return ""

    def number(self, name: str, default: int, least: int, most: int) -> int:
        return self._parsed(name, default, int, lambda v: least <= v <= most, f"a whole number from {least} to {most}")

    def real(self, name: str, default: float, least: float, most: float) -> float:
        return self._parsed(name, default, float, lambda v: least <= v <= most, f"a number from {least:g} to {most:g}")

    def flag(self, name: str) -> bool:
        return self.choice(name, "0", ("0", "1")) == "1"

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        return self._parsed(name, default, str, lambda v: v in allowed, " or ".join(allowed))

    def zone(self, name: str, default: str) -> str:
        return self._parsed(name, default, str, _is_zone, "the name of a time zone, like Asia/Shanghai")

    def _parsed(self, name: str, default: T, parse: Callable[[str], T], admits: Callable[[T], bool], allowed: str) -> T:
        seen = self.text(name, "")
        if not seen:
            return default
        try:
            value = parse(seen)
        except ValueError:
            pass
        else:
            if admits(value):
                return value
        self._refuse(name, seen, allowed)
        return default

    def _refuse(self, name: str, seen: str, allowed: str) -> None:
        self.faults[name] = f"{PREFIX}{name} is {seen!r}; allowed: {allowed}"


def _is_place(text: str) -> bool:
    try:
        return bool(_PLACE.fullmatch(text)) and parse_host(text).port is not None
    except ValueError:
        return False


def _is_address(place: str) -> bool:
    try:
        ip_address(parse_host(place).name)
    except ValueError:
        return False
    return True


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return False
    return True
