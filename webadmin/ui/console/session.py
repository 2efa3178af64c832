"""Opens the session of a command that uses stored data: the home folder, the environment and Django."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from core.settings import Settings
from core.settings_loading import load
from webadmin.ui.console.faults import create_private_log
from webadmin.ui.console.words import console_language

_openers: list[Callable[[], Settings]] = []


def register_opener(opener: Callable[[], Settings]) -> None:
    """Register the function that prepares this process for the installation and returns its settings."""
    _openers.append(opener)


@contextmanager
def session() -> Iterator[Settings]:
    """Set up Django for the block and yield the settings of the installation.

    Raises ServiceUnavailable if the admin database is unreachable or has no tables yet, DamagedStore if it is damaged.
    """
    settings = _openers[-1]()
    _configure_logging(settings)
    import django
    from django.db.utils import DatabaseError, InterfaceError
    from django.utils import translation

    django.setup()
    try:
        with translation.override(console_language()):  # A report has its own language.
            yield settings
    except (DatabaseError, InterfaceError) as error:
        from webadmin.database import database_fault

        if fault := database_fault(error):
            raise fault from error
        raise


def settings_alone() -> Settings:
    """Return the settings, for commands that need no service and write no data."""
    return load(os.environ)


def local_time(moment: datetime, settings: Settings) -> str:
    """Format a time in the user's time zone, to the minute."""
    return moment.astimezone(ZoneInfo(settings.web.time_zone)).strftime("%Y-%m-%d %H:%M")


def local_iso(moment: datetime | None, settings: Settings) -> str | None:
    """Format a time in the user's time zone as ISO 8601, for programs. Return None for None."""
    return None if moment is None else moment.astimezone(ZoneInfo(settings.web.time_zone)).isoformat(timespec="seconds")


def _configure_logging(settings: Settings) -> None:
    """Write the warnings of libraries to a file instead of the terminal."""
    logging.basicConfig(
        filename=create_private_log(settings.home / "logs"),
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    logging.captureWarnings(capture=True)
