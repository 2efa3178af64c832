"""Every setting by its name, as the models of `core.settings` have it."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from annotated_types import Interval

from core.setting_types import Admits, Setting
from core.settings import Settings
from core.wording import Message

PREFIX = "ZHUIWEN_"
HOME = "home"
# Set by the installation for its own processes: deploy.home, deploy.services.supervision and .orphans.
RESOLVED = "ZHUIWEN_RESOLVED"  # this environment holds every setting: no file is read
INTERNAL = frozenset({RESOLVED, "ZHUIWEN_CONFIGURATION", "ZHUIWEN_PROCESS"})


@dataclass(frozen=True, slots=True)
class KnownSetting:
    """One setting: where its value is in `Settings`, and what is told of it. `allowed`: what it may be, in words."""

    name: str
    section: str
    field: str
    default: Any
    allowed: Message
    told: Setting
    is_list: bool

    @property
    def variable(self) -> str:
        return variable_of(self.name)

    def of(self, settings: Settings) -> Any:
        """Its value."""
        return getattr(getattr(settings, self.section), self.field)


@cache
def known_settings() -> Mapping[str, KnownSetting]:
    """All settings but the home folder, by name, in the order of the models."""
    return {each.name: each for each in _all()}


def variable_of(name: str) -> str:
    """The environment variable of a setting.

    >>> variable_of("web_port")
    'ZHUIWEN_WEB_PORT'
    """
    return PREFIX + name.upper()


def written(value: Any) -> str:
    """A value as it is written in an environment variable.

    >>> written(True), written(30.0), written(("a", "b")), written("")
    ('1', '30', 'a,b', '')
    """
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ",".join(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def unknown_names(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environ` that look like settings and are none, each with the known name nearest to it, or "".

    >>> unknown_names({"ZHUIWEN_WEBPORT": "1", "ZHUIWEN_HOME": "/x", "PATH": "/bin"})
    {'ZHUIWEN_WEBPORT': 'ZHUIWEN_WEB_PORT'}
    """
    known = {variable_of(name) for name in (HOME, *known_settings())} | INTERNAL
    names = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    return {name: variable_of(near) if (near := nearest(name.removeprefix(PREFIX))) else "" for name in names}


def nearest(name: str) -> str:
    """The known name that a name resembles, or ""."""
    return next(iter(get_close_matches(name.lower(), (HOME, *known_settings()), n=1)), "")


def _all() -> Iterator[KnownSetting]:
    for section, model in get_type_hints(Settings).items():
        if section == HOME:
            continue
        hints = get_type_hints(model, include_extras=True)
        for field in fields(model):
            told = next((each for each in _metadata(hints[field.name]) if isinstance(each, Setting)), None)
            if told is not None:
                yield KnownSetting(
                    name=told.name or field.name,
                    section=section,
                    field=field.name,
                    default=None if field.default is MISSING else field.default,
                    allowed=_allowed(hints[field.name]),
                    told=told,
                    is_list=get_origin(_bare(hints[field.name])) is tuple,
                )


def _allowed(hint: Any) -> Message:
    bare = _bare(hint)
    for each in _metadata(hint):
        if isinstance(each, Admits):
            return each.words
        if isinstance(each, Interval):
            code = "config.whole-number" if bare is int else "config.number"
            return Message(code, least=written(each.ge), most=written(each.le))
    if bare is bool:
        return Message("config.one-of", values=("0", "1"))
    if get_origin(bare) is Literal:
        return Message("config.one-of", values=get_args(bare))
    return _allowed(get_args(bare)[0]) if get_origin(bare) is tuple else Message("config.text")


def _metadata(hint: Any) -> tuple[Any, ...]:
    return tuple(hint.__metadata__) if get_origin(hint) is Annotated else ()


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint
