"""The URLs of services as an operator sets them: which can be, and how one is shown without what is secret in it."""

import re
from collections.abc import Sequence

# What the drivers accept: PyMongo; redis-py (Celery's name for unix:// is another: `celery_broker`); dj-database-url.
MONGO = ("mongodb://", "mongodb+srv://")
REDIS = ("redis://", "rediss://", "unix:///")
REDIS_CLUSTER = ("redis+cluster://", "rediss+cluster://")
EVIDENCE = ("file:///", *MONGO)
WEB = ("http://", "https://")
DATABASE = ("postgres://", "postgresql://", "sqlite:///")


def can_be(url: str, beginnings: Sequence[str]) -> bool:
    """Whether `url` begins as one of `beginnings` and says more than that.

    >>> can_be("redis://db:6379/0", REDIS), can_be("redis://", REDIS), can_be("db:6379", REDIS)
    (True, False, False)
    """
    return any(re.match(re.escape(start) + r"[^\s?#]", url, re.IGNORECASE) for start in beginnings)


def is_cluster(url: str) -> bool:
    """Whether a Redis URL names a cluster.

    >>> is_cluster("redis+cluster://a:7000,b:7000"), is_cluster("redis://a:7000")
    (True, False)
    """
    return can_be(url, REDIS_CLUSTER)


def celery_broker(url: str) -> str:
    """A Redis URL as Celery's transport wants it.

    >>> celery_broker("unix:///run/redis.sock"), celery_broker("redis://db/0")
    ('redis+socket:///run/redis.sock', 'redis://db/0')
    """
    return f"redis+socket://{url.removeprefix('unix://')}" if url.startswith("unix://") else url


def without_secrets(url: str) -> str:
    """`url` fit to be printed: neither a user's name and password nor options, which may hold one.

    Also of what is no URL, because a secret is mistyped like anything else.

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
