"""The verbs `backup` and `restore`."""

import os
import sys
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, UnreadableFile
from core.wording import Message
from deploy.cli.output import Meter, as_json, say, table
from deploy.cli.session import local_time, session, settings_alone
from deploy.words import worded

if TYPE_CHECKING:
    from core.ports import ObjectStore
    from core.settings import Settings
    from records.backups.format import Backup
    from records.backups.restoring import Target

SHOWN_FAULTS = 20
MAX_PASSPHRASE_BYTES = 10_000


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    app.command("backup")(backup)
    app.command("restore")(restore)


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
    """Copy all that is stored into a folder or S3, while everything goes on; what is there is not written again."""
    if is_list:
        _list(_opened(destination, settings_alone()), settings_alone(), is_json=is_json)
    elif is_check:
        raise typer.Exit(_verify(_opened(destination, settings_alone()), chosen, is_json=is_json))
    else:
        _make(destination, keep, _passphrase(passphrase_file, is_asked=is_asked, twice=True), is_json=is_json)


def restore(
    source: Annotated[str, typer.Argument(metavar="SRC")],
    *,
    chosen: Annotated[str, typer.Option("--backup", metavar="ID")] = "",
    passphrase_file: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    is_asked: Annotated[bool, typer.Option("--passphrase")] = False,
    is_damaged: Annotated[bool, typer.Option("--damaged")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Make an empty installation of a backup, on the servers that its settings name; all is read back."""
    from core.settings_layers import planned
    from deploy import restoration, services
    from deploy.home import prepare

    if is_damaged:
        _put_back(source, chosen, is_json=is_json)
        return
    passphrase = _passphrase(passphrase_file, is_asked=is_asked, twice=False)
    home = prepare(os.environ, planned)
    store = _opened(source, home.settings)
    restoration.require_rest(home)
    half = restoration.begun(home.path)
    restoration.require_no_other(half, chosen)
    wanted = _chosen(store, half.backup if half else chosen)
    restoration.start_stores(home, say)
    try:
        with session() as settings:
            _restored(wanted, store, settings, passphrase)
    finally:
        if home.embeds_mongo:
            services.down(home, say)


def _make(destination: str, keep: int | None, passphrase: str, *, is_json: bool) -> None:
    with session() as settings:
        from records.backups.home_files import has_key
        from records.backups.runs import Asked, back_up

        meter = _Meter(Message("backup.copying"))
        try:
            made, removed, warning = back_up(Asked(destination, passphrase, keep), settings, meter.of_part)
        finally:
            meter.close()
    manifest = made.backup.manifest
    if is_json:
        counts = {"records": made.records, "bytes": made.bytes, "new_bytes": made.new_bytes, "removed": removed}
        as_json({"backup": made.backup.id, **counts, "lacking": manifest.lacking, "files": sorted(manifest.files)})
    else:
        say(Message("backup.made", backup=made.backup.id, records=made.records, size=made.bytes, new=made.new_bytes))
        if removed:
            say(Message("backup.removed", count=removed))
        if warning is not None:
            say(warning, err=True)
        if not passphrase:
            say(Message("backup.without-secrets"), err=True)
        elif not has_key(settings.home):
            say(Message("backup.without-key"), err=True)
        _say_lacking(manifest.lacking)
    raise typer.Exit(1 if manifest.lacking else 0)


def _list(store: "ObjectStore", settings: "Settings", *, is_json: bool) -> None:
    from records.backups.format import backups_at, load

    found = [load(store, key) for key in backups_at(store)]
    rows = [
        {
            "backup": each.id,
            "snapshot_at": each.manifest.snapshot_at.isoformat(timespec="seconds"),
            "records": sum(part.records for part in (*each.manifest.tables, *each.manifest.collections)),
            "bytes": sum(piece.size_bytes for piece in set(each.manifest.pieces)),
            "has_secrets": "secrets.toml" in each.manifest.files,
            "program": each.manifest.program,
        }
        for each in found
    ]
    if is_json:
        as_json(rows)
        return
    columns = ("column.backup", "column.as-of", "column.records", "column.bytes", "column.secrets", "column.program")
    cells = [
        (
            row["backup"],
            local_time(each.manifest.snapshot_at, settings),
            f"{row['records']:,}",
            f"{row['bytes']:,}",
            Message("backup.yes" if row["has_secrets"] else "backup.no"),
            row["program"],
        )
        for row, each in zip(rows, found, strict=True)
    ]
    table(columns, cells, right=("column.records", "column.bytes"))


def _verify(store: "ObjectStore", chosen: str, *, is_json: bool) -> int:
    with session():
        from records.backups.verification import verify

        wanted = _chosen(store, chosen)
        meter = _Meter(Message("backup.verifying"))
        try:
            seen = verify(wanted.manifest, store, meter.at)
        finally:
            meter.close()
    if is_json:
        as_json({"backup": wanted.id, "records": seen.records, "bytes": seen.bytes, "faults": list(seen.faults),
                 "lacking": seen.lacking, "holds": not seen.faults})  # fmt: skip
        return 1 if seen.faults else 0
    for fault in seen.faults[:SHOWN_FAULTS]:
        say(fault)
    if len(seen.faults) > SHOWN_FAULTS:
        say(Message("backup.more-faults", count=len(seen.faults) - SHOWN_FAULTS))
    _say_lacking(seen.lacking)
    if seen.faults:
        say(Message("backup.does-not-hold", backup=wanted.id, count=len(seen.faults)))
        return 1
    say(Message("backup.holds", backup=wanted.id, records=seen.records, size=seen.bytes))
    return 0


def _restored(wanted: "Backup", store: "ObjectStore", settings: "Settings", passphrase: str) -> None:
    from deploy import restoration
    from deploy.home import prepare
    from records.backups.restoring import require_empty, require_fitting, settle
    from records.backups.restoring import restore as write
    from records.code_version import code_version

    manifest = wanted.manifest
    require_fitting(manifest, code_version())
    files = restoration.contents(store, manifest.files, passphrase)  # a wrong passphrase is told before hours of work
    target = _target(settings)
    half, places = restoration.begun(settings.home), restoration.places_of(settings)
    if half is None or half.places != places:
        require_empty(target)
        _require_no_index(settings)
    restoration.begin(settings.home, wanted.id, places)
    meter = _Meter(Message("backup.restoring"))
    try:
        records = write(manifest, store, target, meter.of_part)
    finally:
        meter.close()
    was_on = settle(wanted)
    taken = restoration.put_files(settings.home, files)
    restoration.forget_what_is_made_anew(prepare(os.environ))
    restoration.end(settings.home)
    say(Message("backup.restored", backup=wanted.id, records=records))
    if was_on:
        say(Message("backup.plan-off"))
    if taken.not_taken:
        say(Message("backup.not-taken", names=taken.not_taken))
    if "secrets.toml" not in files:
        for line in _to_enter_again():
            say(line)
    _say_lacking(manifest.lacking)
    say(Message("backup.now-up"))


def _put_back(source: str, chosen: str, *, is_json: bool) -> None:
    """Into the installation as it runs, what is damaged or gone in its stores."""
    with session() as settings:
        from records.backups.installation import installation_key
        from records.backups.mending import mend

        store = _opened(source, settings)
        wanted = _chosen(store, chosen)
        meter = _Meter(Message("backup.mending"))
        try:
            mended = mend(wanted.manifest, store, _target(settings), installation_key(), meter.of_part)
        finally:
            meter.close()
    if is_json:
        as_json({"backup": wanted.id, "put_back": mended.put_back, "looked_at": mended.looked_at})
        return
    for each in mended.put_back:
        say(each)
    say(Message("backup.put-back", backup=wanted.id, count=len(mended.put_back), looked_at=mended.looked_at))


def _target(settings: "Settings") -> "Target":
    from pagestore.connection import connect
    from pagestore.opening import open_raw_bodies
    from records import stores
    from records.backups.restoring import Target

    database = connect(settings.mongo_url)
    raw = open_raw_bodies(database, settings.services.raw_url, settings.s3)
    return Target(database, stores.evidence_store(), raw)


def _require_no_index(settings: "Settings") -> None:
    """A Redis that runs elsewhere may hold the index of another installation; the embedded one is made anew."""
    from pipeline.wiring import match_index

    if not (settings.services.embeds_redis and not settings.services.index_url) and (
        match_index(settings).state().generation
    ):
        raise BadInput("backup.index-not-empty")


def _to_enter_again() -> list[Message]:
    """What only the secrets would have opened."""
    from records.models import SiteProxy

    sites = list(SiteProxy.objects.exclude(sealed_password="").values_list("site__name", flat=True).distinct()[:10])
    lines = [Message("backup.secrets-again")]
    return [*lines, Message("backup.proxies-again", sites=sites)] if sites else lines


def _chosen(store: "ObjectStore", wanted: str) -> "Backup":
    """The backup that begins so; the newest where nothing is said. Raises BadInput."""
    from records.backups.format import backups_at, load

    keys = backups_at(store)
    if not keys:
        raise BadInput("backup.none-there")
    if not wanted:
        return load(store, keys[-1])
    found = [key for key in keys if key.removeprefix("backups/").startswith(wanted)]
    if len(found) != 1:
        raise BadInput("backup.no-such" if not found else "backup.several", backup=wanted)
    return load(store, found[0])


def _opened(destination: str, settings: "Settings") -> "ObjectStore":
    from records.backups.destinations import open_destination

    return open_destination(destination, settings)


def _passphrase(file: Path | None, *, is_asked: bool, twice: bool) -> str:
    """What secrets are encrypted with; "" where none is wanted. Raises BadInput."""
    from records.backups.sealing import require_passphrase

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
    given = require_passphrase(getpass(f"{worded(Message('backup.passphrase'))} "))
    if twice and getpass(f"{worded(Message('backup.passphrase-again'))} ") != given:
        raise BadInput("backup.passphrases-differ")
    return given


def _say_lacking(lacking: tuple[str, ...]) -> None:
    if lacking:
        say(Message("backup.lacking", count=len(lacking), keys=lacking[:5]), err=True)


class _Meter:
    """How far it is: moving on a terminal, elsewhere a line when a part is done."""

    def __init__(self, label: Message) -> None:
        self._meter = Meter(label)
        self._is_terminal = sys.stderr.isatty()

    def of_part(self, part: str, done: int, total: int) -> None:
        if self._is_terminal or (done >= total and total):
            self._meter.text(Message("backup.progress", part=part, done=done, total=total))

    def at(self, done: int, total: int) -> None:
        self._meter.at(done, total)

    def close(self) -> None:
        self._meter.close()
