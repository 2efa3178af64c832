"""Queries whois servers (RFC 3912): sends a line, receives a text, and reads the owner of a name or an address."""

import re
import socket

from core.contacts import Contact, ContactKind
from core.errors import BadInput, RetryLater
from core.hosts import Host
from core.text import storable
from crawler.contacts.emails import parse_email
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import Deadline, NameResolver

TIMEOUT_S = 15.0
MAX_ANSWER_BYTES = 64_000  # a response has 1 to 6 kB; the rest is cut off
MAX_NAME_CHARS = 200
_LINE = re.compile(r"^[ \t]{0,40}([A-Za-z][A-Za-z /()-]{0,60}?)[ \t]{0,20}:[ \t]{0,80}(\S.{0,400})$", re.MULTILINE)
# The field names of the registries: of ICANN, CNNIC, RIPE and APNIC, and ARIN.
_REGISTRAR = ("registrar", "sponsoring registrar", "registrar name")
_REGISTRAR_ABUSE = ("registrar abuse contact email", "registrar abuse email")
_HOST = ("org-name", "orgname", "organization", "descr", "owner", "netname")
_HOST_ABUSE = ("orgabuseemail", "abuse-mailbox")
_ABUSE_REMARK = re.compile(r"^% Abuse contact for '[^'\n]{1,100}' is '([^'\n]{3,200})'", re.MULTILINE)  # RIPE, APNIC


def ask(place: Host, question: str, guard: AddressGuard, names: NameResolver) -> str:
    """Return the response of a whois server, cut to MAX_ANSWER_BYTES. question: an ASCII name or address.

    Raises BadInput for any other question, UnsafeUrl if the server's address is private and not allowed, or RetryLater
    if no response arrives in time.
    """
    if not re.fullmatch(r"[0-9A-Za-z.:-]{1,253}", question):
        raise BadInput("registry.no-question", question=question[:80])
    deadline, port = Deadline(TIMEOUT_S), place.port or 43
    try:
        found = names.addresses(place.name, port, deadline.remaining_s())
        address = guard.allowed_addresses(f"whois://{place}", place.name, port, found)[0]
        return storable(_decode_answer(_request_answer(address, port, question, deadline)))
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RetryLater("registry.no-whois", place=place, reason=reason) from error


def registrar(text: str) -> list[Contact]:
    """Return the registrar of a domain name and its abuse contact, as far as the text states them."""
    return _text_contacts(text, ContactKind.REGISTRAR, _REGISTRAR, ContactKind.REGISTRAR_ABUSE, _REGISTRAR_ABUSE)


def host(text: str) -> list[Contact]:
    """Return the owner of an address's network and its abuse contact, as far as the text states them."""
    return _text_contacts(text, ContactKind.HOST, _HOST, ContactKind.HOST_ABUSE, _HOST_ABUSE)


def _text_contacts(
    text: str, kind: ContactKind, names: tuple[str, ...], of_abuse: ContactKind, abuse_names: tuple[str, ...]
) -> list[Contact]:
    said: dict[str, str] = {}
    for match in _LINE.finditer(text):
        said.setdefault(match[1].strip().lower(), " ".join(match[2].split()))
    name = next((said[each][:MAX_NAME_CHARS] for each in names if each in said), "")
    remark = _ABUSE_REMARK.search(text) if kind is ContactKind.HOST else None
    stated = [said.get(each, "") for each in abuse_names] + ([remark[1]] if remark else [])
    abuse = next((email for each in stated if (email := parse_email(each))), "")
    found = [Contact(kind, name)] if name else []
    return [*found, *([Contact(of_abuse, abuse, name[:60])] if abuse else [])]


def _request_answer(address: str, port: int, question: str, deadline: Deadline) -> bytes:
    taken = bytearray()
    with socket.create_connection((address, port), timeout=deadline.remaining_s()) as server:
        server.sendall(f"{question}\r\n".encode("ascii"))
        while len(taken) < MAX_ANSWER_BYTES:
            server.settimeout(deadline.remaining_s())
            piece = server.recv(min(8_192, MAX_ANSWER_BYTES - len(taken)))
            if not piece:
                break
            taken += piece
    return bytes(taken)


def _decode_answer(answer: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return answer.decode(encoding)
        except UnicodeDecodeError:
            continue
    return answer.decode("latin-1")
