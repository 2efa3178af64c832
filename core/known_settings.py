"""The settings by name, read from the fields of `core.settings`, and their values without secrets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from annotated_types import Interval

from core import service_urls
from core.setting_types import SETTING, Admits, Setting
from core.settings import Settings
from core.wording import Message

PREFIX = "ZHUIWEN_"
HOME = "home"
# Set by the installation for its own processes: deploy.home, deploy.services.supervision and .installed.
RESOLVED = "ZHUIWEN_RESOLVED"  # this environment has every setting, so no file is read
INTERNAL = frozenset({RESOLVED, "ZHUIWEN_CONFIGURATION", "ZHUIWEN_PROCESS"})
HIDDEN = "***"
# Entirely secret; the other secret settings are URLs, whose public parts are shown.
KEYS = frozenset({"secret_key", "s3_access_key", "s3_secret_key"})


@dataclass(frozen=True, slots=True)
class KnownSetting:
    """A setting. section, field: its place in `Settings`. allowed: a description of its allowed values."""

    name: str
    section: str
    field: str
    default: Any
    allowed: Message
    declaration: Setting
    is_list: bool

    @property
    def variable(self) -> str:
        return environment_variable(self.name)

    def read_value(self, settings: Settings) -> Any:
        """Return the value of this setting."""
        return getattr(getattr(settings, self.section), self.field)


@cache
def known_settings() -> Mapping[str, KnownSetting]:
    """Return all settings except the home folder, by name, in the order of `core.settings`."""
    sections = {name: model for name, model in get_type_hints(Settings).items() if name != HOME}
    return {
        known_setting.name: known_setting
        for section, model in sections.items()
        for known_setting in _section_settings(section, model)
    }


def environment_variable(name: str) -> str:
    """Return the environment variable of a setting.

    >>> environment_variable("web_port")
    'ZHUIWEN_WEB_PORT'
    """
    return PREFIX + name.upper()


def format_value(value: Any) -> str:
    """Return a value as the text of an environment variable.

    >>> format_value(True), format_value(30.0), format_value(("a", "b")), format_value("")
    ('1', '30', 'a,b', '')
    """
    if isinstance(value, tuple):
        return ",".join(value)
    is_whole = isinstance(value, bool) or (isinstance(value, float) and value.is_integer())
    return str(int(value) if is_whole else value)


def mask_secrets(name: str, value: str) -> str:
    """Return the text of a setting's value with its secret parts masked.

    >>> mask_secrets("mongo_url", "mongodb://zw:hush@db/zw"), mask_secrets("secret_key", "hush")
    ('mongodb://***@db/zw', '***')
    """
    if not known_settings()[name].declaration.is_secret or not value:
        return value
    if name in KEYS:
        return HIDDEN
    return ",".join(service_urls.without_secrets(url) for url in value.split(","))


def unknown_names(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that look like settings but are not, each with the variable of a similar setting, or "".

    >>> unknown_names({"ZHUIWEN_WEBPORT": "1", "ZHUIWEN_HOME": "/x", "PATH": "/bin"})
    {'ZHUIWEN_WEBPORT': 'ZHUIWEN_WEB_PORT'}
    """
    known = {environment_variable(name) for name in (HOME, *known_settings())} | INTERNAL
    names = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    return {
        name: environment_variable(near) if (near := nearest_name(name.removeprefix(PREFIX))) else "" for name in names
    }


def nearest_name(name: str) -> str:
    """Return the name of the setting that is most similar to `name`, or "" if none is similar."""
    return next(iter(get_close_matches(name.lower(), (HOME, *known_settings()), n=1)), "")


def _section_settings(section: str, model: type) -> Iterator[KnownSetting]:
    hints = get_type_hints(model, include_extras=True)
    for model_field in fields(model):
        if declaration := model_field.metadata.get(SETTING):
            hint = hints[model_field.name]
            name, is_list = declaration.name or model_field.name, get_origin(hint) is tuple
            yield KnownSetting(
                name, section, model_field.name, model_field.default, _describe_allowed(hint), declaration, is_list
            )


def _describe_allowed(hint: Any) -> Message:
    kind = get_origin(hint)
    if kind is tuple:
        return _describe_allowed(get_args(hint)[0])
    if kind is Literal:
        return Message("config.one-of", values=get_args(hint))
    if kind is not Annotated:
        return Message("config.one-of", values=("0", "1")) if hint is bool else Message("config.text")
    bound = hint.__metadata__[0]
    if isinstance(bound, Interval):
        code = "config.whole-number" if get_args(hint)[0] is int else "config.number"
        return Message(code, least=format_value(bound.ge), most=format_value(bound.le))
    return bound.words if isinstance(bound, Admits) else Message("config.text")
