"""The settings that stand, read and checked. Takes pydantic, a quarter of a second of an interpreter, with it."""

from collections.abc import Mapping

from core.settings import Settings
from core.settings_layers import effective_layers
from core.settings_reading import read


def load(environ: Mapping[str, str]) -> Settings:
    """The settings that stand for whoever runs with this environment; every name that is set nowhere has its default.

    Raises BadConfiguration naming every setting that cannot be, where it stands, its value, and what is allowed.
    """
    return read(effective_layers(environ))
