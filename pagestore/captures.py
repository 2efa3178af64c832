"""Converts captures to bytes and back. The bytes are JSON in a fixed order, so that equal captures have equal digests.

Certificates are stored separately, under the digest of their DER, because all pages on a site share them. So are bodies
longer than those of redirects, next to raw responses, and the machine, which all pages of one crawl process share.
Heads are bytes; in JSON they are Latin-1 text, which maps every byte to one character.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.captures import ArchivedRecord, Capture, CapturedResource, CaptureSource, WireExchange
from core.circumstances import BrowserProfile, Machine
from core.errors import BrokenInvariant
from core.ids import Digest, digest

FORMAT = 1  # increase it if the meaning changes
_EXCHANGE, _RECORD, _RESOURCE = TypeAdapter(WireExchange), TypeAdapter(ArchivedRecord), TypeAdapter(CapturedResource)
_MACHINE, _PROFILE = TypeAdapter(Machine), TypeAdapter(BrowserProfile)
MAX_INLINE_BYTES = 64 * 1024  # the part of a redirect's body that crawler.fetching.capture keeps


def capture_bytes(capture: Capture) -> bytes:
    """Return a capture as bytes. Digests replace its certificates, its long bodies and the machine."""
    document: dict[str, Any] = {"format": FORMAT, "exchanges": [_exchange_document(each) for each in capture.exchanges]}
    if capture.source is not CaptureSource.CONNECTION:
        document |= {"source": capture.source.value, "made_with": capture.made_with}
    if capture.records:
        document["records"] = [_replace_bytes(each, "payload") for each in capture.records]
    if capture.resources:
        document["resources"] = [_replace_bytes(each, "body") for each in capture.resources]
    if capture.machine is not None:
        document["machine_at"] = digest(machine_bytes(capture.machine))
    if capture.profile is not None:
        document["profile"] = asdict(capture.profile)
    return _document_json(document)


def machine_bytes(machine: Machine) -> bytes:
    """Return a machine as bytes, which are stored separately. Equal machines have equal digests."""
    return _document_json(asdict(machine))


def capture_certificates(capture: Capture) -> dict[Digest, bytes]:
    """Return the certificates of all connections, by the digest of their DER."""
    sessions = [each.tls for each in capture.exchanges if each.tls is not None]
    return {digest(der): der for session in sessions for der in session.certificates}


def named_certificates(data: bytes) -> list[Digest]:
    """Return the digests of the certificates to which a stored capture refers."""
    sessions = [each["tls"] for each in _capture_document(data)["exchanges"] if each["tls"]]
    return list(dict.fromkeys(Digest(name) for session in sessions for name in session["certificates"]))


def capture_bodies(capture: Capture) -> dict[Digest, bytes]:
    """Return what is stored separately, by digest: long bodies, archived payloads, resources and the machine."""
    bodies = [each.body for each in capture.exchanges if len(each.body) > MAX_INLINE_BYTES]
    bodies += [each.payload for each in capture.records] + [each.body for each in capture.resources]
    bodies += [machine_bytes(capture.machine)] if capture.machine is not None else []
    return {digest(body): body for body in bodies}


def named_bodies(data: bytes) -> list[Digest]:
    """Return the digests of the bodies to which a stored capture refers."""
    return list(dict.fromkeys(_named_bodies(_capture_document(data))))


def parse_capture(data: bytes, certificates: Mapping[str, bytes], bodies: Mapping[str, bytes]) -> Capture:
    """Return the capture in the output of `capture_bytes`.

    certificates, bodies: the separately stored parts, by digest. Raises BrokenInvariant if a part is missing or the
    format is unknown.
    """
    document = _capture_document(data)
    profile = document.get("profile")
    try:
        return Capture(
            exchanges=tuple(_read_exchange(each, certificates, bodies) for each in document["exchanges"]),
            source=CaptureSource(document.get("source", CaptureSource.CONNECTION)),
            made_with=document.get("made_with", ""),
            records=tuple(_read_record(each, bodies) for each in document.get("records", ())),
            resources=tuple(
                _RESOURCE.validate_python({**each, "body": bodies[each["body_at"]]})
                for each in document.get("resources", ())
            ),
            machine=read_machine(bodies[document["machine_at"]]) if "machine_at" in document else None,
            profile=profile and _PROFILE.validate_python(profile),
        )
    except (KeyError, TypeError, ValidationError) as error:
        raise BrokenInvariant("store.capture-lacks", part=error) from error


def read_machine(data: bytes) -> Machine:
    """Return the machine in the output of `machine_bytes`. Raises ValidationError if a part is missing."""
    return _MACHINE.validate_python(json.loads(data.decode("utf-8", "surrogatepass")))


def _capture_document(data: bytes) -> dict[str, Any]:
    document = json.loads(data.decode("utf-8", "surrogatepass"))
    if document.get("format") != FORMAT:
        raise BrokenInvariant("store.capture-format", seen=document.get("format"), known=FORMAT)
    return dict(document)


def _document_json(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_to_json_value)
    return text.encode("utf-8", "surrogatepass")


def _to_json_value(value: datetime | bytes) -> str:
    """Return a time or the bytes of a head as a JSON string."""
    return value.isoformat() if isinstance(value, datetime) else value.decode("latin-1")


def _exchange_document(exchange: WireExchange) -> dict[str, Any]:
    document = asdict(exchange)
    del document["is_decoded"]  # stored bodies of redirects are coded as their heads say
    if exchange.way is None:
        del document["way"]
    if exchange.tls is not None:
        document["tls"]["certificates"] = [digest(der) for der in exchange.tls.certificates]
    if len(exchange.body) > MAX_INLINE_BYTES:
        return _replace_bytes(document, "body")
    return document | {"body": b64encode(exchange.body).decode("ascii")}


def _replace_bytes(part: Any, name: str) -> dict[str, Any]:
    """Return a part of a capture as a document, with the bytes in field `name` replaced by their digest."""
    document = part if isinstance(part, dict) else asdict(part)
    data = document.pop(name)
    return {**document, f"{name}_at": digest(data)}


def _named_bodies(document: Mapping[str, Any]) -> Iterator[Digest]:
    yield from (Digest(each["body_at"]) for each in document["exchanges"] if "body_at" in each)
    yield from (Digest(each["payload_at"]) for each in document.get("records", ()))
    yield from (Digest(each["body_at"]) for each in document.get("resources", ()))
    yield from ([Digest(document["machine_at"])] if "machine_at" in document else [])


def _read_record(document: Mapping[str, Any], bodies: Mapping[str, bytes]) -> ArchivedRecord:
    decoded = {"head": document["head"].encode("latin-1"), "payload": bodies[document["payload_at"]]}
    return _RECORD.validate_python({**document, **decoded})


def _read_exchange(
    document: Mapping[str, Any], certificates: Mapping[str, bytes], bodies: Mapping[str, bytes]
) -> WireExchange:
    decoded = {name: document[name].encode("latin-1") for name in ("request_head", "response_head")}
    decoded["body"] = bodies[document["body_at"]] if "body_at" in document else b64decode(document["body"])
    tls = document["tls"] and {
        **document["tls"],
        "certificates": [certificates[name] for name in document["tls"]["certificates"]],
    }
    return _EXCHANGE.validate_python({**document, **decoded, "tls": tls})
