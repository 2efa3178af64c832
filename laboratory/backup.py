"""Speed and size of backups: `python -m laboratory.backup --pages 100000 [--mongo URL]`.

A new home folder with an embedded page store (or the empty database of a MongoDB) is filled with made pages, backed up,
backed up again with a hundredth more, verified, destroyed and restored, each timed. A page has 30 kB of HTML with 3,000
characters, drawn as often as a novel's are, its text and a row; all pages of a site share their frame.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from core.errors import ServiceUnavailable
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId
from core.pages import Fetched, Reading
from laboratory.speed.machine import machine

TEXT_CHARS, FRAME_BYTES = 3_000, 20_000
DIFFERENT_CHARS = 2_500
BATCH = 32  # as a crawl stores them
START_S = 60.0
SEEN = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what each step took."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.backup", description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--mongo", default="", help="an empty database; without it an embedded page store is started")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="zhuiwen-backup-") as name, _store(Path(name), given.mongo) as url:
        _set_up(Path(name))
        for line in measured(given.pages, url, Path(name)):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    return 0


def measured(pages: int, url: str, folder: Path) -> Iterator[str]:
    """A line for each step. The admin database is Django's own, empty."""
    from django.core.management import call_command

    from pagestore.connection import connect
    from pagestore.evidence import MongoEvidenceStore
    from pagestore.objects.folder import FolderObjects
    from records.backups.installation import installation_key
    from records.backups.restoring import Target, restore
    from records.backups.verification import verify
    from records.backups.writing import Source, make

    def unheard(*_: object) -> None:
        return

    database, place = connect(url), FolderObjects(folder / "backups")
    source = Source(installation_key(), database, MongoEvidenceStore(database), {})
    here = machine(0.0, "")
    yield f"{here.processor}, {here.processors} processors, load {here.load_after}"
    took, _ = timed(lambda: fill(url, 0, pages))
    yield f"filled with {pages:,} pages: {took:.0f} s"
    took, first = timed(lambda: make(source, place, unheard))
    yield f"first backup: {took:.1f} s, {first.records:,} records, {first.bytes:,} bytes"
    fill(url, pages, max(1, pages // 100))
    took, second = timed(lambda: make(source, place, unheard))
    yield f"second, {max(1, pages // 100):,} pages more: {took:.1f} s, {second.new_bytes:,} bytes new"
    took, seen = timed(lambda: verify(second.backup.manifest, place, unheard))
    yield f"verified: {took:.1f} s, faults {len(seen.faults)}"
    for name in database.list_collection_names():
        database.drop_collection(name)
    call_command("flush", interactive=False, verbosity=0)
    target = Target(database, MongoEvidenceStore(database))
    took, records = timed(lambda: restore(second.backup.manifest, place, target, unheard))
    yield f"restored and read back: {took:.1f} s, {records:,} records"


def timed(step: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it."""
    start = time.perf_counter()
    done = step()
    return time.perf_counter() - start, done


def fill(url: str, first: int, count: int) -> None:
    """Store so many pages and their rows, from a number on."""
    from pagestore.connection import connect
    from pagestore.mongo import MongoPageStore
    from records.models import PageRecord, RightsHolder, Site

    store = MongoPageStore(connect(url))
    holder, _ = RightsHolder.objects.get_or_create(name="青梧文学")
    site, _ = Site.objects.get_or_create(rights_holder=holder, name="某书站", start_urls="https://books.example/")
    for start in range(first, first + count, BATCH):
        made = [_page(number, site.pk) for number in range(start, min(start + BATCH, first + count))]
        stored = store.put_many(made)
        PageRecord.objects.bulk_create(
            PageRecord(
                page_id=each.page_id,
                site=site,
                rights_holder=holder,
                url=fetched.canonical_url,
                title=reading.title,
                first_seen=SEEN,
                last_seen=SEEN,
                version_id=each.version_id,
                chars=len(reading.text),
            )
            for each, (fetched, reading) in zip(stored, made, strict=True)
        )


def _page(number: int, site: int) -> tuple[Fetched, Reading]:
    chance = random.Random(number)  # noqa: S311 - no secret
    text = "".join(chance.choices(_CHARS, _WEIGHTS, k=TEXT_CHARS))
    body = f"<html>{_FRAME}<h1>第{number}章</h1><p>{text}</p></html>".encode()
    url = f"https://books.example/{number}.html"
    fetched = Fetched(
        SiteId(str(site)), RequestedUrl(url), FinalUrl(url), CanonicalUrl(url), 200, (), body, SEEN
    )  # fmt: skip
    return fetched, Reading(title=f"第{number}章", text=text)


_CHARS = [chr(0x4E00 + place) for place in range(DIFFERENT_CHARS)]
_WEIGHTS = [1 / (place + 3) for place in range(DIFFERENT_CHARS)]
_FRAME = "".join(f'<li><a href="/{place}.html">{place * 7919 % 10_007}</a></li>' for place in range(FRAME_BYTES // 40))


@contextmanager
def _store(folder: Path, url: str) -> Iterator[str]:
    """The database that is named, or one of an embedded page store that ends afterwards."""
    if url:
        yield url
        return
    from pagestore.connection import connect, ping

    sockets = Path(tempfile.mkdtemp(prefix="zw-"))  # the path of a socket is short
    path = sockets / "mongo.sock"
    (folder / "mongo").mkdir()
    command = [sys.executable, "-m", "pagestore.embedded", "--data-dir", str(folder / "mongo"), "--socket", str(path)]
    process = subprocess.Popen(command)
    try:
        own = f"mongodb://{quote(str(path), safe='')}/measured"
        deadline = time.monotonic() + START_S
        while True:
            try:
                ping(connect(own, timeout_s=1.0))
                break
            except ServiceUnavailable:
                if time.monotonic() > deadline:
                    raise
        yield own
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(sockets, ignore_errors=True)


def _set_up(folder: Path) -> None:
    """Django with an admin database of its own."""
    (folder / "static").mkdir()
    for name in [each for each in os.environ if each.startswith("ZHUIWEN_")]:
        del os.environ[name]
    os.environ |= {"ZHUIWEN_HOME": str(folder), "DJANGO_SETTINGS_MODULE": "webadmin.settings"}
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0, skip_checks=True)


if __name__ == "__main__":
    sys.exit(main())
