"""Sends requests to S3-compatible stores, and converts their errors. Only this module uses boto3."""

import io
import os
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import Any, Protocol
from urllib.parse import urlsplit

from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable, ZhuiwenError
from core.wording import Message

SERVICE = Message("service.object-store")
CONNECT_TIMEOUT_S = 5.0
SILENCE_TIMEOUT_S = 60.0  # per read or write; checking a bundle of 100 MB may take the store seconds before it responds
BRIEF_TIMEOUT_S = 3.0  # to check whether a store responds
ATTEMPTS = 3  # botocore waits up to 1 s, then up to 2 s, between them
CONNECTIONS = 16  # twice the concurrent requests of one page store
DEFAULT_REGION = "us-east-1"  # the default of stores without regions

# For a complete response: 2 GB at 4 MB/s. A limit on silence is not enough: a byte a minute would never end.
RESPONSE_TIMEOUT_S = 600.0
MAX_RESPONSE_BYTES = (
    16 * 2**20
)  # in addition to the object: heads and lists; 1,000 long names with S3's additions are 2 MB

_most_bytes: ContextVar[int] = ContextVar("_most_bytes", default=MAX_RESPONSE_BYTES)

_NO_BUCKET = {"NoSuchBucket"}
_REGION = {
    "PermanentRedirect",
    "TemporaryRedirect",
    "AuthorizationHeaderMalformed",
    "IllegalLocationConstraintException",
}
_ADDRESSING = {"SecondLevelDomainForbidden", "PathStyleDomainForbidden"}  # Aliyun OSS, Tencent COS
# Errors that the connection or the clock caused, not the request.
_TEMPORARY = {
    "RequestTimeout",
    "BadDigest",
    "IncompleteBody",
    "XAmzContentSHA256Mismatch",
    "ConditionalRequestConflict",
}
_REFUSED_STATUS, _TEMPORARY_STATUS = {401, 403}, {408, 409, 429}
_REDIRECTS = {301, 302, 307, 308}
_NO_CODE = re.compile(r"[^A-Za-z0-9.]")


class S3Access(Hashable, Protocol):
    """The access to a store, as in `core.settings.S3Settings`. For empty values, boto3's own defaults apply."""

    @property
    def endpoint_url(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def access_key(self) -> str: ...
    @property
    def secret_key(self) -> str: ...
    @property
    def addressing(self) -> str: ...


def require_boto3() -> None:
    """Raise BadConfiguration if the optional dependency `s3` is not installed."""
    if find_spec("boto3") is None:
        raise BadConfiguration("store.s3-not-installed")


def shared_client(access: S3Access, where: str, *, is_brief: bool = False) -> Any:
    """Return this process's client for a store, shared by all threads and buckets. Nothing is sent.

    Raises BadConfiguration if only half of a key pair is set or the endpoint is not a URL.
    """
    if bool(access.access_key) != bool(access.secret_key):
        raise BadConfiguration("store.s3-no-key", where=where)
    with translate_s3_errors(where):
        return _create_client(access, os.getpid(), is_brief=is_brief)


@cache
def _create_client(access: S3Access, _process: int, *, is_brief: bool) -> Any:
    """Create a client.

    Cached for each process: it takes a quarter of a second, and a fork must not share connections.
    """
    session = import_module("boto3.session").Session(
        aws_access_key_id=access.access_key or None,
        aws_secret_access_key=access.secret_key or None,
        region_name=access.region or None,
    )
    client = session.client(
        "s3",
        endpoint_url=access.endpoint_url or None,
        region_name=session.region_name or DEFAULT_REGION,
        config=import_module("botocore.config").Config(
            connect_timeout=BRIEF_TIMEOUT_S if is_brief else CONNECT_TIMEOUT_S,
            read_timeout=BRIEF_TIMEOUT_S if is_brief else SILENCE_TIMEOUT_S,
            retries={"mode": "standard", "total_max_attempts": 1 if is_brief else ATTEMPTS},
            max_pool_connections=CONNECTIONS,
            # The digest of the content is part of the signature, which every store verifies. boto3's own checksums are
            # sent as trailers, which older stores and those of other vendors do not accept.
            s3={"addressing_style": access.addressing, "payload_signing_enabled": True},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )
    # botocore reads responses to their end, without a limit. The connection pools of its session are the only place
    # where the socket is accessible before anything is read from it.
    pools = client._endpoint.http_session._pool_classes_by_scheme
    pools.update({scheme: _bound_connections(pool) for scheme, pool in pools.items()})
    return client


@contextmanager
def limit_responses(most_bytes: int) -> Iterator[None]:
    """Limit the size of responses inside the block. most_bytes: the size of the largest object to receive."""
    token = _most_bytes.set(most_bytes + MAX_RESPONSE_BYTES)
    try:
        yield
    finally:
        _most_bytes.reset(token)


def _bound_connections(pool: Any) -> Any:
    """Return a class of connection pools whose responses are limited."""

    class Connection(pool.ConnectionCls):  # type: ignore[misc]
        sock: Any

        def connect(self) -> None:
            super().connect()
            self.sock = _BoundedSocket(self.sock)

    return type("BoundedPool", (pool,), {"ConnectionCls": Connection})


class _BoundedSocket:
    """A socket whose responses are read as files of limited size."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def makefile(self, mode: str, buffering: int = -1) -> io.RawIOBase | io.BufferedReader:
        bounded = _BoundedResponse(self._sock.makefile(mode, buffering=0))
        return io.BufferedReader(bounded) if buffering else bounded


class _BoundedResponse(io.RawIOBase):
    """A raw stream from a socket. Reading raises TimeoutError after a number of bytes or a time limit."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw, self._bytes_left, self._end = raw, _most_bytes.get(), monotonic() + RESPONSE_TIMEOUT_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._bytes_left < 0 or monotonic() > self._end:
            raise TimeoutError
        count = self._raw.readinto(buffer)
        self._bytes_left -= count or 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


def describe_place(bucket: str, access: S3Access) -> str:
    """Return a bucket and the host of its store for error messages, without secrets."""
    host = urlsplit(access.endpoint_url).netloc.rpartition("@")[2]
    return f"s3://{bucket} ({host})" if host else f"s3://{bucket}"


def status_and_code(error: Any) -> tuple[int, str]:
    """Return the HTTP status and S3's error code of a failed request."""
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    return status, _NO_CODE.sub("", str(error.response.get("Error", {}).get("Code", "")))[:60]


@contextmanager
def translate_s3_errors(where: str) -> Iterator[None]:
    """Convert boto3's errors to the product's errors, which do not contain what was sent."""
    exceptions = import_module("botocore.exceptions")
    try:
        yield
    except exceptions.ClientError as error:
        raise _classify_error(error, where) from None
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.ProfileNotFound):
        raise BadConfiguration("store.s3-no-key", where=where) from None
    except exceptions.ParamValidationError as error:
        raise BrokenInvariant("store.s3-operation", where=where, code=type(error).__name__) from None
    except (exceptions.BotoCoreError, OSError):
        raise ServiceUnavailable(SERVICE, where) from None
    except ValueError as error:  # botocore raises it if an endpoint is not a URL
        raise BadConfiguration("store.s3-operation", where=where, code=type(error).__name__) from None


def _classify_error(error: Any, where: str) -> ZhuiwenError:
    status, code = status_and_code(error)
    if code in _NO_BUCKET:
        return BadConfiguration("store.s3-no-bucket", where=where)
    if code in _REGION or status in _REDIRECTS:
        return BadConfiguration("store.s3-region", where=where, code=code or status)
    if code in _ADDRESSING:
        return BadConfiguration("store.s3-addressing", where=where)
    if code in _TEMPORARY or status >= 500 or status in _TEMPORARY_STATUS:
        return ServiceUnavailable(SERVICE, where)
    if status in _REFUSED_STATUS:
        return BadConfiguration("store.s3-denied", where=where, code=code or status)
    return BrokenInvariant("store.s3-operation", where=where, code=code or status)
