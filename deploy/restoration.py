"""What `zhuiwen restore` needs beside the records: an installation at rest, its page store, its files."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from core.errors import BadInput
from core.ids import Digest, digest
from core.known_settings import HOME, known_settings
from core.ports import ObjectStore
from core.settings import Settings
from core.settings_layers import SECRETS_FILE, SETTINGS_FILE, file_layers
from deploy import services
from deploy.home import HEAD_OF_SECRETS, Home
from deploy.private_files import write_privately
from deploy.services import OnProgress, preparation
from deploy.services.supervision import Supervisor
from deploy.settings_files import change

ROOTS = "authorities"  # the folder of certificates of time stamp authorities, in the home folder
MARK = "restoring.json"  # in the home folder, from the first record to the last
# Where the stores are is the target's to say: what the old ones hold is still theirs.
PLACES = frozenset({HOME, "mongo_url", "redis_url", "index_url", "database_url", "evidence_url", "raw_url"})


@dataclass(frozen=True, slots=True)
class Files:
    """What became of the files of a backup. not_taken: settings that the target says, or must say itself."""

    taken: tuple[str, ...]
    not_taken: tuple[str, ...]


def require_rest(home: Home) -> None:
    """Raises BadInput where anything but the page store of this installation runs: it would write in between."""
    running = [name for name, info in Supervisor(home).infos().items() if info["pid"] and name != "mongo"]
    if running:
        raise BadInput("backup.runs", names=sorted(running))


@dataclass(frozen=True, slots=True)
class Begun:
    """A restore that did not end. places: digest of the databases and stores that it writes into."""

    backup: str
    places: str


def begun(home: Path) -> Begun | None:
    """The restore that was begun here and not ended. Raises BadInput where its mark cannot be read."""
    try:
        values = json.loads((home / MARK).read_text("utf-8"))
        return Begun(str(values["backup"]), str(values["places"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput("backup.garbled-mark", path=home / MARK) from error


def require_ended(home: Path) -> None:
    """Raises BadInput where a restore was begun and not ended."""
    if (half := begun(home)) is not None:
        raise BadInput("backup.half-restored", backup=half.backup)


def require_no_other(half: Begun | None, chosen: str) -> None:
    """Raises BadInput where another backup than the one begun is asked for: both would be mixed."""
    if half is not None and chosen and not half.backup.startswith(chosen):
        raise BadInput("backup.another-begun", backup=half.backup, chosen=chosen)


def places_of(settings: Settings) -> Digest:
    """Of where all is written: with other places, what stands there is not the half of this restore."""
    services = settings.services
    database = services.database_url or str(settings.sqlite_path)
    places = [database, settings.mongo_url, services.raw_url, settings.evidence.url]
    return digest(json.dumps(places).encode())


def begin(home: Path, backup: str, places: str) -> None:
    write_privately(home / MARK, json.dumps({"backup": backup, "places": places}))


def end(home: Path) -> None:
    (home / MARK).unlink(missing_ok=True)


def start_stores(home: Home, on_progress: OnProgress) -> None:
    """The embedded page store, if there is one, and the tables of the admin database."""
    if home.embeds_mongo:
        services.up(home, on_progress, only=("mongo",))
    migrate = preparation.steps(is_alone=False)[0]
    on_progress(migrate.name)
    preparation.run(home, migrate)


def forget_what_is_made_anew(home: Home) -> None:
    """Index and queues of the embedded Redis, drawn characters: the next `up` makes them of the stores."""
    for name in ("redis", "cache"):
        shutil.rmtree(home.path / name, ignore_errors=True)
    (home.path / "redis").mkdir(mode=0o700, exist_ok=True)


def put_files(home: Path, kept: Mapping[str, bytes]) -> Files:
    """Write settings, secrets and roots of a backup, opened; what the target's files say stays."""
    said = {name for layer in file_layers(home) for name in layer.values} - {"secret_key"}
    taken: list[str] = []
    left: list[str] = []
    for file in (SETTINGS_FILE, SECRETS_FILE):
        values = tomlkit.parse(kept[file].decode("utf-8")).unwrap() if file in kept else {}
        new = {name: value for name, value in values.items() if name in known_settings() and name not in said | PLACES}
        left += [name for name in values if name not in new]
        taken += list(new)
        if new:
            if _is_own_folder(new.get("tsa_roots"), kept):
                new["tsa_roots"] = str(home / ROOTS)
            change(home / file, new, head=HEAD_OF_SECRETS if file == SECRETS_FILE else "")
    for name in filter(_is_root, kept):
        (home / ROOTS).mkdir(mode=0o700, exist_ok=True)
        write_privately(home / name, kept[name].decode("utf-8", "replace"))  # a comment may be in any encoding
    return Files(tuple(taken), tuple(left))


def _is_root(name: str) -> bool:
    return (Path(name).parts[:-1], Path(name).suffix) == ((ROOTS,), ".pem") and Path(name).name != ".."


def _is_own_folder(roots: object, kept: Mapping[str, bytes]) -> bool:
    """Whether a setting names the folder of roots in the home of the backup, which is not here."""
    path = Path(str(roots or "")).expanduser()
    return path.name == ROOTS and not path.exists() and any(map(_is_root, kept))


def contents(store: ObjectStore, files: Mapping[str, object], passphrase: str) -> dict[str, bytes]:
    """The files of a backup, opened; secrets without a passphrase are left out. Raises WrongPassphrase."""
    from records.backups.format import content_of
    from records.backups.sealing import opened

    found = {name: content_of(store, piece) for name, piece in files.items()}  # type: ignore[arg-type]
    secrets = found.pop(SECRETS_FILE, None)
    if secrets is not None and passphrase:
        found[SECRETS_FILE] = opened(secrets, passphrase)
    return found
