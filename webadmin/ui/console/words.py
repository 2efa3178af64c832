"""The words of the command line, and their language: what is set, else what the terminal's locale says.

What the desk says too (what the settings mean) is in its catalogue, read without Django, which takes ten times as long.
"""

import gettext
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from core.errors import BadConfiguration, ZhuiwenError
from core.known_settings import environment_variable
from core.obfuscations import OBFUSCATIONS
from core.settings_layers import effective_layers, file_layers
from core.wording import Message

CHINESE, ENGLISH = "zh-hans", "en"
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
_CATALOGUES = Path(__file__).resolve().parents[2] / "locale"


@cache
def language() -> str:
    """The language of this command, decided when it begins: `deploy.home.adopt` leaves less of the environment."""
    return detect_language(os.environ)


def detect_language(environ: Mapping[str, str]) -> str:
    """Chinese or English, by the code that Django has for it."""
    said = _set(environ) or next((environ[name] for name in _LOCALE if environ.get(name)), "")
    return CHINESE if said.lower().startswith("zh") else ENGLISH


def console_text(said: object) -> str:
    """Word a message or an error of ours in the language of this command; anything else stays as it is."""
    message = said.message if isinstance(said, ZhuiwenError) else said
    return message.in_language(language()) if isinstance(message, Message) else str(said)


def obfuscation(kind: str) -> str:
    """Return the name of an obfuscation."""
    return OBFUSCATIONS[kind].label.in_language(language())


def obfuscation_found(kind: str, count: int, example: str) -> Message:
    """Return an obfuscation of a page, with what whoever relies on its text has to know of how it was undone."""
    named, caveat = obfuscation(kind), OBFUSCATIONS[kind].caveat
    if caveat is None:
        return Message("corpus.obfuscation", kind=named, count=count, example=example)
    told = caveat.in_language(language())
    return Message("corpus.obfuscation-with-caveat", kind=named, count=count, example=example, caveat=told)


def translator() -> Callable[[str], str]:
    """Return a function that says a string of the desk in the language of this command."""
    folders = ["zh_Hans"] if language() == CHINESE else []
    return gettext.translation("django", _CATALOGUES, folders, fallback=True).gettext


def _set(environ: Mapping[str, str]) -> str:
    """Return the language that is set; "" if none is. The setting's default is the desk's alone."""
    if said := environ.get(environment_variable("language"), "").strip():
        return said
    try:
        layers = effective_layers(environ)
        every = (*layers.layers, *file_layers(layers.home))  # what runs does not note what was set to the default
        return next((str(layer.values["language"]) for layer in every if "language" in layer.values), "")
    except BadConfiguration:
        return ""  # who reads the settings says so
