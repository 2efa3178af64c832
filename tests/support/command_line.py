"""The command line as its users meet it: a process of its own, with a home folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deploy.cli import main
from tests.support.ready_process import ready

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def complaints(self) -> list[str]:
        """The lines on stderr, each of which must be one sentence of ours."""
        assert "Traceback" not in self.err
        return self.err.splitlines()


@dataclass(frozen=True)
class CommandLine:
    """Runs `zhuiwen` in an environment."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Done:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("in", "out", "err")]
            for path, content in zip(files, (stdin, b"", b""), strict=True):
                path.write_bytes(content)
            given = (self.environ(), Path.cwd(), [str(each) for each in arguments], files)
            process = ready().Process(target=_run, args=given)
            process.start()
            process.join(TIMEOUT_S)
            if process.is_alive():
                process.kill()
                pytest.fail(f"zhuiwen {' '.join(given[2])} takes more than {TIMEOUT_S:g} s")
            assert process.exitcode is not None
            return Done(process.exitcode, files[1].read_bytes().decode(), files[2].read_bytes().decode())

    def python(self, *arguments: object, stdin: bytes = b"") -> Done:
        """Run Python in the same environment."""
        ended = subprocess.run(
            [sys.executable, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env=self.environ(),
            timeout=TIMEOUT_S,
            check=False,
        )
        return Done(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def environ(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ZHUIWEN_")}
        return {**inherited, "PYTHONUTF8": "1", "ZHUIWEN_HOME": str(self.home), **self.environment}


def _run(environment: dict[str, str], folder: Path, arguments: list[str], files: list[Path]) -> None:
    """Be the command line, in a process that has what it imports."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, (path, flags) in enumerate(zip(files, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, flags), number)
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 - a process of multiprocessing has given up its own
    sys.argv = ["zhuiwen", *arguments]
    main(arguments)


# Imports what the verbs import, once; each command then runs in a child of its own, as it would from a shell.
_PARENT = """
import json, os, sys
from deploy.home import prepare
os.environ.update(prepare(os.environ).environment)
import django
django.setup()
import analytics.formats, pipeline.idle, pipeline.wiring, records.works.catalogue, intake, records.reports
from deploy.cli import main
for line in sys.stdin:
    arguments, files = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for number, (name, flags) in enumerate(zip(files, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY))):
        os.dup2(os.open(name, flags), number)
    try:
        main(arguments)
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code or 0)
"""


class ForkedCommandLine(CommandLine):
    """The same command line without the second that an interpreter needs to import everything."""

    @contextmanager
    def ready(self) -> Iterator[None]:
        """Commands can be run inside."""
        with subprocess.Popen(
            [sys.executable, "-c", _PARENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environ(),
            text=True,
        ) as parent:
            object.__setattr__(self, "_parent", parent)
            yield
            assert parent.stdin is not None
            parent.stdin.close()

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Done:
        parent: subprocess.Popen[str] = self._parent  # type: ignore[attr-defined]
        assert parent.stdin is not None
        assert parent.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("in", "out", "err")]
            for path, content in zip(files, (stdin, b"", b""), strict=True):
                path.write_bytes(content)
            request = [[str(argument) for argument in arguments], [str(path) for path in files]]
            parent.stdin.write(f"{json.dumps(request)}\n")
            parent.stdin.flush()
            code = int(parent.stdout.readline())
            return Done(code, files[1].read_text("utf-8"), files[2].read_text("utf-8"))


@pytest.fixture
def zhuiwen(tmp_path: Path, processes: None) -> CommandLine:
    """The command line of an installation whose services do not run."""
    return CommandLine(tmp_path / "home")
