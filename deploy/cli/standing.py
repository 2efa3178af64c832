"""How an installation stands: what `zhuiwen status` shows, gathered without the desk and without drivers."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from core.clock import SystemClock
from core.errors import BadConfiguration
from core.known_settings import variable_of
from core.settings_layers import Origin, planned, running, started_layer
from core.wording import Message
from crawler.browsing.availability import missing_browser
from crawler.obfuscation.recognition import missing_recognition
from deploy import disk, started
from deploy.cli.clock_standing import clock_was_ahead
from deploy.cli.damage_standing import known_damage
from deploy.cli.evidence_standing import noted_lines
from deploy.cli.reworded_standing import noted_backlog
from deploy.home import Home, prepare
from deploy.services import ServiceStatus, elsewhere, status


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
        """The same for programs."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"is_well": self.is_well}


def installation_status(environ: Mapping[str, str]) -> InstallationStatus:
    """Look at what runs, with the settings that it was started with. Raises BadConfiguration."""
    home = prepare(environ, running)
    services = status(home)
    told = _describe_others(home, environ, services)
    is_meant = not elsewhere.is_unused(home.path)
    problems = [space.sentence for space in disk.full(home.settings)] + ([] if is_meant else told)
    problems += known_damage(home.settings)
    problems += clock_was_ahead(home.settings, SystemClock().now())
    missing = [each for each in (missing_browser(home.settings.crawl), missing_recognition()) if each is not None]
    notes = _changed(home, environ) + (told if is_meant else []) + missing + noted_backlog(home.settings)
    return InstallationStatus(home.path, services, problems, notes, noted_lines(home.settings))


def _describe_others(home: Home, environ: Mapping[str, str], services: list[ServiceStatus]) -> list[Message]:
    """Where else this program runs, for who did not say which installation is meant and sees one that is stopped."""
    if environ.get(variable_of("home")) or any(row.pid for row in services):
        return []
    return [elsewhere.describe_other(other) for other in elsewhere.others(home)]


def _changed(home: Home, environ: Mapping[str, str]) -> list[Message]:
    """Which settings the next `up` takes over, and where they stand."""
    if started_layer(home.path) is None:
        return []
    try:
        layers = planned(environ)
        changed = started.differing(home.settings, prepare(environ, planned).settings)
    except BadConfiguration as fault:  # what runs does not mind
        return [Message("start.not-taken-over", faults=fault.faults)]
    told = [variable_of(name) if layers.origin(name) is Origin.ENVIRONMENT else name for name in changed]
    return [Message("start.set-otherwise", names=told)] if told else []
