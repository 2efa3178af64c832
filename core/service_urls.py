"""Checks the service URLs that an operator sets, and masks their secrets for display."""

import re
from collections.abc import Sequence

# Schemes of the drivers: PyMongo; redis-py (Celery has another name for unix://, see `celery_broker`); dj-database-url.
MONGO = ("mongodb://", "mongodb+srv://")
REDIS = ("redis://", "rediss://", "unix:///")
REDIS_CLUSTER = ("redis+cluster://", "rediss+cluster://")
S3 = ("s3://",)
FILE = ("file:///",)
EVIDENCE = (*FILE, *S3, *MONGO)
OBJECTS = (*FILE, *S3)
WEB = ("http://", "https://")
DATABASE = ("postgres://", "postgresql://", "sqlite:///")

# An S3 bucket name, and a prefix of characters that need no escaping anywhere.
_S3_PLACE = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_=.-]+)*/?)")


def can_be(url: str, beginnings: Sequence[str]) -> bool:
    """Return whether `url` begins with one of `beginnings`, followed by more characters.

    >>> can_be("redis://db:6379/0", REDIS), can_be("redis://", REDIS), can_be("db:6379", REDIS)
    (True, False, False)
    """
    return any(re.match(re.escape(start) + r"[^\s?#]", url, re.IGNORECASE) for start in beginnings)


def bucket_and_prefix(url: str) -> tuple[str, str] | None:
    """Return the bucket and the key prefix of an `s3://` URL, or None if the text is not valid.

    A prefix has at most 200 characters, because an S3 key has at most 1,024 bytes.

    >>> bucket_and_prefix("s3://kept/zhuiwen"), bucket_and_prefix("s3://kept"), bucket_and_prefix("s3://key:hush@kept")
    (('kept', 'zhuiwen/'), ('kept', ''), None)
    """
    match = _S3_PLACE.fullmatch(url)
    if match is None or len(match[2]) > 200 or not {".", ".."}.isdisjoint(match[2].split("/")):
        return None
    prefix = match[2].strip("/")
    return match[1], f"{prefix}/" if prefix else ""


def is_plain_web_url(url: str) -> bool:
    """Return whether `url` is an HTTP(S) URL without credentials and query, which may be secret.

    >>> is_plain_web_url("https://s3.example:9000"), is_plain_web_url("https://key:hush@s3.example")
    (True, False)
    """
    return can_be(url, WEB) and not re.search(r"[@?#\s]", url)


def is_cluster(url: str) -> bool:
    """Return whether a Redis URL names a cluster.

    >>> is_cluster("redis+cluster://a:7000,b:7000"), is_cluster("redis://a:7000")
    (True, False)
    """
    return can_be(url, REDIS_CLUSTER)


def celery_broker(url: str) -> str:
    """Return a Redis URL in the form that Celery's transport expects.

    >>> celery_broker("unix:///run/redis.sock"), celery_broker("redis://db/0")
    ('redis+socket:///run/redis.sock', 'redis://db/0')
    """
    return f"redis+socket://{url.removeprefix('unix://')}" if url.startswith("unix://") else url


def without_secrets(url: str) -> str:
    """Return `url` for display, without user name, password and options, which may be secret.

    Texts that are not URLs are masked too, because a secret may be mistyped.

    >>> without_secrets("http://zw:s3c?et@db.example/x?password=1")
    'http://***@db.example/x?***'
    """
    start = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/{0,2}(?=.*@)", url)
    scheme = start[0] if start and "/" in start[0] else ""
    rest = url[len(scheme) :]
    if "@" in rest:
        rest = f"***@{rest.rpartition('@')[2]}"
    rest = re.sub(r"[?#].+", "?***", rest)
    return scheme + re.sub(r":(?![0-9]{1,5}(?:[/?,]|$))[^/?@]+", ":***", rest)
