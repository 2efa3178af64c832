"""Opens the installation for a command: prepares its home folder and adopts its environment."""

import os
from collections.abc import Mapping

from core.known_settings import environment_variable
from core.settings import Settings
from core.wording import Message
from deploy import started
from deploy.home import adopt, prepare
from webadmin.ui.console.faults import complain

STORES = frozenset({"mongo_url", "redis_url", "index_url", "database_url", "evidence_url", "raw_url"})


def open_installation() -> Settings:
    """Set the environment of this process to that of the installation, and return the effective settings.

    Raises BadConfiguration if a setting is invalid or the home folder is unusable.
    """
    home = prepare(os.environ)
    settings = home.settings
    _warn_of_other_stores(os.environ, settings)
    if not settings.services.database_url and not settings.sqlite_path.exists():
        os.umask(0o077)  # SQLite creates an empty file before it reports missing tables
    adopt(home)
    return settings


def _warn_of_other_stores(environ: Mapping[str, str], settings: Settings) -> None:
    """Warn if the environment names stores other than those that the services use."""
    others = [environment_variable(name) for name in started.overridden(environ, settings.home) if name in STORES]
    if others:
        complain(Message("cli.other-stores", names=others))
