"""What is wrong with an installation, and what to do about it. Each check looks at one thing and mends nothing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import redis
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

from core.errors import ZhuiwenError
from core.settings import unknown_names
from deploy.home import Home
from deploy.services import State, status
from deploy.services.probes import index_client
from deploy.services.state import without_secrets
from pagestore.connection import connect, translated

OLDEST_PYTHON = (3, 11)
# A chosen reserve, not a measurement: 100,000 pages at an assumed 4 kB compressed are 0.4 GB, and the log of the
# embedded page store and the rewriting of Redis's append-only file need about as much again while they work.
MIN_FREE_BYTES = 1_000_000_000
REDIS_TIMEOUT_S = 3.0
MIGRATIONS_TIMEOUT_S = 60.0
FONTS = ("NotoSerifCJKsc-Regular.otf", "NotoSansCJKsc-Regular.otf")


@dataclass(frozen=True, slots=True)
class Context:
    """What a check may look at."""

    home: Home
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem and its remedy, one sentence each; `id` never changes."""

    id: str
    problem: str
    remedy: str


Check = Callable[[Context], Sequence[Finding]]


def examine(context: Context, checks: Sequence[Check]) -> list[Finding]:
    """What all checks find, in their order."""
    return [finding for check in checks for finding in check(context)]


def python_version(_: Context) -> list[Finding]:
    if sys.version_info >= OLDEST_PYTHON:
        return []
    have = ".".join(map(str, sys.version_info[:3]))
    return [Finding("python.version", f"this is Python {have}", "install Python 3.11 or newer and set up anew")]


def unknown_settings(context: Context) -> list[Finding]:
    """Variables that are set and do nothing: most are misspelt."""
    return [
        Finding(
            f"settings.unknown.{name}",
            f"{name} is set, and there is no such setting",
            f"write {nearest}, or unset it" if nearest else "unset it; docs/settings.md has the settings",
        )
        for name, nearest in unknown_names(context.environ).items()
    ]


def home_permissions(context: Context) -> list[Finding]:
    home = context.home.path
    if not home.stat().st_mode & 0o077:
        return []
    return [Finding("home.permissions", f"others can look into {home}", f"chmod 700 {home}")]


def free_disk(context: Context) -> list[Finding]:
    free = shutil.disk_usage(context.home.path).free
    if free >= MIN_FREE_BYTES:
        return []
    problem = f"only {free / 1e9:.1f} GB are free where {context.home.path} is"
    return [Finding("disk.free", problem, f"free space until there is {MIN_FREE_BYTES / 1e9:.0f} GB")]


def fonts(_: Context) -> list[Finding]:
    """Fonts for PDF reports; without them Chinese is empty boxes."""
    spec = find_spec("mplfonts")
    folders = [Path(place) / "fonts" for place in (spec.submodule_search_locations or [])] if spec else []
    missing = [font for font in FONTS if not any((folder / font).is_file() for folder in folders)]
    return [Finding("fonts.missing", f"PDF reports lack the font {font}", "pip install mplfonts") for font in missing]


def services(context: Context) -> list[Finding]:
    return [
        Finding(f"service.{each.name}", _told(each.name, each.state, each.last_log_line), each.remedy or "zhuiwen up")
        for each in status(context.home)
        if not each.is_ok
    ]


def redis_durability(context: Context) -> list[Finding]:
    """Redis, embedded or not, must keep what it is given: it holds the queue and the index."""
    url = context.home.settings.redis_url
    client = redis.Redis.from_url(
        url, decode_responses=True, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    )
    try:
        seen = {name: client.config_get(name).get(name, "") for name in ("appendonly", "maxmemory-policy")}
    except redis.ResponseError:
        return []  # a hosted Redis that hides its configuration
    except (redis.RedisError, OSError):
        return []  # it does not answer: `services` says so
    finally:
        client.close()
    found = []
    where = without_secrets(url)
    if seen["appendonly"] == "no":
        found.append(Finding("redis.appendonly", f"Redis at {where} keeps no append-only file", "set appendonly yes"))
    if seen["maxmemory-policy"] not in ("noeviction", ""):
        problem = f"Redis at {where} forgets what does not fit ({seen['maxmemory-policy']})"
        found.append(Finding("redis.eviction", problem, "set maxmemory-policy noeviction"))
    return found


def index_keeps_all(context: Context) -> list[Finding]:
    """An index elsewhere that forgets finds fewer copies, and nobody is told."""
    url = context.home.settings.services.index_url
    if not url:
        return []
    try:
        policies = _policies(url)
    except (redis.RedisError, RedisClusterException, OSError):
        return []  # it hides its configuration, or does not answer: `services` says so
    return [
        Finding(
            "index.eviction",
            f"the index at {without_secrets(url)} forgets what does not fit ({policy})",
            "set maxmemory-policy noeviction",
        )
        for policy in sorted(policies - {"noeviction"})
    ]


def mongo_writes(context: Context) -> list[Finding]:
    try:
        database = connect(context.home.settings.mongo_url, timeout_s=REDIS_TIMEOUT_S)
        with translated(database):
            database["doctor"].update_one({"_id": "write"}, {"$set": {"by": os.getpid()}}, upsert=True)
            database["doctor"].delete_one({"_id": "write"})
        database.client.close()
    except ZhuiwenError as error:
        return [Finding("mongo.write", f"the page store cannot be written to: {error}", "zhuiwen up, or free its disk")]
    return []


def migrations(context: Context) -> list[Finding]:
    """Whether the admin database has the tables of this release."""
    try:
        checked = subprocess.run(
            [sys.executable, "-m", "django", "migrate", "--check", "--verbosity", "0"],
            env={**context.environ, **context.home.environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MIGRATIONS_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [Finding("database.silent", "the admin database does not answer", "check ZHUIWEN_DATABASE_URL")]
    if checked.returncode == 0:
        return []
    said = checked.stderr.strip().splitlines()
    problem = f"the admin database cannot be used: {said[-1]}" if said else "the admin database lacks migrations"
    return [Finding("database.migrations", problem, "zhuiwen up")]


def _policies(url: str) -> set[str]:
    """What the servers of an index do when their memory is full."""
    name = "maxmemory-policy"
    with closing(index_client(url)) as client:
        if isinstance(client, RedisCluster):
            answers: Any = client.config_get(name, target_nodes=RedisCluster.PRIMARIES)
        else:
            answers = {"": client.config_get(name)}
    return {answer[name] for answer in answers.values() if name in answer}


CHECKS: tuple[Check, ...] = (
    python_version,
    unknown_settings,
    home_permissions,
    free_disk,
    fonts,
    services,
    redis_durability,
    index_keeps_all,
    mongo_writes,
    migrations,
)


def _told(name: str, state: State, last_words: str) -> str:
    told = {
        State.STARTING: "is still starting",
        State.SILENT: "runs and does not answer",
        State.FAILING: "keeps dying",
        State.STOPPED: "does not run",
        State.UNREACHABLE: "does not answer",
    }[state]
    return f"{name} {told}" + (f": {last_words}" if last_words else "")
