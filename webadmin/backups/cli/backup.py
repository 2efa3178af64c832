"""The `backup` command, and the options that `restore` shares with it: destination, backup and passphrase."""

from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, UnreadableFile
from core.wording import Message
from webadmin.ui.console.faults import complain
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import as_json, print_line, progress
from webadmin.ui.console.session import session, settings_alone
from webadmin.ui.console.words import translate_for_console

if TYPE_CHECKING:
    from core.ports import ObjectStore
    from core.settings import Settings
    from webadmin.backups.services.format import Backup

SHOWN_FAULTS = 20
UNPROVEN = 3  # the exit code that `evidence verify` returns for a valid export without a timestamp
MAX_PASSPHRASE_BYTES = 10_000


def backup(
    destination: Annotated[str, typer.Argument(metavar="DEST")],
    *,
    is_check: Annotated[bool, typer.Option("--verify")] = False,
    is_list: Annotated[bool, typer.Option("--list")] = False,
    keep: Annotated[int | None, typer.Option(min=1, max=100_000, metavar="N")] = None,
    chosen: Annotated[str, typer.Option("--backup", metavar="ID")] = "",
    passphrase_file: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    is_asked: Annotated[bool, typer.Option("--passphrase")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Copy all stored data to a folder or S3 while the services run. Unchanged pieces are not copied again.

    --list: list the backups at the destination instead. --verify: verify a backup instead. --keep: afterwards, remove
    all but the newest N backups.
    """
    if is_list:
        raise typer.Exit(_list_backups(open_place(destination, settings_alone()), settings_alone(), is_json=is_json))
    if is_check:
        passphrase = read_passphrase(passphrase_file, is_asked=is_asked)
        raise typer.Exit(_verify_backup(open_place(destination, settings_alone()), chosen, passphrase, is_json=is_json))
    _make_backup(destination, keep, read_passphrase(passphrase_file, is_asked=is_asked, twice=True), is_json=is_json)


def _make_backup(destination: str, keep: int | None, passphrase: str, *, is_json: bool) -> None:
    with session() as settings:
        from webadmin.backups.services.runs import BackupRequest, back_up, has_key

        with progress(Message("backup.copying")) as meter:
            made, removed, warning = back_up(BackupRequest(destination, passphrase, keep), settings, meter.of_part)
    manifest = made.backup.manifest
    if is_json:
        counts = {"records": made.records, "bytes": made.bytes, "new_bytes": made.new_bytes, "removed": removed}
        as_json({"backup": made.backup.id, **counts, "lacking": manifest.lacking, "files": sorted(manifest.files),
                 "is_sealed": bool(made.backup.seal)})  # fmt: skip
    else:
        print_line(
            Message("backup.made", backup=made.backup.id, records=made.records, size=made.bytes, new=made.new_bytes)
        )
        if removed:
            print_line(Message("backup.removed", count=removed))
        if warning is not None:
            print_line(warning, err=True)
        if not passphrase:
            print_line(Message("backup.without-secrets"), err=True)
        elif not has_key(settings.home):
            print_line(Message("backup.without-key"), err=True)
        say_lacking(manifest.lacking)
    raise typer.Exit(1 if manifest.lacking else 0)


def _list_backups(store: "ObjectStore", settings: "Settings", *, is_json: bool) -> int:
    from webadmin.backups.services.format import DamagedBackup, list_backups, load_backup

    found, faults = [], 0
    for key in list_backups(store):
        try:
            found.append(load_backup(store, key))
        except DamagedBackup as fault:  # The other backups are listed anyway.
            complain(fault)
            faults += 1
    print_list(found, _COLUMNS, settings, is_json=is_json)
    return 1 if faults else 0


def _record_count(backup: "Backup") -> int:
    return sum(part.records for part in backup.manifest.parts)


def _byte_count(backup: "Backup") -> int:
    return sum(piece.size_bytes for piece in set(backup.manifest.pieces))


_COLUMNS = (
    ConsoleColumn("backup", "column.backup", "id"),
    ConsoleColumn(
        "snapshot_at",
        "column.as-of",
        lambda backup: backup.manifest.snapshot_at.isoformat(timespec="seconds"),
        "manifest.snapshot_at",
    ),
    ConsoleColumn(
        "records", "column.records", _record_count, lambda backup: f"{_record_count(backup):,}", is_number=True
    ),
    ConsoleColumn("bytes", "column.bytes", _byte_count, lambda backup: f"{_byte_count(backup):,}", is_number=True),
    ConsoleColumn(
        "is_sealed",
        "column.seal",
        lambda backup: bool(backup.seal),
        lambda backup: Message("backup.yes" if backup.seal else "backup.no"),
    ),
    ConsoleColumn("program", "column.program", "manifest.program"),
)


def _verify_backup(store: "ObjectStore", chosen: str, passphrase: str, *, is_json: bool) -> int:
    """Verify a backup and return the exit code.

    chosen: as in `chosen_backup`. The code is 0 for a valid backup with a seal opened by the passphrase, 1 for an
    invalid one, 3 for a valid one of unproven origin.
    """
    with session():
        from webadmin.backups.services.format import DamagedBackup
        from webadmin.backups.services.verification import verify

        wanted = chosen_backup(store, chosen)
        faults: list[Message] = []
        if passphrase and not wanted.seal:
            faults.append(Message("backup.no-seal-there"))
        elif passphrase:
            try:
                wanted.open_seal(passphrase)
            except DamagedBackup as error:
                faults.append(error.message)
        with progress(Message("backup.verifying")) as meter:
            seen = verify(wanted.manifest, store, meter.update)
    faults += seen.faults
    seal, doubt = ("unproven", "backup.seal-unproven") if wanted.seal else ("none", "backup.seal-none")
    if wanted.seal and passphrase:
        seal, doubt = "holds", ""
    code = 1 if faults else UNPROVEN if doubt else 0
    if is_json:
        as_json({"backup": wanted.id, "records": seen.records, "bytes": seen.bytes, "faults": faults,
                 "lacking": seen.lacking, "holds": not faults, "seal": seal})  # fmt: skip
        return code
    for each in faults[:SHOWN_FAULTS]:
        print_line(each)
    if len(faults) > SHOWN_FAULTS:
        print_line(Message("backup.more-faults", count=len(faults) - SHOWN_FAULTS))
    say_lacking(seen.lacking)
    if faults:
        print_line(Message("backup.does-not-hold", backup=wanted.id, count=len(faults)))
        return code
    print_line(Message("backup.holds", backup=wanted.id, records=seen.records, size=seen.bytes))
    if doubt:
        print_line(Message(doubt))
    return code


def chosen_backup(store: "ObjectStore", wanted: str) -> "Backup":
    """Return the backup whose id begins with `wanted`, or the newest for "".

    Raises BadInput if there is none or there are several.
    """
    from webadmin.backups.services.format import list_backups, load_backup

    keys = list_backups(store)
    if not keys:
        raise BadInput("backup.none-there")
    if not wanted:
        return load_backup(store, keys[-1])
    found = [key for key in keys if key.removeprefix("backups/").startswith(wanted)]
    if len(found) != 1:
        raise BadInput("backup.no-such" if not found else "backup.several", backup=wanted)
    return load_backup(store, found[0])


def open_place(destination: str, settings: "Settings") -> "ObjectStore":
    from webadmin.backups.services.destinations import open_destination

    return open_destination(destination, settings)


def read_passphrase(file: Path | None, *, is_asked: bool, twice: bool = False) -> str:
    """Return the passphrase of the seal, or "" if none was requested.

    file: contains the passphrase in its first line. is_asked: ask on the terminal. twice: ask twice. Raises BadInput if
    it is too short or was entered differently, UnreadableFile if the file cannot be read.
    """
    from webadmin.backups.services.sealing import require_passphrase

    if file is not None:
        try:
            with file.open("rb") as opened:
                read = opened.read(MAX_PASSPHRASE_BYTES).decode("utf-8")
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else Message("backup.no-text")
            raise UnreadableFile(file, Message("core.verbatim", text=reason)) from error
        return require_passphrase(read.partition("\n")[0].rstrip("\r"))
    if not is_asked:
        return ""
    given = require_passphrase(getpass(f"{translate_for_console(Message('backup.passphrase'))} "))
    if twice and getpass(f"{translate_for_console(Message('backup.passphrase-again'))} ") != given:
        raise BadInput("backup.passphrases-differ")
    return given


def say_lacking(lacking: tuple[str, ...]) -> None:
    if lacking:
        print_line(Message("backup.lacking", count=len(lacking), keys=lacking[:5]), err=True)
