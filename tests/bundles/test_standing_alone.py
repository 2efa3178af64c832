"""Verification as another machine runs it: no Django, no database, no network."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("django", "pymongo", "redis", "scrapy", "twisted", "celery", "psycopg", "requests", "typst")

# Sockets are closed to the program before it begins.
GUARDED = """
import sys, socket
def closed(*arguments, **named): raise AssertionError("network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = closed
sys.argv = {argv!r}
code = 0
try:
    {run}
except SystemExit as end:
    code = end.code
loaded = sorted(set(name.partition(".")[0] for name in sys.modules) & set({names!r}))
sys.stderr.write("LOADED " + " ".join(loaded))
sys.exit(code)
"""
MODULE = "import runpy; runpy.run_module('bundles.verify', run_name='__main__')"
VERB = "from deploy.cli.app import main; main()"


def run(program: str, *argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = GUARDED.format(argv=list(argv), run=program, names=NAMES)
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(cwd), "LANG": "C"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environ, cwd=cwd, check=False
    )


@pytest.mark.parametrize("begin", [(MODULE, "verify"), (VERB, "zhuiwen", "evidence", "verify")])
def test_it_needs_neither_django_nor_databases_nor_a_network(
    begin: tuple[str, ...], export_file: Path, tmp_path: Path
) -> None:
    done = run(*begin, str(export_file), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.rstrip() == "LOADED"
    assert done.stdout.startswith("HOLDS: case 7")
    assert list(tmp_path.iterdir()) == [export_file]


def test_programs_get_json(export_file: Path, tmp_path: Path) -> None:
    done = run(VERB, "zhuiwen", "evidence", "verify", "--json", str(export_file), cwd=tmp_path)
    said = json.loads(done.stdout)
    assert (said["holds"], said["stamped"], said["case"]) == (True, True, 7)
    export_file.write_bytes(b"PK")
    said = json.loads(run(VERB, "zhuiwen", "evidence", "verify", "--json", str(export_file), cwd=tmp_path).stdout)
    assert said["holds"] is False
    assert said["fault"] == "not_a_container"
    done = run(VERB, "zhuiwen", "evidence", "verify", str(export_file), cwd=tmp_path)
    assert (done.returncode, done.stderr.startswith("DOES NOT HOLD: ")) == (1, True)


def test_the_readers_own_roots_decide(export_file: Path, tmp_path: Path, authority: object) -> None:
    root = tmp_path / "root.pem"
    root.write_bytes(authority.ca_pem)  # type: ignore[attr-defined]
    done = run(VERB, "zhuiwen", "evidence", "verify", "--ca", str(root), str(export_file), cwd=tmp_path)
    assert done.returncode == 0
    root.write_text("no certificate")
    done = run(VERB, "zhuiwen", "evidence", "verify", "--ca", str(root), str(export_file), cwd=tmp_path)
    assert done.returncode == 2
    assert "no PEM certificate" in done.stderr
