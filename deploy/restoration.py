"""Prepares an installation for `zhuiwen restore` and restores its files while only the page store runs."""

import json
import shutil
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.x509 import load_pem_x509_certificates

from core.errors import BadInput
from core.ids import Digest, digest
from core.known_settings import HOME, known_settings, mask_secrets
from core.ports import ObjectStore
from core.private_files import write_privately
from core.settings import Settings
from core.settings_layers import (
    SECRETS_FILE,
    SETTINGS_FILE,
    Layer,
    Layers,
    SettingOrigin,
    Value,
    file_layers,
    file_values,
)
from core.settings_loading import read_leniently
from deploy import services
from deploy.home import HEAD_OF_SECRETS, Home
from deploy.services import OnProgress, preparation
from deploy.services.supervision import Supervisor
from deploy.settings_files import change

if TYPE_CHECKING:
    from webadmin.backups.services.format import BackupPiece

ROOTS = "authorities"  # the folder of root certificates of timestamp authorities, in the home folder
MARK = "restoring.json"  # in the home folder while a restore is incomplete
# Settings that are never restored: where the stores are. The stores of the old installation still contain its data.
PLACES = frozenset({HOME, "mongo_url", "redis_url", "index_url", "database_url", "evidence_url", "raw_url"})


# Settings that name a program to run or protect the installation; only a person at this machine may set them.
PROGRAMS_AND_GUARDS = frozenset(
    {"chromium", "allow_private_hosts", "allow_private_tsa", "allowed_hosts", "trusted_origins", "https", "web_host"}
)
# Allowed values of settings that name no program, folder, host or key.
HARMLESS = frozenset({"config.number", "config.whole-number", "config.one-of", "config.time-zone"})
MAX_FILE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class BackupFiles:
    """The files of a backup for the home folder, which are not trusted yet. roots: root certificates by file name."""

    settings: Mapping[str, Any]
    secrets: Mapping[str, Any] = field(repr=False)
    roots: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class RestoreOffer:
    """The settings in the files of a backup, grouped by whether they may be taken over.

    plain: taken over without confirmation. asked: taken over only if a person confirms, because they name folders,
    hosts or keys. refused: never taken over, because they name programs or protect the installation. left: not offered,
    because they name the stores, this installation sets them, or their values are not allowed.
    """

    plain: tuple[str, ...]
    asked: tuple[str, ...]
    refused: tuple[str, ...]
    left: tuple[str, ...]


def require_rest(home: Home) -> None:
    """Raise BadInput if a process other than the page store runs, because it could write during the restore."""
    running = [name for name, info in Supervisor(home).infos().items() if info["pid"] and name != "mongo"]
    if running:
        raise BadInput("backup.runs", names=sorted(running))


@dataclass(frozen=True, slots=True)
class Begun:
    """An unfinished restore. backup: the backup's ID. places: a digest of the databases and stores it writes to."""

    backup: str
    places: str


def unfinished_restore(home: Path) -> Begun | None:
    """Return the unfinished restore of this home folder, or None.

    Raises BadInput if the file that marks it cannot be read.
    """
    try:
        values = json.loads((home / MARK).read_text("utf-8"))
        return Begun(str(values["backup"]), str(values["places"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput("backup.garbled-mark", path=home / MARK) from error


def require_ended(home: Path) -> None:
    """Raise BadInput if there is an unfinished restore."""
    if (half := unfinished_restore(home)) is not None:
        raise BadInput("backup.half-restored", backup=half.backup)


def require_no_other(half: Begun | None, chosen: str) -> None:
    """Raise BadInput if a restore of another backup is unfinished, because the data of both would be mixed.

    chosen: the beginning of the requested backup's ID, or "" for any.
    """
    if half is not None and chosen and not half.backup.startswith(chosen):
        raise BadInput("backup.another-begun", backup=half.backup, chosen=chosen)


def digest_places(settings: Settings) -> Digest:
    """Return a digest of the addresses of the databases and stores that a restore writes to.

    If it differs from the digest of an unfinished restore, their data do not come from that restore.
    """
    services = settings.services
    database = services.database_url or str(settings.sqlite_path)
    places = [database, settings.mongo_url, services.raw_url, settings.evidence.url]
    return digest(json.dumps(places).encode())


def begin(home: Path, backup: str, places: str) -> None:
    write_privately(home / MARK, json.dumps({"backup": backup, "places": places}))


def end(home: Path) -> None:
    (home / MARK).unlink(missing_ok=True)


def start_stores(home: Home, on_progress: OnProgress) -> None:
    """Start the embedded page store, if there is one, and create the tables of the admin database."""
    if home.embeds_mongo:
        services.up(home, on_progress, only=("mongo",))
    migrate = preparation.steps(is_alone=False)[0]
    on_progress(migrate.name)
    preparation.run(home, migrate)


def forget_what_is_made_anew(home: Home) -> None:
    """Delete the data of the embedded Redis and the cache, which the next `up` rebuilds from the stores."""
    for name in ("redis", "cache"):
        shutil.rmtree(home.path / name, ignore_errors=True)
    (home.path / "redis").mkdir(mode=0o700, exist_ok=True)


def read_files(store: ObjectStore, pieces: Mapping[str, "BackupPiece"], secrets: bytes) -> BackupFiles:
    """Return the files of a backup.

    pieces: the files of the backup by name, without the secrets. secrets: the content of its seal. Raises DamagedBackup
    if a file is too large or cannot be parsed.
    """
    from webadmin.backups.services.format import DamagedBackup, read_content

    if big := [name for name, piece in pieces.items() if piece.content_bytes > MAX_FILE_BYTES]:
        raise DamagedBackup("backup.no-file", name=big[0])
    kept = {name: read_content(store, piece) for name, piece in pieces.items()}
    readers: dict[str, Callable[[bytes], Any]] = dict.fromkeys(kept, load_pem_x509_certificates)
    readers |= {name: lambda content: tomllib.loads(content.decode("utf-8")) for name in (SETTINGS_FILE, SECRETS_FILE)}
    read: dict[str, Any] = {}
    for name, content in {SETTINGS_FILE: b"", SECRETS_FILE: secrets, **kept}.items():
        try:
            read[name] = readers[name](content)
        except (ValueError, RecursionError) as error:
            raise DamagedBackup("backup.no-file", name=name) from error
    roots = {name: content for name, content in kept.items() if name != SETTINGS_FILE}
    return BackupFiles(read[SETTINGS_FILE], read[SECRETS_FILE], roots)


def offer(home: Path, files: BackupFiles, *, is_proven: bool) -> RestoreOffer:
    """Return the settings and root certificates of a backup, grouped by whether they may be taken over.

    is_proven: whether the origin of the backup is proven; if not, each of them requires confirmation.
    """
    said = {name for layer in file_layers(home) for name in layer.values} - {"secret_key"}
    given = {**files.settings, **files.secrets}
    values = file_values(given)
    fitting = [name for name in values if name not in said | PLACES and _is_allowed(home, name, values[name])]
    refused = tuple(name for name in fitting if name in PROGRAMS_AND_GUARDS)
    known = known_settings()
    plain = tuple(
        name for name in fitting if is_proven and name not in refused and known[name].allowed.code in HARMLESS
    )
    asked = (*(name for name in fitting if name not in {*plain, *refused}), *sorted(files.roots))
    return RestoreOffer(plain, asked, refused, tuple(name for name in given if name not in fitting))


def describe_settings(files: BackupFiles, names: Collection[str]) -> list[str]:
    """Return a line for each of these settings and root certificates, for a person's decision; secrets are masked."""
    values = file_values({**files.settings, **files.secrets})
    texts = {name: ",".join(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return [f"{name} = {mask_secrets(name, texts[name])}" if name in texts else name for name in names]


def put_files(home: Path, files: BackupFiles, names: Collection[str]) -> None:
    """Write those settings, secrets and root certificates of a backup to the home folder that are in `names`."""
    roots = {name: content for name, content in files.roots.items() if name in names}
    for file, values, head in ((SETTINGS_FILE, files.settings, ""), (SECRETS_FILE, files.secrets, HEAD_OF_SECRETS)):
        taken = {name: value for name, value in values.items() if name in names}
        if _is_own_folder(taken.get("tsa_roots")) and roots:
            taken["tsa_roots"] = str(home / ROOTS)
        if taken:
            change(home / file, taken, head=head)
    for name, content in roots.items():
        (home / ROOTS).mkdir(mode=0o700, exist_ok=True)
        write_privately(home / name, content.decode("utf-8", "replace"))  # a comment may have any encoding


def _is_allowed(home: Path, name: str, value: Value) -> bool:
    layer = Layer(SettingOrigin.FILE, SETTINGS_FILE, {name: value})
    return not read_leniently(Layers(home, (layer,)))[1]


def _is_own_folder(roots: object) -> bool:
    """Return whether a setting names the folder of roots in the backup's home folder, which does not exist here."""
    path = Path(str(roots or "")).expanduser()
    return path.name == ROOTS and not path.exists()
