from typing import Any

import pytest

from core.ids import digest
from tests.pagestore.contracts import FingerprintStoreContract, PageStoreContract, WorkStoreContract
from tests.support.memory_pages import MemoryFingerprintStore, MemoryPageStore, MemoryWorkStore


class TestMemoryPageStore(PageStoreContract):
    @pytest.fixture
    def store(self) -> MemoryPageStore:
        return MemoryPageStore()

    def damage_raw(self, store: Any, body: bytes) -> None:
        store._raw[digest(body)] = b"other"


class TestMemoryWorkStore(WorkStoreContract):
    @pytest.fixture
    def store(self) -> MemoryWorkStore:
        return MemoryWorkStore()


class TestMemoryFingerprintStore(FingerprintStoreContract):
    @pytest.fixture
    def store(self) -> MemoryFingerprintStore:
        return MemoryFingerprintStore()
