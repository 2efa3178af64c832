"""The command line as its users meet it: a process of its own, with a home folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deploy.cli import main
from tests.support.made_tables import put_tables
from tests.support.ready_process import run_command, run_script

TIMEOUT_S = 120.0
_PREPARE = "import os; from deploy.home import prepare; prepare(os.environ)"
_IN_DJANGO = """
import os, sys
from deploy.home import prepare
os.environ.update(prepare(os.environ).environment)
from webadmin.process import set_up
set_up()
"""


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
        return self._done(main, arguments, stdin)

    def script(self, code: str, *arguments: object, stdin: bytes = b"") -> Done:
        """Run some Python in the same environment."""
        return self._done(run_script, (code, *arguments), stdin)

    def in_django(self, code: str, *arguments: object, stdin: bytes = b"") -> str:
        """Return what some Python prints in the same environment, with Django set up and `sys` imported."""
        done = self.script(_IN_DJANGO + code, *arguments, stdin=stdin)
        assert done.code == 0, done.err
        return done.out.strip()

    def python(self, *arguments: object, stdin: bytes = b"") -> Done:
        """Run Python in the same environment, from nothing: what is loaded or limited is seen."""
        ended = subprocess.run(
            [sys.executable, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env=self.environ(),
            timeout=TIMEOUT_S,
            check=False,
        )
        return Done(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def make_tables(self) -> None:
        """Do to the admin database what the first `zhuiwen up` does."""
        done = self.script(_PREPARE)
        assert done.code == 0, done.err
        put_tables(self.home / "admin.sqlite3")

    def _done(self, run: Callable[[list[str]], object], arguments: Sequence[object], stdin: bytes) -> Done:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("in", "out", "err")]
            for path, content in zip(files, (stdin, b"", b""), strict=True):
                path.write_bytes(content)
            code = run_command(run, arguments, files, self.environ(), TIMEOUT_S)
            return Done(code, files[1].read_bytes().decode(), files[2].read_bytes().decode())

    def environ(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ZHUIWEN_")}
        return {**inherited, "PYTHONUTF8": "1", "ZHUIWEN_HOME": str(self.home), **self.environment}


@pytest.fixture
def zhuiwen(tmp_path: Path, processes: None) -> CommandLine:
    """The command line of an installation whose services do not run."""
    return CommandLine(tmp_path / "home")
