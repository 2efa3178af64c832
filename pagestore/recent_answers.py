"""Responses of hosts that several sites share, kept for hours: the next site's crawl need not fetch them again.

They are stored with the pages, because crawlers on all machines can access them there; backups omit them. A key begins
with the hour of its fetch, so that one request deletes all old responses.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import bson

from core.host_answers import HostAnswer
from core.ids import SiteId
from pagestore.blobs import INLINE_BYTES, Blobs
from pagestore.captures import capture_bodies, capture_bytes, capture_certificates, parse_capture
from pagestore.connection import MongoDatabase

_HOUR = timedelta(hours=1)


class MongoRecentAnswers:
    """core.ports.RecentAnswers on MongoDB."""

    def __init__(self, database: MongoDatabase) -> None:
        self._blobs = Blobs(database, "recent_answers", INLINE_BYTES)

    def put(self, answer: HostAnswer) -> None:
        self._blobs.put(_answer_key(answer.fetched_at, answer.key), _encode_answer(answer))

    def newest(self, keys: Sequence[str], since: datetime, until: datetime) -> HostAnswer | None:
        wanted = [_answer_key(hour, key) for hour in _spanned_hours(since, until) for key in keys]
        found = [_decode_answer(data) for data in self._blobs.get_many(wanted).values()]
        recent = [answer for answer in found if since <= answer.fetched_at <= until]
        return max(recent, key=lambda answer: answer.fetched_at, default=None)

    def forget(self, before: datetime) -> None:
        self._blobs.remove_range("0", _answer_key(before, ""))


def _spanned_hours(since: datetime, until: datetime) -> Iterator[datetime]:
    hour = since.replace(minute=0, second=0, microsecond=0)
    while hour <= until:
        yield hour
        hour += _HOUR


def _answer_key(at: datetime, key: str) -> str:
    return f"{at.astimezone(UTC):%Y%m%d%H}-{key}"


def _encode_answer(answer: HostAnswer) -> bytes:
    return bson.encode(
        {
            "key": answer.key,
            "site": answer.site_id,
            "fetched_at": answer.fetched_at.isoformat(),
            "url": answer.url,
            "status": answer.status,
            "headers": [list(each) for each in answer.headers],
            "body": answer.body,
            "capture": capture_bytes(answer.capture),
            "certificates": capture_certificates(answer.capture),
            "bodies": capture_bodies(answer.capture),
        }
    )


def _decode_answer(data: bytes) -> HostAnswer:
    document = bson.decode(data)
    return HostAnswer(
        key=document["key"],
        site_id=SiteId(document["site"]),
        fetched_at=datetime.fromisoformat(document["fetched_at"]),
        url=document["url"],
        status=document["status"],
        headers=tuple((name, value) for name, value in document["headers"]),
        body=document["body"],
        capture=parse_capture(document["capture"], document["certificates"], document["bodies"]),
    )
