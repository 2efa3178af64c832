"""Queries RDAP servers (RFC 9082, 9083) for a name or an address, over HTTP, within limits."""

import json
from collections.abc import Iterator
from typing import Any

from core.contacts import Contact, ContactKind
from core.errors import BadInput, RetryLater
from core.text import storable
from crawler.contacts.emails import parse_email
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.exchange import FetchLimits, HttpRequest, exchange
from crawler.fetching.names import NameResolver

MAX_ANSWER_BYTES = 1_000_000  # a response has 2 to 30 kB
TIMEOUT_S, MAX_REDIRECTS = 15.0, 4  # a server that knows which server is responsible redirects to it (RFC 7484)
MAX_ENTITIES, MAX_DEPTH = 200, 4
MAX_NAME_CHARS = 200
_ACCEPT = "application/rdap+json, application/json;q=0.9"


def ask(base: str, path: str, user_agent: str, guard: AddressGuard, names: NameResolver) -> dict[str, Any] | None:
    """Return the response of a server, or None if it has no entry. path: the object, such as `domain/a.example`.

    Raises BadInput if the response is not RDAP, UnsafeUrl if the address is not allowed, or RetryLater if no complete
    response arrives in time.
    """
    url = f"{base.rstrip('/')}/{path}"
    given = HttpRequest(url, {"User-Agent": user_agent, "Accept": _ACCEPT})
    answer = exchange(given, FetchLimits(TIMEOUT_S, MAX_ANSWER_BYTES, MAX_REDIRECTS), guard, names)
    if answer.status == 404:
        return None
    if answer.status != 200:
        raise RetryLater("fetch.error-status", url=url, status=answer.status)
    try:
        read = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise BadInput("registry.no-rdap", url=url) from error
    if not isinstance(read, dict):
        raise BadInput("registry.no-rdap", url=url)
    return read


def registrar(answer: dict[str, Any]) -> list[Contact]:
    """Return the registrar of a domain name and its abuse contact, as far as the response states them."""
    found = list(_all_entities(answer, MAX_DEPTH))
    name = next((_entity_name(each) for each, roles in found if "registrar" in roles), "")
    return _entity_contacts(ContactKind.REGISTRAR, name, ContactKind.REGISTRAR_ABUSE, _abuse_email(found))


def host(answer: dict[str, Any]) -> list[Contact]:
    """Return the owner of an address's network and its abuse contact, as far as the response states them."""
    found = list(_all_entities(answer, MAX_DEPTH))
    owners = ("registrant", "administrative", "technical")
    by_role = {role: _entity_name(each) for each, roles in reversed(found) for role in roles if _entity_name(each)}
    name = next((by_role[role] for role in owners if role in by_role), "") or _property_text(answer.get("name"))
    return _entity_contacts(ContactKind.HOST, name, ContactKind.HOST_ABUSE, _abuse_email(found))


def _entity_contacts(kind: ContactKind, name: str, of_abuse: ContactKind, abuse: str) -> list[Contact]:
    named = [Contact(kind, name)] if name else []
    return [*named, *([Contact(of_abuse, abuse, name[:60])] if abuse else [])]


def _all_entities(answer: dict[str, Any], depth: int) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield each entity with its roles, nested entities after their parents.

    At most MAX_ENTITIES of a list are read.
    """
    stated = answer.get("entities")
    for each in stated[:MAX_ENTITIES] if isinstance(stated, list) else ():
        if not isinstance(each, dict):
            continue
        roles = each.get("roles")
        yield each, [role for role in roles[:20] if isinstance(role, str)] if isinstance(roles, list) else []
        if depth:
            yield from _all_entities(each, depth - 1)


def _abuse_email(found: list[tuple[dict[str, Any], list[str]]]) -> str:
    return next(
        (email for each, roles in found if "abuse" in roles and (email := parse_email(_card_property(each, "email")))),
        "",
    )


def _entity_name(entity: dict[str, Any]) -> str:
    return _card_property(entity, "fn") or _card_property(entity, "org")


def _card_property(entity: dict[str, Any], wanted: str) -> str:
    """Return a property of an entity's contact card (jCard, RFC 7095), or "" if it has none."""
    card = entity.get("vcardArray")
    rows = card[1] if isinstance(card, list) and len(card) == 2 and isinstance(card[1], list) else []
    for row in rows[:100]:
        if isinstance(row, list) and len(row) >= 4 and row[0] == wanted:
            return _property_text(row[3])
    return ""


def _property_text(value: object) -> str:
    return " ".join(storable(value).split())[:MAX_NAME_CHARS] if isinstance(value, str) else ""
