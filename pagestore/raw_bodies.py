"""Stores response bodies in the page store's database, or as objects in a folder or an S3-compatible store.

The content under a digest never changes, so an object is written once: as gzip, named `ab/abcd….gz`, which any program
can decompress. Its name is the SHA-256 of the decompressed bytes.
"""

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from core.errors import BrokenInvariant
from core.ids import digest
from core.ports import MAX_OBJECT_BYTES, ObjectStore
from core.unpacking import gunzip
from pagestore.blobs import Blobs

SUFFIX = ".gz"
THREADS = 8  # concurrent requests: a page has one body and some resources, a batch of the crawl up to 32 pages

T = TypeVar("T")


class RawBodies(Protocol):
    """Stores response bodies under their digests.

    The methods raise ServiceUnavailable if the store does not respond, and BadConfiguration if it rejects the access.
    """

    def put_many(self, bodies: Mapping[str, bytes], /) -> None:
        """Store bodies, each under its digest; existing ones are not changed."""
        ...

    def get_many(self, names: Sequence[str], /) -> dict[str, bytes]:
        """Return the bodies of those `names` that exist.

        Raises BrokenInvariant if any of them was changed or damaged.
        """
        ...

    def find_existing(self, names: Sequence[str], /) -> set[str]:
        """Return those `names` that exist, without reading their bodies."""
        ...

    def keys(self) -> Iterator[str]:
        """Yield the digests of all bodies."""
        ...

    def put_back(self, bodies: Mapping[str, bytes], /) -> None:
        """Store bodies in place of damaged ones."""
        ...


class ObjectBodies:
    """`RawBodies` as objects. Several requests are sent concurrently."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def put_many(self, bodies: Mapping[str, bytes], /) -> None:
        _run_concurrently(lambda name: self._put_body(name, bodies[name]), bodies)

    def get_many(self, names: Sequence[str], /) -> dict[str, bytes]:
        bodies = _run_concurrently(self._get_body, dict.fromkeys(names))
        return {name: body for name, body in bodies if body is not None}

    def find_existing(self, names: Sequence[str], /) -> set[str]:
        sizes = _run_concurrently(lambda name: self._objects.size(_body_key(name)), dict.fromkeys(names))
        return {name for name, size in sizes if size is not None}

    def keys(self) -> Iterator[str]:
        for key in self._objects.keys(""):
            if key.endswith(SUFFIX):
                yield key.rpartition("/")[2].removesuffix(SUFFIX)

    def put_back(self, bodies: Mapping[str, bytes], /) -> None:
        for name in bodies:
            self._objects.remove(_body_key(name))
        self.put_many(bodies)

    def _put_body(self, name: str, body: bytes) -> None:
        try:
            self._objects.put_new(_body_key(name), gzip.compress(body, mtime=0))
        except BrokenInvariant:
            # Another version of zlib may compress the same body differently; any other content here is damaged.
            if self._get_body(name) != body:
                raise

    def _get_body(self, name: str) -> bytes | None:
        packed = self._objects.get(_body_key(name))
        if packed is None:
            return None
        try:
            body = gunzip(packed, MAX_OBJECT_BYTES)
        except ValueError as error:
            raise BrokenInvariant("store.damaged", key=name) from error
        if digest(body) != name:
            raise BrokenInvariant("store.changed", key=name)
        return body


class MovedBodies:
    """`RawBodies` in a store that was configured later: new bodies are stored there, older ones are in the database."""

    def __init__(self, bodies: RawBodies, earlier: Blobs) -> None:
        self._bodies, self._earlier = bodies, earlier

    def put_many(self, bodies: Mapping[str, bytes], /) -> None:
        self._bodies.put_many(bodies)

    def get_many(self, names: Sequence[str], /) -> dict[str, bytes]:
        bodies = self._bodies.get_many(names)
        missing = [name for name in names if name not in bodies]
        return bodies | (self._earlier.get_many(missing) if missing else {})

    def find_existing(self, names: Sequence[str], /) -> set[str]:
        earlier = self._earlier.find_existing(names)
        return earlier | self._bodies.find_existing([name for name in names if name not in earlier])

    def keys(self) -> Iterator[str]:
        yield from sorted({*self._bodies.keys(), *self._earlier.keys()})

    def put_back(self, bodies: Mapping[str, bytes], /) -> None:
        self._bodies.put_back(bodies)


def _run_concurrently(call: Callable[[str], T], names: Iterable[str]) -> Iterator[tuple[str, T]]:
    """Call `call` for all names concurrently, and return each name with its result.

    Waits until all calls have ended, then raises the first error.
    """
    all_names = list(names)
    if len(all_names) < 2:
        return iter([(name, call(name)) for name in all_names])
    with ThreadPoolExecutor(min(THREADS, len(all_names)), thread_name_prefix="raw-bodies") as pool:
        return iter(list(zip(all_names, pool.map(call, all_names), strict=True)))


def _body_key(name: str) -> str:
    return f"{name[:2]}/{name}{SUFFIX}"
