"""Stores objects in any S3-compatible store. Each is written once, which the store ensures or each write checks."""

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from core.errors import BrokenInvariant, ServiceUnavailable
from core.ports import MAX_OBJECT_BYTES
from pagestore.objects.names import key_named, stored_name, stored_prefix
from pagestore.objects.s3_client import (
    SERVICE,
    S3Access,
    describe_place,
    limit_responses,
    require_boto3,
    shared_client,
    status_and_code,
    translate_s3_errors,
)

# No key has this name (pagestore.objects.names). Users who may write objects may also write this one.
PROBE, PROBE_CONTENT = ".zhuiwen-probe", b"Zhuiwen tries here whether this store refuses to write over an object.\n"
MAX_IDLE_PAGES = 20  # pages of a list without new names: a store may skip removed objects
MAX_STRANGE_PAGES = 1_000  # the same for pages of a thousand names without a key: others may use the bucket, too
PUT_ATTEMPTS = 5  # an attempt fails only if another writer put or removed the same object in between

_EXISTS_STATUS = {412, 304, 409}  # the HTTP standard; the response of some stores; another writer is about to put it
_NOT_IMPLEMENTED = 501  # the response of Aliyun OSS to conditions
_IF_NEW = {"IfNoneMatch": "*"}


class S3Objects:
    """core.ports.ObjectStore in a bucket. Nothing is sent before the first call, so a process may fork until then.

    is_brief: whether requests are sent only once, with a short timeout, to check whether the store responds.
    """

    def __init__(self, bucket: str, prefix: str, access: S3Access, *, is_brief: bool = False) -> None:
        require_boto3()
        self._bucket, self._prefix, self._access = bucket, prefix, access
        self._where, self._is_brief = describe_place(bucket, access), is_brief

    def put_new(self, key: str, content: bytes) -> bool:
        name = self._prefix + stored_name(key)
        for _ in range(PUT_ATTEMPTS):
            # Without conditions, two concurrent writers may both write; normally they write the same.
            existing = None if self.refuses_overwriting else self._object_head(name)
            if existing is None and self._put_object(name, content, is_conditional=self.refuses_overwriting):
                return True
            existing = existing or self._object_head(name)
            if existing is not None:
                self._require_same(key, existing, content)
                return False
        raise ServiceUnavailable(SERVICE, self._where)

    def get(self, key: str, most_bytes: int = MAX_OBJECT_BYTES) -> bytes | None:
        with translate_s3_errors(self._where), limit_responses(most_bytes):
            response = self._operation_response("get_object", {404}, Key=self._prefix + stored_name(key))
            if response is None:
                return None
            if "ContentLength" not in response:
                raise ServiceUnavailable(SERVICE, self._where)
            if int(response["ContentLength"]) > most_bytes:
                response["Body"].close()
                raise BrokenInvariant("store.object-too-large", key=key, most=most_bytes)
            content = bytes(response["Body"].read())
        if _stored_sha256(response) not in {"", hashlib.sha256(content).hexdigest()}:
            raise BrokenInvariant("store.object-changed", key=key, where=self._where)
        return content

    def size(self, key: str) -> int | None:
        head = self._object_head(self._prefix + stored_name(key))
        if head is not None and int(head.get("ContentLength", -1)) < 0:
            raise ServiceUnavailable(SERVICE, self._where)
        return None if head is None else int(head["ContentLength"])

    def keys(self, prefix: str = "") -> Iterator[str]:
        query, last = {"Prefix": self._prefix + stored_prefix(prefix)}, ""
        idle = foreign = 0
        while True:
            with translate_s3_errors(self._where):
                page = self._s3_client.list_objects_v2(Bucket=self._bucket, **query)
            if "IsTruncated" not in page:  # a response without a list does not mean that the store is empty
                raise ServiceUnavailable(SERVICE, self._where)
            names = [str(each["Key"]) for each in page.get("Contents", ())]
            keys = [key for name in names if (key := key_named(name.removeprefix(self._prefix))) is not None]
            yield from keys
            if not page["IsTruncated"]:
                return
            # Names are sorted, so a list that does not advance, and would never end, is detected.
            idle = 0 if names and names[-1] > last else idle + 1
            foreign = 0 if keys else foreign + 1
            if idle > MAX_IDLE_PAGES or foreign > MAX_STRANGE_PAGES or "NextContinuationToken" not in page:
                raise ServiceUnavailable(SERVICE, self._where)
            last, query["ContinuationToken"] = max([last, *names]), page["NextContinuationToken"]

    def remove(self, key: str) -> None:
        with translate_s3_errors(self._where):
            self._s3_client.delete_object(Bucket=self._bucket, Key=self._prefix + stored_name(key))

    @cached_property
    def refuses_overwriting(self) -> bool:
        """True if the store obeys `If-None-Match: *`, which is tested by writing a small object twice.

        Raises the errors of any other write.
        """
        name = self._prefix + PROBE
        try:
            return not all(self._put_object(name, PROBE_CONTENT, is_conditional=True) for _ in range(2))
        except _NoConditions:
            return False

    @property
    def _s3_client(self) -> Any:
        return shared_client(self._access, self._where, is_brief=self._is_brief)

    def _put_object(self, name: str, content: bytes, *, is_conditional: bool) -> bool:
        """Write an object, and return False if it exists already. Raises BrokenInvariant if the stored bytes differ.

        is_conditional: whether to ask the store to reject an existing object.
        """
        sha256, md5 = hashlib.sha256(content), hashlib.md5(content, usedforsecurity=False)
        request = {
            "Key": name,
            "Body": content,
            "ContentMD5": b64encode(md5.digest()).decode("ascii"),  # required for locked objects
            "ChecksumSHA256": b64encode(sha256.digest()).decode("ascii"),
            "Metadata": {"sha256": sha256.hexdigest()},
            **(_IF_NEW if is_conditional else {}),
        }
        with translate_s3_errors(self._where):
            response = self._operation_response(
                "put_object", {*_EXISTS_STATUS, _NOT_IMPLEMENTED} if is_conditional else set(), **request
            )
            if response is None:
                return False
            # A store that supports the checksum has verified and repeats it; others return the MD5 as the tag. If
            # neither matches, as with encrypting stores, the bytes must be read back.
            if (
                request["ChecksumSHA256"] == response.get("ChecksumSHA256")
                or response.get("ETag", "")[1:-1] == md5.hexdigest()
            ):
                return True
            with limit_responses(len(content)):
                stored = self._s3_client.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        if stored != content:
            raise BrokenInvariant("store.object-changed", key=name, where=self._where)
        return True

    def _object_head(self, name: str) -> dict[str, Any] | None:
        with translate_s3_errors(self._where):
            return self._operation_response("head_object", {404}, Key=name)

    def _operation_response(self, operation: str, none: set[int], **asked: Any) -> dict[str, Any] | None:
        """Return the store's response, or None for a status in `none`, unless the bucket does not exist."""
        try:
            return dict(getattr(self._s3_client, operation)(Bucket=self._bucket, **asked))
        except self._s3_client.exceptions.ClientError as error:
            status, code = status_and_code(error)
            if status == _NOT_IMPLEMENTED and status in none:
                raise _NoConditions from None
            if status in none and code != "NoSuchBucket":
                return None
            raise

    def _require_same(self, key: str, head: dict[str, Any], content: bytes) -> None:
        """Raise BrokenInvariant if a stored object has different content.

        The stored digest is compared. An object that another program copied has none and is read.
        """
        stored_sha256 = _stored_sha256(head)
        is_same = stored_sha256 == hashlib.sha256(content).hexdigest() if stored_sha256 else self.get(key) == content
        if not is_same:
            raise BrokenInvariant("store.object-differs", key=key)


def _stored_sha256(response: dict[str, Any]) -> str:
    """Return the digest that `_put_object` stored in the metadata, or "".

    Some stores write the names of metadata in capitals.
    """
    return next((str(value) for name, value in response.get("Metadata", {}).items() if name.lower() == "sha256"), "")


class _NoConditions(Exception):
    """Raised if the store does not support conditional writes."""
