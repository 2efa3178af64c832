"""Evidence bundles in memory, which a test may damage, forge and lose."""

from collections.abc import Callable

from core.ids import Digest
from pagestore.evidence import ObjectEvidenceStore
from tests.support.memory_objects import MemoryObjects


class MemoryEvidenceStore(ObjectEvidenceStore):
    """core.ports.EvidenceStore in memory."""

    def __init__(self) -> None:
        self._memory = MemoryObjects()
        super().__init__(self._memory)

    def damage(self, name: Digest, damaged: Callable[[bytes], bytes]) -> None:
        """Change the bytes of a bundle, as a failing disk would."""
        key, content = self._bundle_key(name), self.get(name)
        assert key is not None
        assert content is not None
        self._memory.remove(key)
        self._memory.put_new(key, damaged(content))

    def forge(self, name: Digest, content: bytes) -> None:
        """Put another bundle, sound in itself, in place of one."""
        self.lose(name)
        self.put(name, content)

    def lose(self, name: Digest) -> None:
        """Take a bundle away without a note of it."""
        key = self._bundle_key(name)
        assert key is not None
        self._memory.remove(key)
