"""Proofs of licences are documents, whatever they are called, and so many."""

import io
import zipfile

import pytest

from tests.support import admin_data
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.refusals import refused
from webadmin import stores
from webadmin.works.models import Licence
from webadmin.works.services.proofs import add_proof, require_proof

PDF = b"%PDF-1.7\n"


def archive(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr(name, "<w/>")
    return packed.getvalue()


def test_an_archive_is_a_document_only_with_what_word_writes() -> None:
    assert require_proof(archive("word/document.xml")) == "docx"
    refused("not a PDF", require_proof, archive("word/other.xml"))


def test_a_damaged_archive_is_refused() -> None:
    later = bytearray(archive("word/document.xml"))
    at = later.index(b"PK\x01\x02") + 6  # the version that reading it needs
    later[at] = 99
    misnamed = bytearray(archive("word/document.xml"))
    at = misnamed.index(b"PK\x01\x02")
    misnamed[at + 9], misnamed[at + 46] = 0x08, 0xFF  # its name is UTF-8, and is none
    damaged = archive("word/document.xml")[:-30]
    for content in (bytes(later), bytes(misnamed), damaged, b"PK\x05\x06" + b"\xff" * 18):
        refused("not a PDF", require_proof, content)


@pytest.mark.django_db
class TestKept:
    @pytest.fixture
    def licence(self, monkeypatch: pytest.MonkeyPatch) -> Licence:
        kept = MemoryEvidenceStore()
        monkeypatch.setattr(stores, "evidence_store", lambda: kept)
        return admin_data.licence(admin_data.holder())

    @pytest.mark.parametrize(
        ("given", "name"),
        [
            ("C:\\合同\\甲.pdf", "甲.pdf"),
            ("/srv/合同/甲.exe", "甲.exe.pdf"),
            ("甲", "甲.pdf"),
            ("", "proof.pdf"),
            ("甲\x00.pdf", "甲.pdf"),
            ("长" * 300 + ".pdf", "长" * 196 + ".pdf"),
        ],
    )
    def test_its_name_has_no_folders_and_its_ending(self, licence: Licence, given: str, name: str) -> None:
        assert add_proof(licence, given, PDF, None).name == name
