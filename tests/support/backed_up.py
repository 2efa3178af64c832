"""An installation with two rights holders and all its stores, to be backed up, destroyed and restored."""

from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.core.management import call_command

from core.clock import ManualClock
from core.ids import VersionId
from core.ports import ObjectStore
from pagestore.connection import MongoDatabase, connect
from pagestore.evidence import MongoEvidenceStore
from pagestore.mongo import MongoPageStore, MongoWorkStore
from tests.support import admin_data
from tests.support.case_texts import Texts, keep_estate
from webadmin import stores
from webadmin.backups.models.backup import installation_key
from webadmin.backups.services import tables
from webadmin.backups.services.restoring import RestoreTarget
from webadmin.backups.services.writing import BackupSource, Made, make
from webadmin.cases.models import Case, PageCheck
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.making import EvidencePorts
from webadmin.sites.models import PageRecord
from webadmin.works.models import Chapter


def unheard(*_: object) -> None:
    """Progress that nobody reads."""


@dataclass
class Stored:
    """An installation with all its stores."""

    mongo: MongoDatabase
    world: admin_data.World

    @property
    def evidence(self) -> MongoEvidenceStore:
        return MongoEvidenceStore(self.mongo)

    @property
    def target(self) -> RestoreTarget:
        return RestoreTarget(self.mongo, self.evidence)

    def backed_up(self, to: ObjectStore, passphrase: str = "", secrets: bytes = b"", **files: bytes) -> Made:
        source = BackupSource(installation_key(), self.mongo, self.evidence, files, None, secrets, passphrase)
        return make(source, to, unheard)

    def rows(self) -> dict[str, list[bytes]]:
        """All that the admin database holds."""
        return {
            model._meta.db_table: [content for content, _ in tables.table_pieces(model)] for model in tables.tables()
        }

    def documents(self) -> dict[str, list[dict[str, object]]]:
        """All that the page store and the evidence store hold."""
        names = sorted(self.mongo.list_collection_names())
        found = {name: sorted(self.mongo[name].find({}), key=lambda each: each["_id"]) for name in names}
        return {name: documents for name, documents in found.items() if documents}

    def destroy(self) -> None:
        for name in self.mongo.list_collection_names():
            self.mongo[name].drop()
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def stored(mongo_url: str, monkeypatch: pytest.MonkeyPatch) -> Stored:
    database = connect(mongo_url)
    texts = Texts(MongoPageStore(database), MongoWorkStore(database))  # type: ignore[arg-type]
    world = admin_data.fill_world(cases=3)
    monkeypatch.setattr(stores, "page_store", lambda: texts.pages)
    monkeypatch.setattr(stores, "work_store", lambda: texts.works)
    made = Stored(database, world)
    installation_key()
    monkeypatch.setattr(stores, "evidence_store", lambda: made.evidence)
    ports = EvidencePorts(texts.pages, texts.works, made.evidence, ManualClock(admin_data.NOW + timedelta(days=2)))
    for estate in (world.ours, world.theirs):
        keep_estate(texts, estate)
        for chapter in Chapter.objects.filter(work__in=estate.works):
            Chapter.objects.filter(pk=chapter.pk).update(text_id=texts.works.put_text(admin_data.WORK_TEXT))
        for page in PageRecord.objects.filter(site__in=estate.sites):
            body = f"<html>{page.title}</html>".encode()
            PageRecord.objects.filter(pk=page.pk).update(version_id=texts.keep(page, page.title, body))
        keep_estate(texts, estate)
        for page in PageRecord.objects.filter(site__in=estate.sites):
            PageCheck.objects.filter(page=page).update(version_id=page.version_id)
            EvidenceBundle.objects.filter(case__page=page).update(version_id=page.version_id)
        evidence.create_bundles(VersionId(Case.objects.get(pk=estate.cases[1].pk).version_id), ports)
    return made
