"""How an installation stands: what `zhuiwen status` shows, gathered without the desk and without drivers."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from core import disk
from core.clock import CLOCKS_DIFFER, SystemClock
from core.errors import BadConfiguration
from core.known_settings import environment_variable
from core.redis_names import DAMAGE_NOTE, REWORDED_NOTE
from core.settings import Settings
from core.settings_layers import SettingOrigin, planned_layers, running_layers, started_layer
from core.wording import Message
from crawler.browsing.availability import missing_browser
from crawler.obfuscation.recognition import missing_recognition
from deploy import started
from deploy.cli.evidence_status import noted_lines
from deploy.home import Home, prepare
from deploy.services import ServiceStatus, health, installed, status
from webadmin.ui.console.session import local_time

# A clock that was ahead left them; what counts from them stands still until they come, or are set back.
_MOMENTS_AHEAD = """SELECT count(*), max(moment) FROM (
    SELECT last_run_at AS moment FROM django_celery_beat_periodictask
    UNION ALL SELECT due_at FROM watched_sites_crawlrun
) AS moments WHERE moment > {after}"""


@dataclass(frozen=True, slots=True)
class InstallationStatus:
    """problems: what keeps the installation from being well, beside its services. notes: what one should know."""

    home: Path
    services: list[ServiceStatus]
    problems: list[Message]
    notes: list[Message]
    evidence: list[Message]

    @property
    def remedies(self) -> list[Message]:
        """What to do about the services that are not well; nothing where another problem is behind it."""
        unwell = [] if self.problems else [row for row in self.services if row.remedy]
        return [
            Message("start.remedy-with", service=row.name, remedy=row.remedy, words=row.last_log_line)
            if row.last_log_line
            else Message("start.remedy", service=row.name, remedy=row.remedy)
            for row in unwell
        ]

    @property
    def is_well(self) -> bool:
        return not self.problems and all(row.is_ok for row in self.services)

    def as_values(self) -> dict[str, Any]:
        """Return the same for programs."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"is_well": self.is_well}


def installation_status(environ: Mapping[str, str]) -> InstallationStatus:
    """Look at what runs, with the settings that it was started with. Raises BadConfiguration."""
    home = prepare(environ, running_layers)
    services = status(home)
    told = _describe_others(home, environ, services)
    is_meant = not installed.is_unused(home.path)
    problems = [space.sentence for space in disk.full(home.settings)] + ([] if is_meant else told)
    problems += known_damage(home.settings)
    problems += clock_was_ahead(home.settings, SystemClock().now())
    missing = [each for each in (missing_browser(home.settings.crawl), missing_recognition()) if each is not None]
    notes = _changed_settings(home, environ) + (told if is_meant else []) + missing + noted_backlog(home.settings)
    return InstallationStatus(home.path, services, problems, notes, noted_lines(home.settings))


def _describe_others(home: Home, environ: Mapping[str, str], services: list[ServiceStatus]) -> list[Message]:
    """Where else this program runs, for who did not say which installation is meant and sees one that is stopped."""
    if environ.get(environment_variable("home")) or any(row.pid for row in services):
        return []
    return [Message("start.elsewhere", home=other) for other in installed.other_homes(home)]


def _changed_settings(home: Home, environ: Mapping[str, str]) -> list[Message]:
    """Return the settings that the next `up` takes over, and where they stand."""
    if started_layer(home.path) is None:
        return []
    try:
        layers = planned_layers(environ)
        changed = started.differing(home.settings, prepare(environ, planned_layers).settings)
    except BadConfiguration as fault:  # what runs does not mind
        return [Message("start.not-taken-over", faults=fault.faults)]
    told = [
        environment_variable(name) if layers.origin(name) is SettingOrigin.ENVIRONMENT else name for name in changed
    ]
    return [Message("start.set-otherwise", names=told)] if told else []


def known_damage(settings: Settings) -> list[Message]:
    """Say how much the last check of the stores found damaged; nothing where that is nothing, or not known."""
    try:
        known = _read_note(settings, DAMAGE_NOTE) or {"count": 0}
        if not known["count"]:
            return []
        when = local_time(datetime.fromisoformat(known["seen_at"]), settings)
        return [Message("start.damage-known", count=int(known["count"]), when=when)]
    except (ValueError, KeyError, TypeError):  # a note that was garbled says nothing
        return []


def noted_backlog(settings: Settings) -> list[Message]:
    """Say how much is left to compare by meaning, where a rights holder has it switched on, and that it cannot be."""
    try:
        if not (known := _read_note(settings, REWORDED_NOTE)):
            return []
        counts = {"pages": int(known["pages"]), "texts": int(known["texts"])}
        when = local_time(datetime.fromisoformat(known["seen_at"]), settings)
        told = Message("custody.as-of", told=Message("reworded.backlog", **counts), when=when)
        missing = Message("reworded.no-encoder", holders=known["holders"])
        return [told] if known["has_encoder"] else [told, missing]
    except (ValueError, KeyError, TypeError):
        return []


def _read_note(settings: Settings, key: str) -> dict[str, Any]:
    """What the pipeline noted; {} where it noted nothing, or Redis does not answer. Raises ValueError, TypeError."""
    note = health.redis_value(settings.redis_url, key)
    return {} if note is None else dict(json.loads(note))


def clock_was_ahead(settings: Settings, now: datetime) -> list[Message]:
    """Say that moments of the schedule or of crawls lie ahead; nothing where the admin database does not answer."""
    url, after = settings.services.database_url, now + CLOCKS_DIFFER
    if url.startswith("postgres"):
        row = health.postgres_row(url, _MOMENTS_AHEAD.format(after="%s"), after)
    else:
        row = _sqlite_row(urlsplit(url).path[1:] if url else str(settings.sqlite_path), after)
    if not row or not row[0]:
        return []
    return [Message("start.clock-was-ahead", count=row[0], until=local_time(row[1], settings))]


def _sqlite_row(path: str, after: datetime) -> tuple[int, datetime] | None:
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=health.TIMEOUT_S)) as database:
            stored = f"{after.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"  # as Django writes moments into SQLite
            count, until = database.execute(_MOMENTS_AHEAD.format(after="?"), (stored,)).fetchone()
    except sqlite3.Error:
        return None
    return (count, datetime.fromisoformat(until).replace(tzinfo=UTC)) if count else None
