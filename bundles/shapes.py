"""Builds the JSON files of a bundle: page, connection and finding. docs/evidence.md, "Files", describes each field."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256

from bundles.certificates import parse_certificate
from bundles.originals import place_originals
from bundles.records import CapturedPage, Drawing, Finding, Part, Passage, Rendering, SeenAddress
from bundles.secrets_withheld import public_url
from bundles.warc import DOM, withheld_names
from core.captures import CapturedResource, NameAnswer, TlsSession, WireExchange
from core.ids import Digest, digest
from core.obfuscations import OBFUSCATIONS
from core.wording import Message

READ_IN_RESPONSE = "response"


def moment(at: datetime) -> str:
    """Return a time in UTC in the format of RFC 3339."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def text_digest(text: str) -> Digest:
    """Return the SHA-256 of a text in UTF-8, which is the digest that the page store and the cases contain."""
    return digest(text.encode("utf-8", "surrogatepass"))


def page(capture: CapturedPage) -> dict[str, Any]:
    """Return the content of page.json: the page as it was fetched and read."""
    first, *following = _part_records(capture)
    return {
        **first,
        "requested_url": public_url(capture.exchanges[0].url),
        "following": following,
        # Not "resources": validators of data packages would mistake a JSON file with this field for a package.
        "page_resources": [_resource_record(each) for each in capture.resources],
        "title": capture.title,
        "text_digest": text_digest(capture.text),
        "text_chars": len(capture.text),
        **({"raw_text": capture.raw_text, "marks": [mark.record for mark in capture.marks]} if capture.marks else {}),
        "extractor": capture.extractor,
        "encoding": capture.encoding,
        "obfuscations": [_obfuscation_record(item) for item in capture.obfuscations],
        "absent": {name: in_both_languages(why) for name, why in capture.absent.items()},
    }


def connection(capture: CapturedPage) -> dict[str, Any]:
    """Return the content of connection.json: each exchange with server address, DNS response and certificates."""
    fetches = [part.capture for part in capture.parts]
    placed = [(place, fetch.source, exchange) for place, fetch in enumerate(fetches) for exchange in fetch.exchanges]
    exchanges = [
        {**_exchange_record(number, exchange), "part": place, "source": source.value}
        for number, (place, source, exchange) in enumerate(placed, 1)
    ]
    return {"exchanges": exchanges, "redirects": [public_url(each.url) for each in fetches[0].exchanges[:-1]]}


def finding(found: Finding, page_text: str) -> dict[str, Any]:
    """Return the content of finding.json: the copied passages, and the parameters needed to find them again."""
    return {
        "work": {
            "title": found.work_title,
            "author": found.work_author,
            "chapter": found.chapter_title,
            "text_id": found.work_text_id,
            "digest": found.work_digest,
            "chars": found.work_chars,
        },
        "page_text_digest": text_digest(page_text),
        **({"addresses": [_address_record(each) for each in found.addresses]} if found.addresses else {}),
        "class": found.match_class,
        "similarity": found.similarity,
        "page_containment": found.page_containment,
        "work_containment": found.work_containment,
        "matched_chars": found.matched_chars,
        "longest_equal_run_chars": found.longest_equal_run_chars,
        "obfuscations": [_obfuscation_record(item) for item in found.obfuscations],
        "passages": [_passage_record(passage) for passage in found.passages],
        "algorithm_id": found.algorithm_id,
        "algorithm": _convert_parameters(found.algorithm),
        "parameters": _convert_parameters(found.parameters),
        "code_version": found.code_version,
    }


def _address_record(seen: SeenAddress) -> dict[str, Any]:
    times = {"first_seen": moment(seen.first_seen_at), "last_seen": moment(seen.last_seen_at)}
    return {"url": public_url(seen.url), **times}


def _obfuscation_record(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an obfuscation with its label in both languages, for readers without the product."""
    kind = OBFUSCATIONS.get(item["kind"])
    if kind is None:
        return dict(item)
    said = {"label": kind.label, "explanation": kind.explanation} | ({"caveat": kind.caveat} if kind.caveat else {})
    return {**item, **{name: in_both_languages(words) for name, words in said.items()}}


def in_both_languages(message: Message) -> dict[str, str]:
    """Return the text of a message in English and Chinese, for readers without the product."""
    return {language: message.in_language(language) for language in ("en", "zh")}


def chain_name(number: int) -> str:
    """Return the path of the certificates of exchange `number`, counted from 1."""
    return f"evidence/tls-chain-{number}.pem"


def _part_records(capture: CapturedPage) -> list[dict[str, Any]]:
    """Return the entry in page.json for each page of the text."""
    numbers, total = [], 0
    for part in capture.parts:
        total += len(part.capture.exchanges)
        numbers.append(total)
    originals = place_originals(capture.parts)
    return [
        {**_part_record(part, number), "originals": [each.said for each in originals if each.part == place]}
        for place, (part, number) in enumerate(zip(capture.parts, numbers, strict=True))
    ]


def _part_record(part: Part, exchange: int) -> dict[str, Any]:
    url, body = public_url(part.page.url), part.page.body
    read = body if part.dom is None else part.dom
    record = READ_IN_RESPONSE if part.dom is None else DOM + url
    return {
        "url": url,
        "fetched_at": moment(part.page.ended_at),
        "status": part.page.status,
        "exchange": exchange,
        "source": part.capture.source.value,
        "made_with": part.capture.made_with,
        "body_digest": digest(body),
        "body_bytes": len(body),
        "read_from": {"record": record, "digest": digest(read), "bytes": len(read)},
        "number": part.number,
        "screenshot": _rendering_record(part.drawing.screenshot),
        "pdf": _rendering_record(part.drawing.pdf),
        "undrawn": _undrawn_record(part.drawing),
    }


def _resource_record(resource: CapturedResource) -> dict[str, Any]:
    return {
        "url": public_url(resource.url),
        "content_type": resource.content_type,
        "fetched_at": moment(resource.fetched_at),
        "digest": digest(resource.body),
        "bytes": len(resource.body),
    }


def _exchange_record(number: int, exchange: WireExchange) -> dict[str, Any]:
    return {
        "url": public_url(exchange.url),
        "status": exchange.status,
        "fetched_at": moment(exchange.ended_at),
        "server_address": exchange.server_address,
        "server_port": exchange.server_port or None,
        "is_through_proxy": exchange.is_through_proxy,
        "wire_digest": exchange.body_digest,
        "wire_bytes": exchange.body_bytes if exchange.body_digest else None,
        "body_digest": digest(exchange.body),
        "body_bytes": len(exchange.body),
        "body_is_decoded": exchange.is_decoded,
        "body_is_truncated": exchange.is_truncated,
        "withheld": withheld_names(exchange),
        "dns": _dns_record(exchange.name_answer),
        "tls": _tls_session_record(number, exchange.tls),
    }


def _dns_record(answer: NameAnswer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {
        "name": answer.name,
        "addresses": list(answer.addresses),
        "resolver": answer.resolver,
        "asked_at": moment(answer.asked_at),
    }


def _tls_session_record(number: int, tls: TlsSession | None) -> dict[str, Any] | None:
    if tls is None:
        return None
    certificates = [_certificate_record(der) for der in tls.certificates]
    cipher = f"{tls.cipher} ({tls.cipher_bits} bit)" if tls.cipher else ""
    named = {"protocol": tls.protocol, "cipher": cipher, "certificates": certificates}
    return {**named, "file": chain_name(number)} if certificates else named


def _certificate_record(der: bytes) -> dict[str, str]:
    """Return the names, validity and digest of a certificate, or only its digest if it is unreadable."""
    try:
        read = parse_certificate(der)
        return {
            "subject": read.subject.rfc4514_string(),
            "issuer": read.issuer.rfc4514_string(),
            "not_before": moment(read.not_valid_before_utc),
            "not_after": moment(read.not_valid_after_utc),
            "sha256": read.fingerprint(SHA256()).hex(),
        }
    except ValueError:
        return {"unreadable": digest(der)}


def _undrawn_record(drawing: Drawing) -> dict[str, Any] | None:
    """Return the reason why a page was not rendered, and the limit (pages, seconds or MiB), or None if it was."""
    return {"why": drawing.undrawn.value, "limit": drawing.limit} if drawing.undrawn else None


def _rendering_record(rendering: Rendering | None) -> dict[str, Any] | None:
    if rendering is None:
        return None
    return {
        "url": public_url(rendering.url),
        "content_type": rendering.content_type,
        "rendered_at": moment(rendering.rendered_at),
        "renderer": rendering.renderer,
        "digest": digest(rendering.content),
        "bytes": len(rendering.content),
        "served": [public_url(url) for url in rendering.served],
        "missing": [public_url(url) for url in rendering.missing],
        "missing_count": rendering.missing_count,
    }


def _passage_record(passage: Passage) -> dict[str, Any]:
    return {
        "page": list(passage.page),
        "work": list(passage.work),
        "similarity": passage.similarity,
        "page_excerpt": passage.page_excerpt,
        "work_excerpt": passage.work_excerpt,
        "changes": [list(change) for change in passage.changes],
        **({"raw": list(passage.raw), "raw_changes": list(map(list, passage.raw_changes))} if passage.raw else {}),
    }


def _convert_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert parameters to JSON values. Infinities, and values of types that JSON lacks, become strings."""
    return {str(name): _plain_value(value) for name, value in values.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _convert_parameters(value)
    if isinstance(value, list | tuple):
        return [_plain_value(each) for each in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
