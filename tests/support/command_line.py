"""The command line as its users meet it: a process of its own, with a home folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

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
        return self.python("-c", "from deploy.cli import main; main()", *arguments, stdin=stdin)

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


@pytest.fixture
def zhuiwen(tmp_path: Path) -> CommandLine:
    """The command line of an installation whose services do not run."""
    return CommandLine(tmp_path / "home")
