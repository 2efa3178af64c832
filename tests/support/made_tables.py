"""The admin database as the first `zhuiwen up` makes it: migrated once, copied by every test that needs one.

Django takes 6 s of the processor for it (November 2026), and a run needs some forty. The copy is found by a digest of
all that has a part in it, so a change of a model or of a release makes it anew.
"""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from django.core import management
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections

from tests.support.environment import FOREIGN

_ROOT = Path(__file__).parents[2]
_FOLDER = _ROOT / ".pytest_cache" / "tables"
# Tables and rights come from the models, the permissions of the desk and the packages' own migrations.
_SOURCES = ("records/**/*.py", "webadmin/**/*.py", "requirements*.lock", "tests/support/made_tables.py")


def put_tables(path: Path) -> None:
    """Make a database with all tables and no row of ours at `path`, where none is."""
    shutil.copyfile(_made(), path)
    path.chmod(0o600)


@pytest.fixture(scope="session")
def copied_tables() -> Iterator[pytest.MonkeyPatch]:
    """Until it is undone, the tables of a database in SQLite are copied where Django would migrate it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(management, "call_command", _copied_not_migrated)
        yield patch


def _copied_not_migrated(command: str, *arguments: object, **options: object) -> object:
    connection = connections[str(options.get("database", DEFAULT_DB_ALIAS))]
    if command != "migrate" or connection.vendor != "sqlite":
        return call_command(command, *arguments, **options)
    connection.ensure_connection()
    with sqlite3.connect(_made()) as made:
        made.backup(connection.connection)
    return None


def _made() -> Path:
    digest = sha256()
    for pattern in _SOURCES:
        for path in sorted(_ROOT.glob(pattern)):
            digest.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    made = _FOLDER / f"{digest.hexdigest()[:16]}.sqlite3"
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with (_FOLDER / "lock").open("w") as lock:  # the processes of a run begin at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(made)
    return made


def _make(path: Path) -> None:
    for older in path.parent.glob("*.sqlite3"):
        older.unlink()
    with tempfile.TemporaryDirectory() as home:
        ours = {name: value for name, value in os.environ.items() if name.removeprefix("ZHUIWEN_") not in FOREIGN}
        environment = ours | {"ZHUIWEN_HOME": home, "DJANGO_SETTINGS_MODULE": "webadmin.settings"}
        subprocess.run(
            [sys.executable, "-m", "django", "migrate", "--skip-checks", "--verbosity", "0"],
            env=environment, cwd=_ROOT, check=True,
        )  # fmt: skip
        with sqlite3.connect(Path(home) / "admin.sqlite3") as database, sqlite3.connect(path) as copy:
            database.backup(copy)  # with what still lies in its journal
            copy.execute("PRAGMA journal_mode=DELETE")
