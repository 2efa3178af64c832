"""Times and sizes of evidence: `python -m laboratory.speed.evidence_bundles [--tsa URL --ca PEM]`, stamped ones last.

A page as novels have them: 60 kB of HTML, 5,000 characters of text in ten copied passages, a screenshot of 1.5 MB and a
PDF of 300 kB, both of random bytes, which nothing compresses.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.ids import Digest, digest
from crawler.fetching.authority_client import AuthorityClient
from evidence import bundle, days, export, merkle, verification
from evidence.authority import Authority
from evidence.opened import opened
from evidence.records import Bundle, Capture, CaseMaterial, Exchange, Finding, Passage, ProvenBundle, Rendering, Stamp

ROUNDS = 20
DAY_BUNDLES = 10_000
CASE_BUNDLES = (1, 10)
HTML_BYTES, TEXT_CHARS, PASSAGES = 60_000, 5_000, 10
DIFFERENT_CHARS = 2_500  # what a novel uses
SCREENSHOT_BYTES, PDF_BYTES = 1_500_000, 300_000
FETCHED = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


def sample(number: int, *, is_drawn: bool) -> tuple[Capture, Finding]:
    """Page `number` and what was found on it."""
    chance = random.Random(number)  # noqa: S311 - no secret
    text = "".join(chr(chance.randrange(0x4E00, 0x4E00 + DIFFERENT_CHARS)) for _ in range(TEXT_CHARS))
    html = "<p>" + text + "</p>" + "".join(chr(chance.randrange(97, 123)) for _ in range(HTML_BYTES - 3 * TEXT_CHARS))
    url = f"https://novel.example/{number}.html"
    page = Exchange(
        url=url,
        request_line=f"GET /{number}.html HTTP/1.1",
        request_headers=(("Host", "novel.example"),),
        status=200,
        reason="OK",
        response_headers=(("Content-Type", "text/html; charset=utf-8"),),
        body=html.encode(),
        fetched_at=FETCHED,
    )
    screenshot = Rendering(chance.randbytes(SCREENSHOT_BYTES), "image/png", FETCHED, "Chromium", url)
    pdf = Rendering(chance.randbytes(PDF_BYTES), "application/pdf", FETCHED, "Chromium", url)
    capture = Capture((page,), f"第{number}章", text)
    capture = replace(capture, screenshot=screenshot, pdf=pdf) if is_drawn else capture
    size = TEXT_CHARS // PASSAGES
    cuts = [(start, start + size) for start in range(0, TEXT_CHARS, size)]
    passages = tuple(Passage(cut, cut, 1.0, text[slice(*cut)], text[slice(*cut)]) for cut in cuts)
    said = ("桂花开得晚", "林溪", "ab" * 20, digest(text.encode()), TEXT_CHARS, "identical", 1.0, 1.0, 1.0)
    return capture, Finding(*said, TEXT_CHARS, TEXT_CHARS, passages, 2, {}, {}, "0.1.0")


def timed(name: str, step: Callable[[], object], note: str = "", rounds: int = ROUNDS) -> None:
    """Print the median and the slowest of some rounds, in milliseconds."""
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        step()
        taken.append(1_000 * (time.perf_counter() - begun))
    print(f"{name:<58} {statistics.median(taken):9.2f} ms  (slowest {max(taken):9.2f})  {note}")  # noqa: T201


def measure(authority: Authority | None) -> None:
    """All steps from a page to a verified export."""
    for is_drawn in (False, True):
        kind = "with screenshot and PDF" if is_drawn else "response and finding"
        capture, finding = sample(0, is_drawn=is_drawn)
        made = bundle.make(capture, finding, made_at=FETCHED)
        given = len(capture.page.body) + sum(len(r.content) for r in (capture.screenshot, capture.pdf) if r)
        size = f"{len(made.content):,} bytes of {given:,} given"
        timed(f"make a bundle, {kind}", lambda c=capture, f=finding: bundle.make(c, f), size)  # type: ignore[misc]
        timed(f"open and check a bundle, {kind}", lambda m=made: opened(m.content, "bundle"))  # type: ignore[misc]
    _measure_day()
    bundles = [bundle.make(*sample(number, is_drawn=True), made_at=FETCHED) for number in range(max(CASE_BUNDLES))]
    stamp = None
    if authority is not None:
        timed("ask for a stamp and verify it", lambda: authority.stamp(digest(b"root")))
        stamp = authority.stamp(days.root_of(each.digest for each in bundles))
    for count in CASE_BUNDLES:
        _measure_export(bundles[:count], [each.digest for each in bundles], stamp)


def _measure_day() -> None:
    leaves = merkle.leaves_of([Digest(digest(str(n).encode())) for n in range(DAY_BUNDLES)])
    root, path = merkle.root(leaves), merkle.audit_path(leaves, 4_711)
    timed(f"root of a day of {DAY_BUNDLES:,}", lambda: merkle.root(leaves))
    timed(f"proof of one of {DAY_BUNDLES:,}", lambda: merkle.audit_path(leaves, 4_711), f"{len(path)} digests")
    timed("check a proof", lambda: merkle.root_from(leaves[4_711], 4_711, len(leaves), path) == root)


def _measure_export(bundles: Sequence[Bundle], day: Sequence[Digest], stamp: Stamp | None) -> None:
    stamps = [] if stamp is None else [stamp]
    proven = [ProvenBundle(each.content, days.proof_of(each.digest, each.day, day, stamps)) for each in bundles]
    material = CaseMaterial(1, {}, proven)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.zip"
        state = "stamped" if stamps else "not stamped"
        export.write(path, material, "0.1.0")
        size = f"{path.stat().st_size:,} bytes"
        timed(f"export {len(bundles)} page(s), {state}", lambda: export.write(path, material, "0.1.0"), size, 5)
        timed(f"verify {len(bundles)} page(s), {state}", lambda: verification.check_file(path))


def main() -> None:
    """Run as a program."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tsa", help="URL of a time stamp authority")
    options.add_argument("--ca", type=Path, help="its root in PEM")
    given = options.parse_args()
    client = AuthorityClient(allow_private=True)
    authority = Authority(given.tsa, given.ca.read_bytes(), client) if given.tsa and given.ca else None
    measure(authority)


if __name__ == "__main__":
    main()
