"""Objects in memory."""

from collections.abc import Iterator
from threading import Lock

from core.errors import BrokenInvariant
from core.ports import MAX_OBJECT_BYTES
from pagestore.objects.names import key_named, stored_name, stored_prefix


class MemoryObjects:
    """core.ports.ObjectStore in memory."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._lock = Lock()

    def put_new(self, key: str, content: bytes) -> bool:
        name = stored_name(key)
        with self._lock:
            if name not in self._contents:
                self._contents[name] = content
                return True
            if self._contents[name] != content:
                raise BrokenInvariant("store.object-differs", key=key)
            return False

    def get(self, key: str, most_bytes: int = MAX_OBJECT_BYTES) -> bytes | None:
        content = self._contents.get(stored_name(key))
        if content is not None and len(content) > most_bytes:
            raise BrokenInvariant("store.object-too-large", key=key, most=most_bytes)
        return content

    def size(self, key: str) -> int | None:
        content = self.get(key)
        return None if content is None else len(content)

    def keys(self, prefix: str = "") -> Iterator[str]:
        start = stored_prefix(prefix)
        with self._lock:
            names = sorted(name for name in self._contents if name.startswith(start))
        yield from (key for name in names if (key := key_named(name)) is not None)

    def remove(self, key: str) -> None:
        self._contents.pop(stored_name(key), None)
