"""The home folder of an installation: made once, its secrets, and the settings that its processes share."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from core.errors import BadConfiguration
from core.settings import Settings, load
from deploy.demo import presence

SECRET_KEY = "ZHUIWEN_SECRET_KEY"  # noqa: S105 - the name of a variable
REDIS_PASSWORD = "ZHUIWEN_REDIS_PASSWORD"  # noqa: S105 - the same
EMBEDDED = "ZHUIWEN_EMBEDDED"  # which URLs in an environment are our own, so that a child knows it too
SECRET_BYTES = 32
FOLDERS = ("mongo", "redis", "logs", "run")

_MONGO, _REDIS = "mongo", "redis"
_URL_VARIABLES = {_MONGO: "ZHUIWEN_MONGO_URL", _REDIS: "ZHUIWEN_REDIS_URL"}


@dataclass(frozen=True, slots=True)
class Home:
    """An installation on this machine. `settings` carry every URL, embedded or not, with its password.

    `environment` is what a process of this installation needs beyond what it inherits.
    """

    settings: Settings
    embeds_mongo: bool
    embeds_redis: bool
    redis_password: str = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)

    @property
    def path(self) -> Path:
        return self.settings.home

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def run(self) -> Path:
        """What only living processes need: configuration made anew at each start, pid records, sockets."""
        return self.path / "run"


def prepare(environ: Mapping[str, str]) -> Home:
    """Make the home folder and its secrets where they are missing, and say how to run in it.

    Safe to call at any time, from any process of the installation and after a power loss. Raises BadConfiguration.
    """
    given = _without_own_urls(environ)
    settings = load(given)
    make_folders(settings.home)
    if presence.is_present(settings.home):
        settings = _with_demo_hosts(settings)
        given["ZHUIWEN_ALLOW_PRIVATE_HOSTS"] = ",".join(settings.crawl.allow_private_hosts)
    kept = _secrets(settings.home / "secrets.env")
    known = {**kept, **{name: given[name].strip() for name in kept if given.get(name, "").strip()}}
    embedded = {_MONGO: settings.services.embeds_mongo, _REDIS: settings.services.embeds_redis}
    urls = {
        _MONGO: settings.mongo_url,
        _REDIS: _with_password(settings.redis_url, known[REDIS_PASSWORD]) if embedded[_REDIS] else settings.redis_url,
    }
    services = replace(settings.services, mongo_url=urls[_MONGO], redis_url=urls[_REDIS])
    web = replace(settings.web, secret_key=known[SECRET_KEY])
    settings = replace(settings, services=services, web=web)
    own = {
        **{name: value for name, value in given.items() if name.startswith("ZHUIWEN_") and name != REDIS_PASSWORD},
        "ZHUIWEN_HOME": str(settings.home),
        SECRET_KEY: known[SECRET_KEY],
        EMBEDDED: ",".join(name for name, is_embedded in embedded.items() if is_embedded),
        **{_URL_VARIABLES[name]: url for name, url in urls.items()},
        "DJANGO_SETTINGS_MODULE": "webadmin.settings",
        "PYTHONPATH": _python_path(given.get("PYTHONPATH", "")),
        "PYTHONUTF8": "1",
    }
    return Home(settings, embedded[_MONGO], embedded[_REDIS], known[REDIS_PASSWORD], own)


def _with_demo_hosts(settings: Settings) -> Settings:
    """Allow the crawler the demo's own servers on loopback, and no other private address."""
    allowed = settings.crawl.allow_private_hosts
    added = tuple(host for host in presence.hosts(settings.services.demo_port) if host not in allowed)
    return replace(settings, crawl=replace(settings.crawl, allow_private_hosts=(*allowed, *added)))


def make_folders(home: Path) -> None:
    """Make the home folder and those in it, for this user only. Raises BadConfiguration where that cannot be."""
    try:
        for folder in (home, *(home / name for name in FOLDERS)):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK | os.X_OK):
            raise PermissionError(13, "it cannot be written to")
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadConfiguration(
            [f"the home folder {home} cannot be used ({reason}); set ZHUIWEN_HOME to a folder of yours"]
        ) from error


def write_privately(path: Path, text: str) -> None:
    """Write a file that only this user can read; after a power loss there is the old one or the new one, whole."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _secrets(path: Path) -> dict[str, str]:
    """The secrets in the file; those that are missing are made and kept."""
    known = _read_secrets(path)
    missing = [name for name in (SECRET_KEY, REDIS_PASSWORD) if not known.get(name)]
    if missing:
        known |= {name: secrets.token_urlsafe(SECRET_BYTES) for name in missing}
        write_privately(path, "".join(f"{name}={value}\n" for name, value in known.items()))
    elif path.stat().st_mode & 0o077:
        path.chmod(0o600)
    return known


def _read_secrets(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    lines = path.read_text("utf-8", errors="replace").splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _without_own_urls(environ: Mapping[str, str]) -> dict[str, str]:
    own = {_URL_VARIABLES[name] for name in environ.get(EMBEDDED, "").split(",") if name in _URL_VARIABLES}
    return {name: value for name, value in environ.items() if name not in own and name != EMBEDDED}


def _with_password(url: str, password: str) -> str:
    return url.replace("redis://", f"redis://:{quote(password, safe='')}@", 1)


def _python_path(inherited: str) -> str:
    """Where the packages of this installation are, first: a child may start in any folder."""
    root = str(Path(__file__).resolve().parents[1])
    others = [part for part in inherited.split(os.pathsep) if part and part != root]
    return os.pathsep.join([root, *others])
