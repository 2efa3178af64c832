"""Translates the output of the command line into the language of the settings, or else of the terminal's locale.

Texts shared with the admin, such as the descriptions of settings, are read from its catalogue without Django, which
would take ten times as long.
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
def console_language() -> str:
    """Return the language of this command. It is determined before `deploy.home.adopt` changes the environment."""
    return detect_language(os.environ)


def detect_language(environ: Mapping[str, str]) -> str:
    """Return Django's language code for Chinese or English, from the settings or the locale."""
    said = _configured_language(environ) or next((environ[name] for name in _LOCALE if environ.get(name)), "")
    return CHINESE if said.lower().startswith("zh") else ENGLISH


def translate_for_console(said: object) -> str:
    """Translate a message or an error of the product into the language of this command.

    Convert any other value to text.
    """
    message = said.message if isinstance(said, ZhuiwenError) else said
    return message.in_language(console_language()) if isinstance(message, Message) else str(said)


def obfuscation(kind: str) -> str:
    """Return the label of an obfuscation."""
    return OBFUSCATIONS[kind].label.in_language(console_language())


def obfuscation_found(kind: str, count: int, example: str) -> Message:
    """Return a message about an obfuscation of a page, with the caveat for readers who rely on its text."""
    named, caveat = obfuscation(kind), OBFUSCATIONS[kind].caveat
    if caveat is None:
        return Message("corpus.obfuscation", kind=named, count=count, example=example)
    told = caveat.in_language(console_language())
    return Message("corpus.obfuscation-with-caveat", kind=named, count=count, example=example, caveat=told)


def translator() -> Callable[[str], str]:
    """Return a function that translates a string of the admin into the language of this command."""
    folders = ["zh_Hans"] if console_language() == CHINESE else []
    return gettext.translation("django", _CATALOGUES, folders, fallback=True).gettext


def _configured_language(environ: Mapping[str, str]) -> str:
    """Return the language in the settings, or "" if it is not set. The default applies only to the admin."""
    if said := environ.get(environment_variable("language"), "").strip():
        return said
    try:
        layers = effective_layers(environ)
        every = (*layers.layers, *file_layers(layers.home))  # `started` settings omit default values
        return next((str(layer.values["language"]) for layer in every if "language" in layer.values), "")
    except BadConfiguration:
        return ""  # Loading the settings reports the error.
