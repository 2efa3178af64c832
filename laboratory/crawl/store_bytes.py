"""Bytes that the page store keeps of a page: `python -m laboratory.crawl.store_bytes --mongo URL --pages FOLDER`.

The saved pages are served on this machine and crawled as any list of addresses is, into the empty database that URL
names; each kept text is fingerprinted with the default algorithm. Counted are documents as BSON, which is what a
backup carries; a server adds its own (the files of the embedded one: `du -s HOME/mongo`).
"""

import argparse
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import bson

from core.ids import SiteId
from core.pages import CrawlPlan
from core.settings import CrawlSettings
from core.works import StoredFingerprint
from crawler.run import run_crawl
from fingerprint.algorithms import DEFAULT
from fingerprint.fingerprinting import fingerprint_text
from laboratory.crawl.throughput import NoOutbox
from laboratory.extraction.saved_pages import SavedPage, saved_pages
from pagestore.mongo import MongoDatabase, MongoFingerprintStore, MongoPageStore, connect


def measure(pages: Sequence[SavedPage], database: MongoDatabase) -> tuple[int, int, dict[str, int]]:
    """How many pages were kept, the bytes of their responses, and the bytes of all documents by collection."""
    store, fingerprints = MongoPageStore(database), MongoFingerprintStore(database)
    with _served(pages) as urls, tempfile.TemporaryDirectory() as folder:
        place = urlsplit(urls[0]).netloc
        plan = CrawlPlan(SiteId("bytes"), "bytes", tuple(urls), (), kind="list", delay_s=0.0, max_pages=len(urls) + 1)
        run_crawl(plan, store, NoOutbox(), CrawlSettings(allow_private_hosts=(place,)), Path(folder), lambda _: None)
    raw = 0
    kept = store.pages(None, len(pages) + 1)
    for page in kept:
        version = store.version(page.current_version)
        assert version is not None
        raw += len(store.raw(version.raw_digest) or b"")
        fingerprint = fingerprint_text(version.reading.text, DEFAULT)
        fingerprints.put_many([StoredFingerprint(version.id, DEFAULT.id, fingerprint.to_bytes())])
    return len(kept), raw, {name: _size(database, name) for name in sorted(database.list_collection_names())}


def lines(kept: int, raw: int, sizes: Mapping[str, int]) -> Iterator[str]:
    """The table, in kB a page."""
    yield f"{kept} pages, responses of {raw / kept / 1e3:.1f} kB; kept of each, kB:"
    for name, size in sorted(sizes.items(), key=lambda each: -each[1]):
        yield f"  {name:<24}{size / kept / 1e3:8.2f}"
    yield f"  {'together':<24}{sum(sizes.values()) / kept / 1e3:8.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.crawl.store_bytes", description=__doc__)
    parser.add_argument("--mongo", required=True, help="URL of an empty database")
    parser.add_argument("--pages", type=Path, required=True, help="webpages_dev.tar.gz, or a folder with a manifest")
    given = parser.parse_args(arguments)
    pages = saved_pages(given.pages)
    for line in lines(*measure(pages, connect(given.mongo))):
        sys.stdout.write(line + "\n")
    return 0


def _size(database: MongoDatabase, name: str) -> int:
    return sum(len(bson.encode(document)) for document in database[name].find({}))


@contextmanager
def _served(pages: Sequence[SavedPage]) -> Iterator[list[str]]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/")
            is_there = name.isdecimal() and int(name) < len(pages)
            body = pages[int(name)].body if is_there else b""
            self.send_response(200 if is_there else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield [f"http://127.0.0.1:{server.server_port}/{number}" for number in range(len(pages))]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
