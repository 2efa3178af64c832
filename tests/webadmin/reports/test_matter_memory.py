"""The export of a matter keeps one case at a time in memory, however many pages the matter has.

FIGURES=1 measures a large one (docs/figures.md); -s shows what came out.
"""

import io
import os
import random
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from bundles import bundle
from bundles.records import Rendering
from bundles.verification import check_file
from core.ids import Digest, digest
from pagestore.evidence import ObjectEvidenceStore
from pagestore.objects.folder import FolderObjects
from tests.support import admin_data, case_texts
from tests.support.evidence_samples import MADE, PDF, bare_capture, finding, with_fields
from webadmin import stores
from webadmin.cases.models import Matter
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.evidence.models import EvidenceBundle
from webadmin.reports.services.court_file.writing import export_matter

PAGES = 250 if os.environ.get("FIGURES") else 12  # two bundles each
# Of anonymous memory beside what was there before: the largest case, a table of 50 pictures, Typst for the explanation.
MAX_GROWTH_BYTES = 200 * 2**20  # 86 were measured


def screenshot(number: int) -> bytes:
    """A page as wide and large as those that are drawn: some .6 MB."""
    picture = Image.new("L", (1_280, 3_000), 255)
    noise = Image.frombytes("L", (1_280, 450), random.Random(number).randbytes(1_280 * 450))
    picture.paste(noise, (0, 100))
    kept = io.BytesIO()
    picture.save(kept, "PNG", compress_level=1)
    return kept.getvalue()


def make_matter(pages: int, store: ObjectEvidenceStore) -> Matter:
    """Confirmed cases with two bundles each: what was found, and what was drawn."""
    holder = admin_data.holder()
    reviewer = admin_data.user("reviewer", holder)
    site, work = admin_data.site(holder), admin_data.work(holder)
    for number in range(pages):
        case = admin_data.case(admin_data.page(site, number), work, number)
        admin_data.decided(case, reviewer)
        taken = bare_capture(case.page_url)
        picture = Rendering(screenshot(number), "image/png", MADE, "Chromium 142", case.page_url)
        printed = replace(picture, content=PDF, content_type="application/pdf")
        drawn = with_fields(taken, screenshot=picture, pdf=printed, absent={})
        for kind, each in ((EvidenceBundle.Kind.RECORD, taken), (EvidenceBundle.Kind.DRAWN, drawn)):
            made = bundle.make(each, finding(), made_at=MADE)
            store.put(made.digest, made.content)
            EvidenceBundle.objects.create(
                case=case, match=case.matches.get(), version_id=case.version_id, kind=kind, digest=made.digest,
                sha256=digest(made.content), size_bytes=len(made.content), fetched_at=made.fetched_at, day=made.day,
                made_at=MADE,
            )  # fmt: skip
    matter = Matter.objects.get(site=site, work=work)
    refresh_matters([matter.pk])
    return matter


class Peak:
    """How much more anonymous memory a process takes: what it reads of files can be taken from it at any time."""

    def __enter__(self) -> "Peak":
        self.begin, self.most, self._ends = anonymous(), 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._ends.wait(0.02):
            self.most = max(self.most, anonymous())

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    @property
    def growth(self) -> int:
        return self.most - self.begin


def anonymous() -> int:
    said = Path("/proc/self/status").read_text()
    return int(said.partition("RssAnon:")[2].split()[0]) * 1024


@pytest.mark.timeout(3_600)  # of 250 pages
@pytest.mark.django_db
@pytest.mark.usefixtures("processes")
def test_one_case_at_a_time_is_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    store = ObjectEvidenceStore(FolderObjects(tmp_path / "store"))
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    case_texts.use(monkeypatch)
    matter = make_matter(PAGES, store)
    out, began = tmp_path / "matter.zip", time.process_time()
    with Peak() as peak:
        report = export_matter(matter, out)
    seconds = time.process_time() - began
    assert len(report.bundles) == 2 * PAGES
    size, growth = out.stat().st_size >> 20, peak.growth >> 20
    sys.stdout.write(f"\n{PAGES} pages, {size} MiB, {seconds:.0f} s of processor time, {growth} MiB more in memory\n")
    assert peak.growth < MAX_GROWTH_BYTES
    assert store.get(Digest(report.bundles[0].digest)) is not None
    assert check_file(out).matter == matter.pk
