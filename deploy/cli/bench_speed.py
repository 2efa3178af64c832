"""The verb `bench speed`: how fast fingerprints are made and pages matched, beside the peers."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadConfiguration, BadInput, ServiceUnavailable
from deploy.cli.bench_output import show, write_figures
from deploy.cli.faults import complain
from deploy.cli.output import counting, say

if TYPE_CHECKING:
    from laboratory.speed.parts import SpeedResults

START_DEADLINE_S = 20.0
LOOK_AGAIN_S = 0.02
MAX_CHARS = 1e9  # of works: what the product is made for


def speed(  # noqa: PLR0917 - options of a command
    texts: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    works_chars: float = 25e6,
    pages: Annotated[int, typer.Option(min=1)] = 600,
    long_chars: float = 1e7,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    parts: Annotated[str, typer.Option(metavar="NAMES")] = "",
    redis_url: Annotated[
        str | None,
        typer.Option("--redis", metavar="URL"),
    ] = None,
    seed: int | None = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
) -> None:
    """Measure fingerprints beside the published libraries, matching with every index, memory and long inputs."""
    from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.measures.quality import Listener
    from laboratory.speed.parts import MATCHING, PARTS, Plan, as_dict, measure

    if not 2 <= long_chars <= MAX_CHARS or not 0 <= works_chars <= MAX_CHARS:
        raise BadInput("cli.too-many-chars", most=MAX_CHARS)
    asked = [name.strip() for name in parts.split(",") if name.strip()] or PARTS
    with _redis(redis_url) if MATCHING in asked else nullcontext((None, "")) as (url, reason):
        plan = Plan(
            corpora=corpora or SHARED_CORPORA,
            texts=texts,
            seed=DEFAULT_SEED if seed is None else seed,
            works_chars=int(works_chars),
            pages=pages,
            long_chars=int(long_chars),
            rounds=rounds,
            redis_url=url,
            without_redis=reason,
            parts=asked,
        )
        results = measure(plan, Listener(complain, counting))
    _show(results)
    write_figures(json_file, as_dict(results))


def _show(results: "SpeedResults") -> None:
    from laboratory.speed.figures import notes, tables

    for line in notes(results):
        say(line)
    show(tables(results))


@contextmanager
def _redis(url: str | None) -> Iterator[tuple[str | None, str]]:
    """The address given, or that of a server that lives as long as this; or the reason why there is none."""
    from deploy.services.redis_server import executable

    if url is not None:
        yield url, ""
        return
    try:
        program = executable()
    except BadConfiguration as error:
        yield None, str(error)
        return
    with _server(program) as own:
        yield own, ""


@contextmanager
def _server(program: Path) -> Iterator[str]:
    """A server on a free port that keeps nothing. Raises ServiceUnavailable when it does not start."""
    with TemporaryDirectory(prefix="zhuiwen-speed-") as folder:
        port = _free_port()
        arguments = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
        process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _await(process, port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    """Return when the server listens."""
    deadline = monotonic() + START_DEADLINE_S
    while process.poll() is None and monotonic() < deadline:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(LOOK_AGAIN_S)
    raise ServiceUnavailable("Redis", f"127.0.0.1:{port}")


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
