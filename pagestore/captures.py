"""Captures as bytes, and back: JSON in a fixed order, so that one capture has one digest.

Certificates are kept apart, each once under the digest of its DER: all pages of a site share them. So are bodies that
are longer than those of redirects, beside raw responses, of which some are the same; and the machine, which all pages
of one crawl process share. Heads are bytes; JSON holds them as Latin-1, which maps every byte to one character.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from core.captures import (
    ArchivedRecord,
    Capture,
    CapturedResource,
    CaptureSource,
    NameAnswer,
    TlsSession,
    WireExchange,
)
from core.errors import BrokenInvariant
from core.ids import Digest, digest
from pagestore.circumstances import machine_bytes, machine_of, profile_document, profile_of, way_document, way_of

FORMAT = 1  # a change of meaning takes the next number
MAX_INLINE_BYTES = 64 * 1024  # what crawler.fetching.capture keeps of the body of a redirect


def capture_bytes(capture: Capture) -> bytes:
    """A capture without its certificates and longer bodies, of which it names the digests."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "exchanges": [_exchange_document(each) for each in capture.exchanges],
    }
    if capture.source is not CaptureSource.CONNECTION:
        document |= {"source": capture.source.value, "made_with": capture.made_with}
    if capture.records:
        document["records"] = [_record_document(each) for each in capture.records]
    if capture.resources:
        document["resources"] = [_resource_document(each) for each in capture.resources]
    if capture.machine is not None:
        document["machine_at"] = digest(machine_bytes(capture.machine))
    if capture.profile is not None:
        document["profile"] = profile_document(capture.profile)
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def certificates_in(capture: Capture) -> dict[Digest, bytes]:
    """The certificates of all connections, by the digest of their DER."""
    sessions = [each.tls for each in capture.exchanges if each.tls is not None]
    return {digest(der): der for session in sessions for der in session.certificates}


def named_certificates(data: bytes) -> list[Digest]:
    """The digests of the certificates that a capture needs."""
    sessions = [each["tls"] for each in _document(data)["exchanges"] if each["tls"]]
    return list(dict.fromkeys(Digest(name) for session in sessions for name in session["certificates"]))


def bodies_in(capture: Capture) -> dict[Digest, bytes]:
    """What is kept beside a capture, by digest: longer bodies, payloads of archived records, resources, the machine."""
    bodies = [each.body for each in capture.exchanges if len(each.body) > MAX_INLINE_BYTES]
    bodies += [each.payload for each in capture.records] + [each.body for each in capture.resources]
    bodies += [machine_bytes(capture.machine)] if capture.machine is not None else []
    return {digest(body): body for body in bodies}


def named_bodies(data: bytes) -> list[Digest]:
    """The digests of the bodies that a capture needs."""
    return list(dict.fromkeys(_named_bodies(_document(data))))


def capture_of(data: bytes, certificates: Mapping[str, bytes], bodies: Mapping[str, bytes]) -> Capture:
    """The capture that `capture_bytes` made `data` of. Raises BrokenInvariant for a part or format that it lacks."""
    document = _document(data)
    try:
        return Capture(
            exchanges=tuple(_exchange_of(each, certificates, bodies) for each in document["exchanges"]),
            source=CaptureSource(document.get("source", CaptureSource.CONNECTION)),
            made_with=document.get("made_with", ""),
            records=tuple(_record_of(each, bodies) for each in document.get("records", ())),
            resources=tuple(_resource_of(each, bodies) for each in document.get("resources", ())),
            machine=machine_of(bodies[document["machine_at"]]) if "machine_at" in document else None,
            profile=profile_of(document.get("profile")),
        )
    except KeyError as error:
        raise BrokenInvariant("store.capture-lacks", part=error) from error


def _document(data: bytes) -> dict[str, Any]:
    document = json.loads(data.decode("utf-8", "surrogatepass"))
    if document.get("format") != FORMAT:
        raise BrokenInvariant("store.capture-format", seen=document.get("format"), known=FORMAT)
    return dict(document)


def _exchange_document(exchange: WireExchange) -> dict[str, Any]:
    answer, tls = exchange.name_answer, exchange.tls
    return {
        "url": exchange.url,
        "status": exchange.status,
        "request_head": exchange.request_head.decode("latin-1"),
        "response_head": exchange.response_head.decode("latin-1"),
        "connected_at": exchange.connected_at.isoformat() if exchange.connected_at else None,
        "sent_at": exchange.sent_at.isoformat(),
        "answered_at": exchange.answered_at.isoformat(),
        "ended_at": exchange.ended_at.isoformat(),
        "server_address": exchange.server_address,
        "server_port": exchange.server_port,
        "body_digest": exchange.body_digest,
        "is_truncated": exchange.is_truncated,
        "body_bytes": exchange.body_bytes,
        **_body_document(exchange.body),
        "is_through_proxy": exchange.is_through_proxy,
        "name_answer": answer
        and {
            "name": answer.name,
            "addresses": list(answer.addresses),
            "asked_at": answer.asked_at.isoformat(),
            "resolver": answer.resolver,
        },
        "tls": tls
        and {
            "protocol": tls.protocol,
            "cipher": tls.cipher,
            "cipher_bits": tls.cipher_bits,
            "server_name": tls.server_name,
            "certificates": [digest(der) for der in tls.certificates],
        },
        **({"way": way_document(exchange.way)} if exchange.way is not None else {}),
    }


def _body_document(body: bytes) -> dict[str, str]:
    if len(body) > MAX_INLINE_BYTES:
        return {"body_at": digest(body)}
    return {"body": b64encode(body).decode("ascii")}


def _record_document(record: ArchivedRecord) -> dict[str, Any]:
    return {
        "file": record.file,
        "member": record.member,
        "offset": record.offset,
        "is_unpacked": record.is_unpacked,
        "head": record.head.decode("latin-1"),
        "payload_at": digest(record.payload),
    }


def _resource_document(resource: CapturedResource) -> dict[str, Any]:
    return {
        "url": resource.url,
        "content_type": resource.content_type,
        "fetched_at": resource.fetched_at.isoformat(),
        "body_at": digest(resource.body),
    }


def _named_bodies(document: Mapping[str, Any]) -> Iterator[Digest]:
    yield from (Digest(each["body_at"]) for each in document["exchanges"] if "body_at" in each)
    yield from (Digest(each["payload_at"]) for each in document.get("records", ()))
    yield from (Digest(each["body_at"]) for each in document.get("resources", ()))
    yield from ([Digest(document["machine_at"])] if "machine_at" in document else [])


def _record_of(document: Mapping[str, Any], bodies: Mapping[str, bytes]) -> ArchivedRecord:
    return ArchivedRecord(
        document["file"],
        document["member"],
        document["offset"],
        document["is_unpacked"],
        document["head"].encode("latin-1"),
        bodies[document["payload_at"]],
    )


def _resource_of(document: Mapping[str, Any], bodies: Mapping[str, bytes]) -> CapturedResource:
    at = datetime.fromisoformat(document["fetched_at"])
    return CapturedResource(document["url"], document["content_type"], at, bodies[document["body_at"]])


def _exchange_of(
    document: Mapping[str, Any], certificates: Mapping[str, bytes], bodies: Mapping[str, bytes]
) -> WireExchange:
    return WireExchange(
        url=document["url"],
        status=document["status"],
        sent_at=datetime.fromisoformat(document["sent_at"]),
        answered_at=datetime.fromisoformat(document["answered_at"]),
        ended_at=datetime.fromisoformat(document["ended_at"]),
        server_address=document["server_address"],
        server_port=document["server_port"],
        body_digest=document["body_digest"],
        is_truncated=document.get("is_truncated", False),
        body_bytes=document["body_bytes"],
        is_through_proxy=document["is_through_proxy"],
        request_head=document["request_head"].encode("latin-1"),
        response_head=document["response_head"].encode("latin-1"),
        connected_at=datetime.fromisoformat(document["connected_at"]) if document["connected_at"] else None,
        body=bodies[document["body_at"]] if "body_at" in document else b64decode(document["body"]),
        name_answer=_name_answer_of(document["name_answer"]),
        tls=_tls_of(document["tls"], certificates),
        way=way_of(document.get("way")),
    )


def _name_answer_of(document: Mapping[str, Any] | None) -> NameAnswer | None:
    if document is None:
        return None
    return NameAnswer(
        document["name"],
        tuple(document["addresses"]),
        datetime.fromisoformat(document["asked_at"]),
        document.get("resolver", "system"),
    )


def _tls_of(document: Mapping[str, Any] | None, certificates: Mapping[str, bytes]) -> TlsSession | None:
    if document is None:
        return None
    return TlsSession(
        document["protocol"],
        document["cipher"],
        document["cipher_bits"],
        document["server_name"],
        tuple(certificates[name] for name in document["certificates"]),
    )
