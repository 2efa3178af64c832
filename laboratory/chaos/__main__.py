"""`python -m laboratory.chaos`: a quiet run, then the same while services are killed; the results must be equal.

Generated sites are crawled, works are added, cases are decided on the desk, and notices are sent. The last lines of the
output are the numbers of lost and of duplicate things; the exit code is 0 if both are 0.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.errors import ZhuiwenError
from laboratory import servers as real
from laboratory.chaos.clock import MovableClock, movable_clock
from laboratory.chaos.faults import Faults, small_disk, unmount
from laboratory.chaos.installation import Installation, installed
from laboratory.chaos.plan import KINDS, VICTIMS, Options, all_done_within_s, faults, site_count
from laboratory.chaos.site import served
from laboratory.servers import Server

DISK_BYTES = 3 << 30  # room for 2,000 pages with evidence and logs, and a tenth of the memory of a machine
SAMPLE = Options(seed=1, pages=100, kills=6, minutes=1.5, stall_s=10.0)
FULL = Options(seed=1, pages=2_000, kills=50, minutes=20.0)
# The requests to a site are spread over this share of the time in which people act. With outages and a second crawl, a
# crawl is running when most faults occur.
CRAWLED_SHARE = 0.2
GRACE_S = 120.0  # for the process to report its timeout itself, and to read the stored data
DISTURBED = "disturbed"
SHOWN = 12  # differences of a kind
Stored = Mapping[str, Sequence[str]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both and print the differences. Return 0, 1 if there are any, or 2 if a run failed."""
    given = _parser().parse_args(arguments)
    usual = SAMPLE if given.sample else FULL
    kinds = tuple(given.faults.split(",")) if given.faults else KINDS
    if unknown := sorted(set(kinds) - set(KINDS)):
        _say(f"--faults {','.join(unknown)}: choose of {','.join(KINDS)}")
        return 2
    options = Options(
        seed=usual.seed if given.seed is None else given.seed,
        pages=given.pages or usual.pages,
        kills=usual.kills if given.kills is None else given.kills,
        minutes=given.minutes or usual.minutes,
        faults=kinds,
        stall_s=usual.stall_s,
    )
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="zhuiwen-chaos-"))
    folder.chmod(0o755)  # the user of a database server has to reach what is below
    try:
        with served(options) as ports:
            sites = [f"127.0.0.1:{port}" for port in ports]
            _say(f"seed {options.seed}: {options.pages} pages of {site_count(options)} sites; a quiet run")
            quiet = _stored(folder / "quiet", options, sites, given.servers, is_quiet=True)
            require_pages(quiet, options.pages)
            _say(f"{time.monotonic() - began:.0f} s; the same with faults for {options.minutes:g} min")
            disturbed = _stored(folder / DISTURBED, options, sites, given.servers, is_quiet=False)
    except (ZhuiwenError, subprocess.SubprocessError) as error:
        _say(str(error))
        _say_where(folder)
        return 2
    _say(f"{time.monotonic() - began:.0f} s")
    lost, doubled = compared(quiet, disturbed)
    if given.keep or lost or doubled:
        _say_where(folder)
    else:
        unmount(folder / DISTURBED)
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.write(f"{lost} lost\n{doubled} doubled\n")
    return 1 if lost or doubled else 0


def _say_where(folder: Path) -> None:
    _say(f"what is there for looking at: {folder}; then: umount {folder / DISTURBED}; rm -r {folder}")


def require_pages(quiet: Stored, asked_for: int) -> None:
    """Raises SubprocessError if a quiet run has other pages than those of the sites and their lists of pages."""
    if (found := sum(" /p/" in page for page in quiet["pages"])) != asked_for:
        raise subprocess.SubprocessError(f"of {asked_for} pages a quiet run stored {found}")


def require_kills(options: Options, done: Mapping[str, int]) -> None:
    """Raises SubprocessError if processes were to be killed and none was."""
    killed = sum(count for name, count in done.items() if name.startswith("kill "))
    if "kill" in options.faults and options.kills and not killed:
        raise subprocess.SubprocessError("no victim was killed: the run says nothing")


def compared(quiet: Stored, disturbed: Stored) -> tuple[int, int]:
    """Print and return the numbers of things that a disturbed run lacks, and of those that it has in excess."""
    lost = doubled = 0
    for kind in quiet:
        expected, found = Counter(quiet[kind]), Counter(disturbed.get(kind, ()))
        missing, surplus = expected - found, found - expected
        _say(f"{kind}: {expected.total()}, {found.total()} with faults")
        for sign, lines in (("-", missing), ("+", surplus)):
            for line in sorted(lines.elements())[:SHOWN]:
                _say(f"  {sign} {line}")
        lost, doubled = lost + missing.total(), doubled + surplus.total()
    return lost, doubled


def _stored(folder: Path, options: Options, sites: list[str], servers: str, *, is_quiet: bool) -> Stored:
    """Run the acts on a new installation, and return its stored data."""
    folder.mkdir()
    is_small = not is_quiet and "disk" in options.faults and small_disk(folder, DISK_BYTES)
    clock = movable_clock(folder) if not is_quiet and "clock" in options.faults else None
    if not is_quiet:
        if "disk" in options.faults and not is_small:
            _say("the disk is not filled: only root can mount a small one")
        if "clock" in options.faults and clock is None:
            _say("the clock is not moved: apt-get install gcc libc6-dev")
    with (
        _servers(folder, servers) as started,
        installed(folder / "home", sites, started, clock) as made,
    ):
        return _acted(made, folder, options, sites, clock, folder if is_small else None, is_quiet=is_quiet)


def _acted(  # noqa: PLR0917 - an installation and all that is done to it
    made: Installation,
    folder: Path,
    options: Options,
    sites: list[str],
    clock: MovableClock | None,
    disk: Path | None,
    *,
    is_quiet: bool,
) -> Stored:
    """Let people act while faults occur, and return the stored data."""
    act_s, faults_ended = options.minutes * 60, folder.with_suffix(".ended")
    order = {
        "options": options.to_json(),
        "origins": [f"http://{site}" for site in sites],
        "desk": made.desk,
        "pace": 0.0 if is_quiet else 1.0,
        "until": "" if is_quiet else str(faults_ended),
        "delay_s": 0.0 if is_quiet else round(CRAWLED_SHARE * act_s * site_count(options) / options.pages, 3),
        "out": str(folder.with_suffix(".json")),
    }
    paper = folder.with_suffix(".order.json")
    paper.write_text(json.dumps(order))
    environment = {name: value for name, value in made.environment.items() if name != "LD_PRELOAD"}
    scenario = subprocess.Popen([sys.executable, "-m", "laboratory.chaos.scenario", str(paper)], env=environment)
    victims = Faults(made, options.seed, disk, clock, _say)
    try:
        if not is_quiet:
            drawn = faults(options, has_sql_server="sql" in made.servers)
            victims.run(drawn, lambda: scenario.poll() is not None)
            faults_ended.touch()
        code = scenario.wait(all_done_within_s(options) + GRACE_S)
    finally:
        scenario.kill()
    if not is_quiet:
        _say(", ".join(f"{name} {count}" for name, count in sorted(victims.done.items())))
        if unharmed := [each for each in VICTIMS if "kill" in options.faults and not victims.done[f"kill {each}"]]:
            _say(f"never killed: {', '.join(unharmed)}")
        require_kills(options, victims.done)
    if code:
        raise subprocess.SubprocessError(f"what people wanted was not done: the scenario ended with {code}")
    stored: dict[str, list[str]] = json.loads(Path(str(order["out"])).read_text())
    return stored | {"damage": made.damage()}


@contextmanager
def _servers(folder: Path, kind: str) -> Iterator[dict[str, Server]]:
    if kind == "embedded":
        yield {}
        return
    made = [real.postgres(folder / "sql"), real.redis_server(folder / "redis"), real.secantus(folder / "mongo")]
    with real.running(*made):
        yield {server.name: server for server in made}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m laboratory.chaos", description=__doc__)
    parser.add_argument("--sample", action="store_true", help="three minutes, as CI takes it")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--pages", type=int)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--minutes", type=float, help="how long faults come")
    parser.add_argument("--faults", help=f"of {','.join(KINDS)}; all where none are named")
    parser.add_argument("--servers", choices=("embedded", "postgres"), default="embedded")
    parser.add_argument("--keep", action="store_true", help="leave the home folders for looking at")
    return parser


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
