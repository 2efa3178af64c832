"""Collects the status of an installation for `zhuiwen status`, without Django and without database drivers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from core import disk
from core.errors import BadConfiguration
from core.known_settings import environment_variable
from core.redis_names import DAMAGE_NOTE, EVIDENCE_NOTE, REWORDED_NOTE
from core.settings import Settings
from core.settings_layers import SettingOrigin, planned_layers, running_layers, started_layer
from core.wording import Message
from crawler.browsing.chromium import missing_browser
from crawler.obfuscation.glyph_ocr import missing_recognition
from deploy import started
from deploy.home import Home, prepare
from deploy.services import ServiceStatus, health, installed, status
from webadmin.ui.console.session import local_time


@dataclass(frozen=True, slots=True)
class InstallationStatus:
    """The status of an installation. problems: those that do not concern a service. notes: other information."""

    home: Path
    services: list[ServiceStatus]
    problems: list[Message]
    notes: list[Message]
    evidence: list[Message]

    @property
    def remedies(self) -> list[Message]:
        """The remedies for services that do not run; none if there are other problems, which may be the cause."""
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
        """Return the status as JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"is_well": self.is_well}


def installation_status(environ: Mapping[str, str]) -> InstallationStatus:
    """Return the status of an installation, by the settings with which its processes were started.

    environ: the environment of the command. Raises BadConfiguration if a setting is invalid.
    """
    home = prepare(environ, running_layers)
    services = status(home)
    told = _describe_others(home, environ, services)
    is_meant = not installed.is_unused(home.path)
    problems = [space.sentence for space in disk.full_file_systems(home.settings)] + ([] if is_meant else told)
    problems += known_damage(home.settings)
    missing = [each for each in (missing_browser(home.settings.crawl), missing_recognition()) if each is not None]
    notes = _changed_settings(home, environ) + (told if is_meant else []) + missing + noted_backlog(home.settings)
    return InstallationStatus(home.path, services, problems, notes, noted_lines(home.settings))


def _describe_others(home: Home, environ: Mapping[str, str], services: list[ServiceStatus]) -> list[Message]:
    """Return messages on other home folders in which this program runs.

    There are none if the environment names a home folder, or if this installation runs.
    """
    if environ.get(environment_variable("home")) or any(row.pid for row in services):
        return []
    return [Message("start.elsewhere", home=other) for other in installed.other_homes(home)]


def _changed_settings(home: Home, environ: Mapping[str, str]) -> list[Message]:
    """Return a message on the settings that the next `up` will change, or on their errors, if there are any."""
    if started_layer(home.path) is None:
        return []
    try:
        layers = planned_layers(environ)
        changed = started.differing(home.settings, prepare(environ, planned_layers).settings)
    except BadConfiguration as fault:  # does not affect the running services
        return [Message("start.not-taken-over", faults=fault.faults)]
    told = [
        environment_variable(name) if layers.origin(name) is SettingOrigin.ENVIRONMENT else name for name in changed
    ]
    return [Message("start.set-otherwise", names=told)] if told else []


def known_damage(settings: Settings) -> list[Message]:
    """Return a message on the damage that the last check of the stores found, if any."""
    try:
        known = _read_note(settings, DAMAGE_NOTE) or {"count": 0}
        if not known["count"]:
            return []
        when = local_time(datetime.fromisoformat(known["seen_at"]), settings)
        return [Message("start.damage-known", count=int(known["count"]), when=when)]
    except (ValueError, KeyError, TypeError):  # a garbled note
        return []


def noted_backlog(settings: Settings) -> list[Message]:
    """Return messages on the backlog of the search for rewrites and on a missing encoder, if the search is on."""
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
    """Return a note of the pipeline, or {} if there is none or Redis does not respond.

    Raises ValueError or TypeError if the note is garbled.
    """
    note = health.redis_value(settings.redis_url, key)
    return {} if note is None else dict(json.loads(note))


def noted_lines(settings: Settings) -> list[Message]:
    """Return the lines of the sweeper's last note on evidence, with its time.

    There are none if there is no note, or if Redis does not respond.
    """
    noted = health.redis_value(settings.redis_url, EVIDENCE_NOTE)
    if noted is None:
        return []
    try:
        values = json.loads(noted)
        first, *others = lines(values, settings)
        when = local_time(datetime.fromisoformat(values["seen_at"]), settings)
        backups = [Message.from_json(values["backups"])] if values.get("backups") else []
    except (ValueError, KeyError, TypeError):
        return []  # a garbled note; the sweeper writes another within a minute
    return [Message("custody.as-of", told=first, when=when), *others, *backups]


def lines(values: dict[str, Any], settings: Settings) -> list[Message]:
    """Return three lines on the status of evidence: on the bundles, on the timestamps and on the last check."""
    counts = {name: values[name] for name in ("bundles", "changed", "missing", "owed", "undrawn")}
    return [
        Message("custody.bundles", **counts),
        Message("custody.stamps", state=_describe_stamps(values)),
        Message("custody.last-check", state=_describe_check(values["last_check"], settings)),
    ]


def _describe_stamps(values: dict[str, Any]) -> Message:
    days = Message("custody.days", days=values["unstamped_days"])
    return Message("custody.and", days=days, state=_describe_authorities(values))


def _describe_authorities(values: dict[str, Any]) -> Message:
    if values["authorities_fault"]:
        return Message("custody.fault", reason=values["authorities_fault"])
    count = len(values["authorities"])
    if not count:
        return Message("custody.no-authority")
    if not values["waiting_stamps"]:
        return Message("custody.nothing-waits", count=count)
    return Message("custody.waits", count=count, waiting=values["waiting_stamps"], reason=values["last_error"])


def _describe_check(check: dict[str, Any] | None, settings: Settings) -> Message:
    if check is None:
        return Message("custody.no-check")
    wrong = Message("custody.check-wrong", count=len(check["faults"])) if check["faults"] else None
    when = local_time(datetime.fromisoformat(check["started_at"]), settings)
    return Message(
        "custody.check",
        when=when,
        bundles=check["bundles"],
        files=check["files"],
        outcome=wrong or Message("custody.check-well"),
    )
