"""Test which errors of the admin database pass and which are our fault: both drivers raise one class for either."""

import sqlite3
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError, connection

from webadmin.database import is_outage, lacks_tables, retry_outages
from webadmin.sites.services import outages


def raised_by(cause: Exception) -> OperationalError:
    """As Django raises what a driver raised."""
    error = OperationalError(*cause.args)
    error.__cause__ = cause
    return error


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "admin.sqlite3") as made:
        made.execute("CREATE TABLE t (a)")
    made.close()
    return tmp_path / "admin.sqlite3"


def asked(file: Path, *statements: str) -> OperationalError:
    connection = sqlite3.connect(file, timeout=0)
    try:
        for each in statements[:-1]:
            connection.execute(each)
        with pytest.raises(sqlite3.OperationalError) as failed:
            connection.execute(statements[-1])
    finally:
        connection.close()
    return raised_by(failed.value)


def test_a_file_that_another_holds_or_that_is_full_passes(file: Path) -> None:
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert is_outage(asked(file, "INSERT INTO t VALUES (1)"))
    holder.close()
    assert is_outage(asked(file, "PRAGMA max_page_count = 1", "INSERT INTO t VALUES (zeroblob(100000))"))


@pytest.mark.parametrize("statement", ["SELECT b FROM t", "SELECT 1 FROM u"])
def test_a_wrong_question_to_sqlite_does_not_pass(file: Path, statement: str) -> None:
    error = asked(file, statement)
    assert not is_outage(error)
    assert lacks_tables(error), "zhuiwen up makes it"
    assert outages.outage_message(error) is None


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (psycopg.errors.AdminShutdown, True),
        (psycopg.errors.CannotConnectNow, True),
        (psycopg.errors.ConnectionFailure, True),
        (psycopg.errors.TooManyConnections, True),
        (psycopg.errors.DiskFull, True),
        (psycopg.errors.DeadlockDetected, True),
        (psycopg.errors.LockNotAvailable, True),
        (psycopg.OperationalError, True),
        (psycopg.errors.QueryCanceled, False),
        (psycopg.errors.ProgramLimitExceeded, False),
        (psycopg.errors.UndefinedFile, False),
    ],
)
def test_of_what_postgresql_says_the_states_of_outages_pass(error: type[psycopg.Error], passes: bool) -> None:
    assert is_outage(raised_by(error("said"))) is passes


@pytest.mark.django_db
def test_a_wrong_question_is_asked_once() -> None:
    calls: list[int] = []

    def wrong() -> None:
        calls.append(1)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(60)")  # cancelled
            cursor.execute(f"SELECT {'(' * 2000}1{')' * 2000}")  # SQLite: parser stack overflow

    with pytest.raises(OperationalError):
        retry_outages(wrong, lambda: len(calls) < 3)
    assert len(calls) == 1
