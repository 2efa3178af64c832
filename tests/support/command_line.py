"""The command line as its users meet it: a process of its own, with a home folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deploy.cli import main
from tests.support.ready_process import ready_process

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
            given = [str(each) for each in arguments]
            process = ready_process(_run, Path.cwd(), given, files, environment=self.environ())
            process.daemon = False  # benchmarks start processes of their own
            process.start()
            process.join(TIMEOUT_S)
            if process.is_alive():
                process.kill()
                pytest.fail(f"zhuiwen {' '.join(given)} takes more than {TIMEOUT_S:g} s")
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


def _run(folder: Path, arguments: list[str], files: list[Path]) -> None:
    """Be the command line, in a process that has what it imports."""
    os.chdir(folder)
    for number, (path, flags) in enumerate(zip(files, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, flags), number)
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 - a process of multiprocessing has given up its own
    sys.argv = ["zhuiwen", *arguments]
    main(arguments)


@pytest.fixture
def zhuiwen(tmp_path: Path, processes: None) -> CommandLine:
    """The command line of an installation whose services do not run."""
    return CommandLine(tmp_path / "home")
