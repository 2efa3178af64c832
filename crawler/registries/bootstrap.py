"""IANA's lists of RDAP servers (RFC 9224), from files that the operator keeps: which server knows a name or address."""

import json
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from core.errors import BadInput

MAX_FILE_BYTES = 4_000_000  # dns.json had some 60 kB in 2025
DNS, IPV4, IPV6 = "dns.json", "ipv4.json", "ipv6.json"


def server_of_name(folder: Path, name: str) -> str:
    """The base address of the server that knows a name, by the longest ending that is listed; "" for none.

    Raises BadInput for a file that is no such list.
    """
    labels = name.lower().split(".")
    listed = dict(_services(folder / DNS))
    endings = (".".join(labels[at:]) for at in range(1, len(labels)))
    return next((listed[ending] for ending in endings if ending in listed), "")


def server_of_address(folder: Path, address: str) -> str:
    """The base address of the server that knows an IP address, by the smallest network; "" for none."""
    ip = ip_address(address)
    found = [
        (network.prefixlen, url)
        for stated, url in _services(folder / (IPV4 if ip.version == 4 else IPV6))
        if (network := _network(stated)) is not None and ip in network
    ]
    return max(found)[1] if found else ""


def _services(path: Path) -> Iterator[tuple[str, str]]:
    """What is listed, and the first https address of its servers, else the first; nothing where there is no file."""
    if not path.exists():
        return
    for entry in _read(path):
        if not (isinstance(entry, list) and len(entry) >= 2 and all(isinstance(each, list) for each in entry[:2])):
            continue
        urls = [each for each in entry[1] if isinstance(each, str) and each.startswith(("https://", "http://"))]
        urls.sort(key=lambda url: not url.startswith("https://"))
        for key in entry[0]:
            if urls and isinstance(key, str):
                yield key.lower(), urls[0]


def _read(path: Path) -> list[Any]:
    try:
        with path.open("rb") as file:
            stated = json.loads(file.read(MAX_FILE_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput("registry.no-bootstrap", path=path, error=error) from error
    services = stated.get("services") if isinstance(stated, dict) else None
    if not isinstance(services, list):
        raise BadInput("registry.no-bootstrap", path=path, error="services")
    return services


def _network(text: str) -> Any:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None
