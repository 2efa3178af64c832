"""The files of the embedded stores: whether SQLite finds them whole, and whether their rows are what they were."""

import logging
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.db import DatabaseError, InterfaceError, connection

from core.ledger import Change, Ledger
from core.ledger_notes import Table, begin, is_begun
from core.settings import Settings
from core.sqlite_files import integrity_faults
from core.wording import Message
from pipeline.checking.context import MAX_CASES, CheckContext
from pipeline.checking.damage import Damage, Kind, Remedy, Store, Tell
from records.checks import known_damages
from records.models.bundle import AppendOnly

log = logging.getLogger("zhuiwen.checking")

_KINDS = {
    Change.CHANGED: Kind.CHANGED,
    Change.MISSING: Kind.MISSING,
    Change.ADDED: Kind.ADDED,
    Change.UNREADABLE: Kind.UNREADABLE,
}
MAX_DETAIL_CHARS = 300
LOOK_S = 10.0  # chosen: SQLite reads some 8 GB that are in memory in it (docs/figures.md)


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A file of an embedded store."""

    store: Store
    path: Path

    @property
    def name(self) -> str:
        return self.path.name


def sqlite_files(settings: Settings) -> list[SqliteFile]:
    """Those of an installation, as far as its stores are embedded and there."""
    found = []
    if connection.vendor == "sqlite":
        found.append(SqliteFile(Store.ADMIN, Path(str(connection.settings_dict["NAME"]))))
    if settings.services.embeds_mongo:
        found += [SqliteFile(Store.PAGES, path) for path in sorted((settings.home / "mongo").glob("*.db"))]
    return [each for each in found if each.path.is_file()]


def check_files(context: CheckContext) -> None:
    """Ask SQLite whether each file is whole; a store of which one is not is written to no more.

    On nights when it is not the turn of a file it is looked at briefly, and what is known of it is remembered.
    """
    files, step = sqlite_files(context.settings), context.step("checking.step-files")
    known = _known()
    for done, file in enumerate(files):
        step(done, len(files))
        if not context.part.is_turn_of(0 if file.store is Store.ADMIN else 3):
            if (file.store.value, file.name) in known or integrity_faults(file.path, most=1, seconds=LOOK_S):
                context.unwritable.add(file.store)
            continue
        faults = integrity_faults(file.path)
        if not faults:
            continue
        log.error("%s is damaged: %s", file.path, "; ".join(faults))
        detail = "; ".join(" ".join(fault.split()) for fault in faults)[:MAX_DETAIL_CHARS]
        context.unwritable.add(file.store)
        context.report.add(Damage(file.store, file.name, "", Kind.UNREADABLE, Remedy.RESTORE, detail=detail))
    step(len(files), len(files))


def _known() -> set[tuple[str, str]]:
    """Store and place of the whole things that are known to be damaged; none where nobody can say."""
    try:
        return {(each["store"], each["place"]) for each in known_damages() if not each["key"]}
    except (DatabaseError, InterfaceError):
        return set()


def check_rows(context: CheckContext) -> None:
    """Hold the rows of every file against the account of them."""
    files, step = sqlite_files(context.settings), context.step("checking.step-rows")
    work = [(file, table) for file in files for table in _tables(file, context)]
    for done, (file, table) in enumerate(work):
        step(done, len(work))
        if context.part.has(f"{file.name}:{table.name}"):
            _check_table(file, table, context)
    step(len(work), len(work))


def begin_accounts(settings: Settings) -> None:
    """Have the admin database keep account of its rows, where it is a file; the page store's does so by itself."""
    for file in sqlite_files(settings):
        if file.store is Store.ADMIN:
            begin(file.path)


def accept_tables(settings: Settings, tell: Tell) -> int:
    """Take every row in as it is, whatever changed it; how many rows there are."""
    rows = 0
    for file in sqlite_files(settings):
        begin(file.path)
        with Ledger(file.path) as ledger:
            tables = ledger.tables()
            for done, table in enumerate(tables):
                tell(Message("checking.step-rows"), done, len(tables))
                rows += ledger.accept(table)
            ledger.forget_dropped()
    return rows


def _tables(file: SqliteFile, context: CheckContext) -> list[Table]:
    try:
        if file.store is Store.ADMIN and context.may_write(file.store):
            begin(file.path)
        if not is_begun(file.path):
            return []
        with Ledger(file.path) as ledger:
            for name in ledger.dropped():
                context.report.add(Damage(file.store, name, "", Kind.MISSING, Remedy.RESTORE))
            return ledger.tables()
    except sqlite3.Error as error:
        context.report.add(Damage(file.store, file.name, "", Kind.UNREADABLE, Remedy.RESTORE, detail=str(error)))
        return []


def _check_table(file: SqliteFile, table: Table, context: CheckContext) -> None:
    is_kept = table.name in _kept_rows()
    try:
        with Ledger(file.path) as ledger:
            for found in ledger.read(table, may_write=file.store not in context.unwritable, keeps_rows=is_kept):
                cases = _cases(table, found.key) if file.store is Store.ADMIN else ()
                kind, key = _KINDS[found.change], _key(table, found.key)
                context.report.add(Damage(file.store, found.table, key, kind, Remedy.RESTORE, cases))
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            log.warning("%s was busy and is read another time: %s", table.name, error)
            return
        context.report.add(Damage(file.store, table.name, "", Kind.UNREADABLE, Remedy.RESTORE, detail=str(error)))


def _kept_rows() -> frozenset[str]:
    """The tables of which the product takes no row away."""
    return frozenset(model._meta.db_table for model in apps.get_models() if issubclass(model, AppendOnly))


def _key(table: Table, key: str) -> str:
    """What a reader knows a row by."""
    return key.partition(" ")[2].strip('"') if table.label else key


def _cases(table: Table, key: str) -> tuple[int, ...]:
    """The case that a row belongs to, where it has one and can still be read."""
    model = next((each for each in apps.get_models() if each._meta.db_table == table.name), None)
    if model is None:
        return ()
    if model._meta.label == "records.Case":
        return (int(key),)
    try:
        return tuple(_case_ids(model, key))[:MAX_CASES]
    except (DatabaseError, ValueError, TypeError):
        return ()


def _case_ids(model: type, key: str) -> Iterator[int]:
    if any(field.name == "case" for field in model._meta.get_fields()):  # type: ignore[attr-defined]
        rows = model._default_manager.filter(pk=key)  # type: ignore[attr-defined]
        yield from rows.exclude(case=None).values_list("case_id", flat=True)
