"""Measures the whole chain from an archive file to outcomes, on embedded services in a temporary home folder.

`python -m laboratory.chain --pages 2000` writes pages of 2,500 characters into a WARC file, adds 44 works of 5.3
million characters, imports the file by the command line, and waits until every page is compared: pages per second,
and the processor time of each process.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import django
import psutil
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from core.errors import BrokenInvariant, ZhuiwenError
from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
from laboratory.cases.corpora import sources
from laboratory.ports import free_port
from laboratory.report import Say
from laboratory.speed.texts import Material, material

WORKS_CHARS = 5_300_000
MAX_WORKS = 44
TARGET_PAGES_PER_S = 60.0
SAMPLE_EVERY_S = 0.25
GIVE_UP_AFTER_S = 120.0  # without a further outcome


@dataclass(frozen=True, slots=True)
class ChainSpeed:
    """The speed of one run. cpu_s: processor time by process."""

    pages: int
    works: int
    seconds: float
    cases: int
    cpu_s: Mapping[str, float]
    idle_mb: Mapping[str, float]

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds

    def cpu_ms(self, *names: str) -> float:
        """Return the processor milliseconds per page of these processes, or of all if none is named."""
        return 1000 * sum(self.cpu_s[name] for name in names or self.cpu_s if name in self.cpu_s) / self.pages

    def tables(self) -> str:
        """Return the tables in Markdown."""
        lines = [
            f"{self.pages:,} pages, {self.works} works, {self.cases:,} cases: {self.seconds:.1f} s,"
            f" {self.pages_per_s:.1f} pages/s (target {TARGET_PAGES_PER_S:.0f})",
            "",
            "| process | processor time a page | idle, MB (PSS) |",
            "| --- | --- | --- |",
        ]
        names = [*self.cpu_s, *(name for name in self.idle_mb if name not in self.cpu_s)]
        for name in names:
            idle = f"{self.idle_mb[name]:.0f}" if name in self.idle_mb else ""
            lines.append(f"| {name} | {self.cpu_ms(name):.1f} ms | {idle} |")
        lines += [f"| in all | {self.cpu_ms():.1f} ms | {sum(self.idle_mb.values()):.0f} |"]
        return "\n".join(lines)


def measure(texts: Material, say: Say) -> ChainSpeed:
    """Run the chain once. Raises BrokenInvariant if a page has no outcome."""
    with tempfile.TemporaryDirectory(prefix="zhuiwen-chain-") as folder, _installation(Path(folder)) as run:
        from webadmin.cases.models import Case, PageCheck  # they need Django set up for this installation
        from webadmin.works.models import Chapter  # they need Django set up for this installation

        unindexed, outcomes = Chapter.objects.filter(indexed_at__isnull=True).count, PageCheck.objects.count
        works = _works(texts.works, Path(folder))
        archive = _archive(texts.pages, Path(folder) / "pages.warc.gz")
        say(f"{len(works)} works are added")
        run("work", "add", *map(str, works), "--rights-holder", "laboratory")
        _until(lambda: not unindexed(), unindexed)
        idle = {row["name"]: row["memory_mb"] for row in _services()}
        say(f"{len(texts.pages):,} pages are imported")
        meter, begun = _Meter(), time.monotonic()
        with meter:
            importing = subprocess.Popen(
                _command("import", str(archive), "--site", "archive", "--json"), stdout=subprocess.DEVNULL
            )
            meter.watch(importing.pid)
            _until(
                lambda: importing.poll() is not None and outcomes() >= len(texts.pages),
                outcomes,
                meter.sample,
            )
        seconds = time.monotonic() - begun
        if importing.returncode:
            raise BrokenInvariant("laboratory.import-ended", code=importing.returncode)
        return ChainSpeed(outcomes(), len(works), seconds, Case.objects.count(), meter.cpu_s, idle)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures. Return 0, or 1 if they cannot be measured."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.chain", description=__doc__)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--texts", type=Path, default=SHARED_CORPORA, help="folder of the corpora")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    given = parser.parse_args(arguments)
    try:
        texts = material(sources(given.texts, given.seed), WORKS_CHARS, given.pages, given.seed, _say)
        pages = tuple(dict.fromkeys(texts.pages))
        measured = measure(replace(texts, works=texts.works[:MAX_WORKS], pages=pages), _say)
    except ZhuiwenError as error:
        _say(str(error))
        return 1
    sys.stdout.write(measured.tables() + "\n")
    if given.json:
        given.json.write_text(json.dumps(asdict(measured), indent=1))
    return 0


@contextmanager
def _installation(home: Path) -> Iterator[Callable[..., None]]:
    """Start the services of a home folder, and name the folder to this process and its children in the environment."""
    os.environ.update({"ZHUIWEN_HOME": str(home / "home"), "ZHUIWEN_WEB_PORT": str(free_port())})

    def run(*arguments: str) -> None:
        subprocess.run(_command(*arguments), check=True, stdout=subprocess.DEVNULL)

    try:
        run("up")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webadmin.worker_settings")
        django.setup()
        yield run
    finally:
        run("down")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "deploy.cli", *arguments]


def _works(texts: Sequence[str], folder: Path) -> list[Path]:
    paths = [folder / f"work {number:02d}.txt" for number in range(1, len(texts) + 1)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8", errors="replace")
    return paths


def _archive(pages: Sequence[str], path: Path) -> Path:
    """Write an archive of pages with the usual markup of novels and news: a menu, a title, paragraphs, links."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, text in enumerate(pages, 1):
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                f"http://archive.example/read/{number}.html",
                "response",
                payload=io.BytesIO(_markup(number, text).encode("utf-8", "replace")),
                http_headers=headers,
                warc_headers_dict={"WARC-Date": "2026-11-01T08:00:00Z"},
            )
            writer.write_record(record)
    return path


def _markup(number: int, text: str) -> str:
    paragraphs = "\n".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    menu = "".join(f'<li><a href="/list/{row}.html">栏目{row}</a></li>' for row in range(1, 13))
    return (
        f'<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8"><title>第{number}页</title></head><body>'
        f'<div class="nav"><ul>{menu}</ul></div><h1>第{number}页</h1><div id="content">\n{paragraphs}\n</div>'
        f'<div class="foot"><a href="{number - 1}.html">上一页</a> <a href="{number + 1}.html">下一页</a></div>'
        "</body></html>"
    )


def _until(is_done: Callable[[], bool], progress: Callable[[], int], sample: Callable[[], None] = lambda: None) -> None:
    last, since = -1, time.monotonic()
    while not is_done():
        sample()
        now = progress()
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() - since > GIVE_UP_AFTER_S:
            raise BrokenInvariant("laboratory.stands-still", now=now)
        time.sleep(SAMPLE_EVERY_S)


class _Meter:
    """Processor seconds of the services and of one command, by process; a context manager."""

    def __init__(self) -> None:
        self._names = {row["pid"]: row["name"] for row in _services()}
        self._command: int | None = None
        self._before: dict[int, float] = {}
        self._last: dict[int, tuple[str, float]] = {}

    def __enter__(self) -> "_Meter":
        self._before = {pid: seconds for pid, (_, seconds) in self._sampled().items()}
        return self

    def __exit__(self, *_: object) -> None:
        self.sample()

    def watch(self, pid: int) -> None:
        self._command = pid

    def sample(self) -> None:
        self._last |= self._sampled()

    @property
    def cpu_s(self) -> dict[str, float]:
        found: defaultdict[str, float] = defaultdict(float)
        for pid, (name, seconds) in self._last.items():
            found[name] += seconds - self._before.get(pid, 0.0)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _sampled(self) -> dict[int, tuple[str, float]]:
        found: dict[int, tuple[str, float]] = {}
        for pid, name in self._names.items():
            found |= {each: (name, seconds) for each, seconds in _family(pid)}
        if self._command is not None:
            for each, seconds in _family(self._command):
                found[each] = ("import" if each == self._command else "reading", seconds)
        return found


def _family(pid: int) -> Iterator[tuple[int, float]]:
    try:
        processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        yield process.pid, times.user + times.system


def _services() -> list[dict[str, Any]]:
    """Return the rows of running processes in `zhuiwen status`."""
    said = subprocess.run(_command("status", "--json"), check=False, stdout=subprocess.PIPE)
    return [row for row in json.loads(said.stdout)["services"] if row["pid"]]


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
