"""What a verb needs that works on what is stored: the home folder, the environment, Django."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from core.errors import ServiceUnavailable
from core.settings import Settings, load


@contextmanager
def session() -> Iterator[Settings]:
    """The settings of the installation, with Django ready to be used inside.

    Raises ServiceUnavailable where the admin database is not there or was not made yet.
    """
    from deploy.home import prepare

    home = prepare(os.environ)
    os.environ.update(home.environment)
    _log_to(home.settings)
    import django
    from django.db.utils import DatabaseError, InterfaceError
    from django.utils import translation

    django.setup()
    try:
        with translation.override("en"):  # the command line speaks English; a report asks for its own language
            yield home.settings
    except (DatabaseError, InterfaceError) as error:
        if not _is_absence(error):
            raise
        raise ServiceUnavailable("the admin database", _database_name(home.settings), "zhuiwen up") from error


def settings_alone() -> Settings:
    """The settings, for verbs that need no service and leave no trace."""
    return load(os.environ)


def local_time(moment: datetime, settings: Settings) -> str:
    """`moment` in the user's zone, to the minute."""
    return moment.astimezone(ZoneInfo(settings.web.time_zone)).strftime("%Y-%m-%d %H:%M")


def local_iso(moment: datetime | None, settings: Settings) -> str | None:
    """`moment` in the user's zone, for programs."""
    return None if moment is None else moment.astimezone(ZoneInfo(settings.web.time_zone)).isoformat(timespec="seconds")


def _is_absence(error: Exception) -> bool:
    """Whether the database does not answer or lacks its tables, rather than that we asked something wrong."""
    return type(error).__name__ in ("OperationalError", "InterfaceError") or "does not exist" in str(error)


def _database_name(settings: Settings) -> str:
    return "ZHUIWEN_DATABASE_URL" if settings.services.database_url else str(settings.sqlite_path)


def _log_to(settings: Settings) -> None:
    """Warnings of libraries go into a file: the terminal is for what the user asked."""
    logging.basicConfig(
        filename=settings.home / "logs" / "command-line.log",
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    logging.captureWarnings(capture=True)
