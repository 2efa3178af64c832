"""Finds problems of an installation and suggests remedies. Each check examines one thing and changes nothing."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import redis
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

from core.errors import ZhuiwenError
from core.wording import Message
from crawler.browsing.chromium import UNPRIVILEGED, find_chromium, has_sandbox, missing_browser, unprivileged_user
from deploy import home_checks
from deploy.findings import Check, Context, DoctorFinding
from deploy.services import InstallationState, ServiceStatus, health, status
from deploy.services.driver_probes import index_client
from deploy.services.object_stores import choose_remedy, s3_places
from deploy.services.state import without_secrets
from pagestore.connection import connect, translate_errors

OLDEST_PYTHON = (3, 11)
REDIS_TIMEOUT_S = 3.0
MIGRATIONS_TIMEOUT_S = 60.0
FONTS = ("NotoSerifCJKsc-Regular.otf", "NotoSansCJKsc-Regular.otf")


def examine(context: Context, checks: Sequence[Check]) -> list[DoctorFinding]:
    """Return the findings of all checks in order."""
    return [finding for check in checks for finding in check(context)]


def check_python_version(_: Context) -> list[DoctorFinding]:
    if sys.version_info >= OLDEST_PYTHON:
        return []
    have = ".".join(map(str, sys.version_info[:3]))
    return [DoctorFinding("python.version", Message("doctor.python", version=have), Message("doctor.python-remedy"))]


def check_fonts(_: Context) -> list[DoctorFinding]:
    """Check that the fonts of PDF reports are installed; without them Chinese text would be empty boxes."""
    spec = find_spec("mplfonts")
    folders = [Path(place) / "fonts" for place in (spec.submodule_search_locations or [])] if spec else []
    missing = [font for font in FONTS if not any((folder / font).is_file() for folder in folders)]
    remedy = Message("doctor.font-remedy")
    return [DoctorFinding("fonts.missing", Message("doctor.font", font=font), remedy) for font in missing]


def check_services(context: Context) -> list[DoctorFinding]:
    return [
        DoctorFinding(f"service.{each.name}", _service_problem(each), each.remedy or Message("start.up"))
        for each in status(context.home)
        if not each.is_ok
    ]


def check_redis_durability(context: Context) -> list[DoctorFinding]:
    """Check that Redis persists its data and evicts no keys, because it stores the queue and the index."""
    url = context.home.settings.redis_url
    client = redis.Redis.from_url(
        url, decode_responses=True, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    )
    try:
        seen = {name: client.config_get(name).get(name, "") for name in ("appendonly", "maxmemory-policy")}
    except redis.ResponseError:
        return []  # a hosted Redis that hides its configuration
    except (redis.RedisError, OSError):
        return []  # Redis does not respond, which `check_services` reports
    finally:
        client.close()
    found = []
    where = without_secrets(url)
    if seen["appendonly"] == "no":
        problem = Message("doctor.appendonly", where=where)
        found.append(DoctorFinding("redis.appendonly", problem, Message("doctor.appendonly-remedy")))
    if seen["maxmemory-policy"] not in ("noeviction", ""):
        problem = Message("doctor.eviction", where=where, policy=seen["maxmemory-policy"])
        found.append(DoctorFinding("redis.eviction", problem, Message("doctor.eviction-remedy")))
    return found


def check_index_eviction(context: Context) -> list[DoctorFinding]:
    """Check that an external index never evicts entries, because copies would then remain undetected."""
    url = context.home.settings.services.index_url
    if not url:
        return []
    try:
        policies = _eviction_policies(url)
    except (redis.RedisError, RedisClusterException, OSError):
        return []  # Redis hides its configuration, or does not respond, which `check_services` reports
    return [
        DoctorFinding(
            "index.eviction",
            Message("doctor.index-eviction", where=without_secrets(url), policy=policy),
            Message("doctor.eviction-remedy"),
        )
        for policy in sorted(policies - {"noeviction"})
    ]


def check_mongo_writes(context: Context) -> list[DoctorFinding]:
    """Check that a responding page store can write; its disk may be full, or its user may lack the permission."""
    url = context.home.settings.mongo_url
    if not health.mongo_answers(url):
        return []  # `check_services` reports it
    try:
        database = connect(url, timeout_s=REDIS_TIMEOUT_S)
        with translate_errors(database):
            database["doctor"].update_one({"_id": "write"}, {"$set": {"by": os.getpid()}}, upsert=True)
            database["doctor"].delete_one({"_id": "write"})
        database.client.close()
    except ZhuiwenError as error:
        return [DoctorFinding("mongo.write", Message("doctor.mongo", reason=error), Message("doctor.mongo-remedy"))]
    return []


def check_object_writes(context: Context) -> list[DoctorFinding]:
    """Check that S3 stores that can be read can also be written to; otherwise pages and evidence are never stored."""
    found = ((place, place.write_fault()) for place in s3_places(context.home.settings) if place.read_fault() is None)
    return [
        DoctorFinding(
            f"{place.name}.write", Message("doctor.objects", where=place.address), choose_remedy(place, fault)
        )
        for place, fault in found
        if fault is not None
    ]


def check_browser(context: Context) -> list[DoctorFinding]:
    """Check that Chromium can run as another user, in its sandbox, if the installation runs as root."""
    missing = missing_browser(context.home.settings.crawl)
    if unprivileged_user() is None or find_chromium(context.home.settings.crawl.chromium) is None:
        return []
    if missing is not None:
        return [DoctorFinding("browser.root", missing, Message("doctor.root-remedy"))]
    if has_sandbox():
        return []
    problem = Message("doctor.no-sandbox", user=UNPRIVILEGED)
    return [DoctorFinding("browser.sandbox", problem, Message("doctor.no-sandbox-remedy"))]


def check_migrations(context: Context) -> list[DoctorFinding]:
    """Check that the admin database has the tables of this release."""
    try:
        checked = subprocess.run(
            [sys.executable, "-m", "django", "migrate", "--check", "--skip-checks", "--verbosity", "0"],
            env=context.home.environ(context.environ),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MIGRATIONS_TIMEOUT_S,
            umask=0o077,
            check=False,
        )
    except subprocess.TimeoutExpired:
        problem, remedy = Message("doctor.database-silent"), Message("doctor.database-remedy")
        return [DoctorFinding("database.silent", problem, remedy)]
    if checked.returncode == 0:
        return []
    said = checked.stderr.strip().splitlines()
    problem = Message("doctor.database-unusable", reason=said[-1]) if said else Message("doctor.migrations")
    return [DoctorFinding("database.migrations", problem, Message("start.up"))]


def _eviction_policies(url: str) -> set[str]:
    """Return the eviction policies of the servers of an index."""
    name = "maxmemory-policy"
    with closing(index_client(url)) as client:
        if isinstance(client, RedisCluster):
            answers: Any = client.config_get(name, target_nodes=RedisCluster.PRIMARIES)
        else:
            answers = {"": client.config_get(name)}
    return {answer[name] for answer in answers.values() if name in answer}


CHECKS: tuple[Check, ...] = (
    check_python_version,
    *home_checks.CHECKS,
    check_fonts,
    check_services,
    check_redis_durability,
    check_index_eviction,
    check_mongo_writes,
    check_object_writes,
    check_browser,
    check_migrations,
)


_PROBLEMS = {
    InstallationState.STARTING: "doctor.starting",
    InstallationState.SILENT: "doctor.silent",
    InstallationState.FAILING: "doctor.failing",
    InstallationState.STOPPED: "doctor.stopped",
    InstallationState.UNREACHABLE: "doctor.unreachable",
}


def _service_problem(row: ServiceStatus) -> Message:
    problem = Message(_PROBLEMS[row.state], service=row.name)
    words = row.last_log_line
    return Message("doctor.last-words", problem=problem, words=words) if words else problem
