"""Requests and responses of an archive brought together, and what they say of how a page was fetched."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.captures import ArchivedRecord, Capture, CaptureSource, WireExchange
from core.ids import digest
from crawler.fetching.capture import without_secrets
from crawler.sources.archive_fields import address_of
from crawler.sources.archive_shapes import Captured, PassedBy

_HTTP = re.compile(rb"^HTTP/", re.MULTILINE)
_WARC_HEAD = re.compile(rb"\A.*?\r?\n\r?\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request record. `name`, `answers`: ids of this record and of the response that it names."""

    url: str
    name: str
    answers: str
    record: ArchivedRecord

    def is_of(self, response: Captured) -> bool:
        """Whether this asked for that response: by the ids that either names, by the address where neither does."""
        if self.answers or response.concurrent_to:
            return self.answers == response.record or (bool(self.name) and response.concurrent_to == self.name)
        return self.url == response.url


@dataclass(slots=True)
class Pairs:
    """Brings responses and requests together, which stand side by side in either order."""

    asked: Asked | None = None  # the request just seen
    _held: Captured | None = None  # a response whose request may follow

    def take(self, told: "Captured | PassedBy") -> "Iterator[Captured | PassedBy]":
        """What is complete now that this record was seen."""
        yield from self.left()
        if isinstance(told, Captured):
            self._held, self.asked = _with_request(told, self.asked), None
        else:
            yield told

    def left(self) -> "Iterator[Captured]":
        """The response that was held back."""
        if self._held is not None:
            held, self._held = self._held, None
            yield _with_request(held, self.asked)


def capture_of(
    record: Any,
    url: str,
    status: int,
    moment: datetime,
    originals: tuple[ArchivedRecord | None, ...],
    *,
    is_truncated: bool,
) -> Capture:
    """What the archive says of how a page was fetched. originals: the response first."""
    own, *_ = originals
    begins = _HTTP.search(own.head) if own is not None else None
    head = own.head[begins.start() :] if own is not None and begins is not None else b""
    payload = own.payload if own is not None else b""
    exchange = WireExchange(
        url=url,
        status=status,
        request_head=b"",
        response_head=head,
        connected_at=None,
        sent_at=moment,
        answered_at=moment,
        ended_at=moment,
        server_address=address_of(record.rec_headers.get_header("WARC-IP-Address") or ""),
        server_port=0,
        body_digest=digest(payload) if own is not None else "",
        body_bytes=len(payload),
        is_truncated=is_truncated,
    )
    kept = tuple(each for each in originals if each is not None)
    return Capture((exchange,), CaptureSource.ARCHIVE, records=kept)


def _with_request(response: Captured, asked: Asked | None) -> Captured:
    """The response with the record of its request, where `asked` is that and it has none yet."""
    capture = response.capture
    if asked is None or not asked.is_of(response) or capture.exchanges[0].request_head:
        return response
    head = _WARC_HEAD.sub(b"", asked.record.head, count=1)
    exchange = replace(capture.exchanges[0], request_head=without_secrets(head))
    return replace(response, capture=replace(capture, exchanges=(exchange,), records=(*capture.records, asked.record)))
