"""The session of a verb that works on stored data: the home folder, the environment, Django."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from core.errors import DamagedStore, ServiceUnavailable
from core.settings import Settings
from core.settings_loading import load
from core.sqlite_files import says_damage
from core.wording import Message
from webadmin.ui.console.faults import private_log
from webadmin.ui.console.words import language

_openers: list[Callable[[], Settings]] = []


def register_opener(opener: Callable[[], Settings]) -> None:
    """Have sessions opened by `opener`: it makes this process one of the installation, and gives its settings."""
    _openers.append(opener)


@contextmanager
def session() -> Iterator[Settings]:
    """The settings of the installation, with Django ready to be used inside.

    Raises ServiceUnavailable where the admin database is not there or was not made yet, DamagedStore where it is
    damaged.
    """
    settings = _openers[-1]()
    _configure_logging(settings)
    import django
    from django.db.utils import DatabaseError, InterfaceError
    from django.utils import translation

    django.setup()
    try:
        with translation.override(language()):  # a report asks for its own
            yield settings
    except (DatabaseError, InterfaceError) as error:
        if says_damage(str(error)):
            from webadmin.database import place

            raise DamagedStore(Message("service.admin-database"), place()) from error
        if not _is_absence(error):
            raise
        raise _unavailable(error) from error


def settings_alone() -> Settings:
    """Return the settings, for verbs that need no service and leave no trace."""
    return load(os.environ)


def local_time(moment: datetime, settings: Settings) -> str:
    """`moment` in the user's zone, to the minute."""
    return moment.astimezone(ZoneInfo(settings.web.time_zone)).strftime("%Y-%m-%d %H:%M")


def local_iso(moment: datetime | None, settings: Settings) -> str | None:
    """`moment` in the user's zone, for programs."""
    return None if moment is None else moment.astimezone(ZoneInfo(settings.web.time_zone)).isoformat(timespec="seconds")


def _unavailable(error: Exception) -> ServiceUnavailable:
    """Return the error to report: `zhuiwen up` makes missing tables, and starts no server that is elsewhere."""
    from webadmin.database import is_unmade, place, unavailable

    if is_unmade(error):
        return ServiceUnavailable(Message("service.admin-database"), place(), "zhuiwen up")
    return unavailable(error)


def _is_absence(error: Exception) -> bool:
    """Return true if the database does not answer or lacks its tables; False for a wrong query."""
    from webadmin.database import is_away, is_unmade

    return is_away(error) or is_unmade(error)


def _configure_logging(settings: Settings) -> None:
    """Warnings of libraries go into a file: the terminal is for what the user asked."""
    logging.basicConfig(
        filename=private_log(settings.home / "logs"),
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    logging.captureWarnings(capture=True)
