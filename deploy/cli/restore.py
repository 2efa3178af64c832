"""The `restore` command, which restores an empty installation from a backup or repairs the stores of another."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from webadmin.backups.cli.backup import chosen_backup, open_place, read_passphrase, say_lacking
from webadmin.ui.console.output import as_json, print_line, progress
from webadmin.ui.console.session import session
from webadmin.ui.console.words import translate_for_console

if TYPE_CHECKING:
    from core.ports import ObjectStore
    from core.settings import Settings
    from deploy.restoration import BackupFiles, RestoreOffer
    from webadmin.backups.services.format import Backup
    from webadmin.backups.services.restoring import RestoreTarget


def restore(
    source: Annotated[str, typer.Argument(metavar="SRC")],
    *,
    chosen: Annotated[str, typer.Option("--backup", metavar="ID")] = "",
    passphrase_file: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    is_asked: Annotated[bool, typer.Option("--passphrase")] = False,
    is_unsealed: Annotated[bool, typer.Option("--unsealed")] = False,
    with_settings: Annotated[bool | None, typer.Option("--with-settings/--without-settings")] = None,
    is_damaged: Annotated[bool, typer.Option("--damaged")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Restore a backup into an empty installation, on the servers in its settings, and read everything back."""
    from core.settings_layers import planned_layers
    from deploy import restoration, services
    from deploy.home import prepare

    passphrase = read_passphrase(passphrase_file, is_asked=is_asked)
    if is_damaged:
        _put_back(source, chosen, passphrase, is_unsealed=is_unsealed, is_json=is_json)
        return
    home = prepare(os.environ, planned_layers)
    store = open_place(source, home.settings)
    restoration.require_rest(home)
    half = restoration.unfinished_restore(home.path)
    restoration.require_no_other(half, chosen)
    wishes = Wishes(half.backup if half else chosen, passphrase, is_unsealed, with_settings)
    with session() as settings:  # the whole backup is verified before anything is written, created or started
        from webadmin.backups.services.restoring import require_no_rows

        if half is None and (settings.services.database_url or settings.sqlite_path.exists()):
            require_no_rows()
        reviewed = review(store, home.path, wishes)
    restoration.start_stores(home, print_line)
    try:
        with session() as settings:
            _write_backup(reviewed, store, settings)
    finally:
        if home.embeds_mongo:
            services.down(home, print_line)


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of a restore. is_unsealed: whether no seal is required. with_settings: None to ask the user."""

    chosen: str = ""
    passphrase: str = field(default="", repr=False)
    is_unsealed: bool = False
    with_settings: bool | None = None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A verified backup, and the decision on the files in it.

    is_proven: whether its seal proves its origin. taken, left: the names of the settings and root certificates that are
    taken over and that are not.
    """

    backup: "Backup"
    files: "BackupFiles"
    offer: "RestoreOffer"
    is_proven: bool
    taken: tuple[str, ...]
    left: tuple[str, ...]


def review(store: "ObjectStore", home: Path, wishes: Wishes) -> Reviewed:
    """Verify a whole backup and ask the user the necessary questions, without changing anything.

    home: the home folder to restore into. Raises BadInput if the backup is damaged or not compatible, or if an option
    is missing, and ServiceUnavailable if its store does not respond.
    """
    from deploy import restoration
    from webadmin.backups.services.restoring import require_whole
    from webadmin.backups.services.verification import require_compatible_manifest

    backup = chosen_backup(store, wishes.chosen)
    require_compatible_manifest(backup.manifest)
    secrets = _open_secrets(backup, wishes.passphrase, is_unsealed=wishes.is_unsealed)
    files = restoration.read_files(store, backup.manifest.files, secrets or b"")
    offer = restoration.offer(home, files, is_proven=secrets is not None)
    is_taking = _is_taking(files, offer, wishes.with_settings)
    with progress(Message("backup.verifying")) as meter:
        require_whole(backup.manifest, store, meter.update)
    taken = (*offer.plain, *(offer.asked if is_taking else ()))
    left = (*offer.left, *(() if is_taking else offer.asked))
    return Reviewed(backup, files, offer, secrets is not None, taken, left)


def _open_secrets(backup: "Backup", passphrase: str, *, is_unsealed: bool) -> bytes | None:
    """Return the content of a backup's seal, or None if the user accepts the backup without it.

    Raises BadInput if there is no seal and `is_unsealed` is false, or if the passphrase is missing or wrong.
    """
    if not backup.seal:
        if not is_unsealed:
            raise BadInput("backup.no-seal", backup=backup.id)
        return None
    if not passphrase and is_unsealed:
        return None
    if not passphrase and sys.stdin.isatty():
        passphrase = read_passphrase(None, is_asked=True)
    if not passphrase:
        raise BadInput("backup.needs-passphrase", backup=backup.id)
    return backup.open_seal(passphrase)


def _is_taking(files: "BackupFiles", offer: "RestoreOffer", with_settings: bool | None) -> bool:
    """Return whether to take over the settings that require confirmation.

    with_settings: the answer, or None to ask. Raises BadInput if the user cannot be asked.
    """
    from deploy import restoration

    if not offer.asked or with_settings is not None:
        return bool(with_settings)
    if not sys.stdin.isatty():
        raise BadInput("backup.decide-settings", names=offer.asked)
    print_line(Message("backup.asked-settings"))
    for line in restoration.describe_settings(files, offer.asked):
        print_line(f"  {line}")
    return typer.confirm(translate_for_console(Message("backup.take-settings")))


def _write_backup(reviewed: Reviewed, store: "ObjectStore", settings: "Settings") -> None:
    from deploy import restoration
    from deploy.home import prepare
    from webadmin.accounts.models import User
    from webadmin.backups.services.restoring import require_empty, settle
    from webadmin.backups.services.restoring import restore as write

    wanted, target = reviewed.backup, _restore_target(settings)
    half, places = restoration.unfinished_restore(settings.home), restoration.digest_places(settings)
    if half is None or half.places != places:
        require_empty(target)
        _require_no_index(settings)
    restoration.begin(settings.home, wanted.id, places)
    with progress(Message("backup.restoring")) as meter:
        records = write(wanted.manifest, store, target, meter.of_part)
    was_on = settle(wanted)
    restoration.put_files(settings.home, reviewed.files, reviewed.taken)
    restoration.forget_what_is_made_anew(prepare(os.environ))
    restoration.end(settings.home)
    print_line(Message("backup.restored", backup=wanted.id, records=records))
    if was_on:
        print_line(Message("backup.plan-off"))
    if reviewed.left:
        print_line(Message("backup.not-taken", names=reviewed.left))
    if reviewed.offer.refused:
        print_line(Message("backup.never-taken", names=reviewed.offer.refused))
    if "secret_key" not in reviewed.taken:
        for line in _lost_secrets():
            print_line(line)
    say_lacking(wanted.manifest.lacking)
    if not reviewed.is_proven:  # anybody with write access to the backup may have added an account
        names = list(User.objects.filter(is_superuser=True, is_active=True).values_list("username", flat=True))
        print_line(Message("backup.administrators", names=names))
    print_line(Message("backup.now-up"))


def _put_back(source: str, chosen: str, passphrase: str, *, is_unsealed: bool, is_json: bool) -> None:
    """Repair damaged and missing data in the stores of the installation with data from a backup."""
    with session() as settings:
        from webadmin.backups.models.backup import installation_key
        from webadmin.backups.services.mending import repair_stores

        store = open_place(source, settings)
        wanted = chosen_backup(store, chosen)
        _open_secrets(wanted, passphrase, is_unsealed=is_unsealed)
        with progress(Message("backup.mending")) as meter:
            mended = repair_stores(wanted.manifest, store, _restore_target(settings), installation_key(), meter.of_part)
    if is_json:
        as_json({"backup": wanted.id, "put_back": mended.put_back, "looked_at": mended.looked_at})
        return
    for each in mended.put_back:
        print_line(each)
    print_line(Message("backup.put-back", backup=wanted.id, count=len(mended.put_back), looked_at=mended.looked_at))


def _restore_target(settings: "Settings") -> "RestoreTarget":
    from pagestore.connection import connect
    from pagestore.opening import open_raw_bodies
    from webadmin import stores
    from webadmin.backups.services.restoring import RestoreTarget

    database = connect(settings.mongo_url)
    raw = open_raw_bodies(database, settings.services.raw_url, settings.s3)
    return RestoreTarget(database, stores.evidence_store(), raw)


def _require_no_index(settings: "Settings") -> None:
    """Raise BadInput if an external Redis contains an index, which may belong to another installation."""
    from pipeline.connections import match_index

    if not (settings.services.embeds_redis and not settings.services.index_url) and (
        match_index(settings).state().generation
    ):
        raise BadInput("backup.index-not-empty")


def _lost_secrets() -> list[Message]:
    """Return messages on the data that must be entered again, because the secret key was not taken over."""
    from webadmin.sites.models import SiteProxy

    sites = list(SiteProxy.objects.exclude(sealed_password="").values_list("site__name", flat=True).distinct()[:10])
    lines = [Message("backup.secrets-again")]
    return [*lines, Message("backup.proxies-again", sites=sites)] if sites else lines
