"""What the product says to people: a code with parameters, worded in English or Chinese where it is shown.

    Message("fetch.status", url="http://a.example/9", status=404)

The words are in TOML files beside this module; the file's name is the first part of the code, its tables are the rest:
`[status]` in fetch.toml with `en` and `zh`. Texts are written as for `str.format`; a parameter that is a Message or a
term (`core.terms`) is put in its own words, several values with ", " between them, "; " where the text says
`{faults:;}`, " or " for `{kinds:or}`.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

from core.words import Words

_MARKS = {  # between several values, by the text's own mark
    "en": {"": ", ", ";": "; ", "or": " or "},
    "zh": {"": "、", ";": "；", "or": " 或 "},
}


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """Something to say; `str()` gives it in English, as logs have it."""

    code: str
    params: Mapping[str, Any]  # of str, int, float, Message, Words, and tuples of these

    def __init__(self, code: str, /, **params: object) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "params", {name: _plain(value) for name, value in params.items()})

    @classmethod
    def of(cls, code: "str | Message", /, **params: object) -> "Message":
        """The message that is given, or the one of a code."""
        return code if isinstance(code, Message) else cls(code, **params)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The message that `to_json` gave."""
        return cls(stored["code"], **{name: _loaded(value) for name, value in stored["params"].items()})

    def to_json(self) -> dict[str, Any]:
        """What is stored, so that the reader's language decides."""
        return {"code": self.code, "params": {name: _dumped(value) for name, value in self.params.items()}}

    def __str__(self) -> str:
        return say(self, "en")

    def __hash__(self) -> int:
        return hash(self.code)


def say(message: Message, language: str) -> str:
    """The message in a language, by a code such as Django's: Chinese for "zh...", else English.

    >>> say(Message("missing.site", key="甲"), "zh-hans")
    '没有网站 甲'

    One that this release has no words for is shown by its code.
    """
    code = "zh" if language.startswith("zh") else "en"
    shown = {name: _shown(value, code) for name, value in message.params.items()}
    known = texts()  # a file that is no TOML is no code without words
    try:
        return known[message.code][code].format_map(shown)
    except (KeyError, ValueError):
        return f"{message.code}: {', '.join(f'{name}={value}' for name, value in shown.items())}"


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """Every code's texts, by language."""
    return dict(_texts())


def _texts() -> Iterator[tuple[str, Mapping[str, str]]]:
    for file in files(__name__).iterdir():
        subject, _, ending = file.name.rpartition(".")
        if ending == "toml":
            for name, words in tomllib.loads(file.read_text(encoding="utf-8")).items():
                yield f"{subject}.{name}", words


class _Several(tuple[Any, ...]):
    """Shown values, joined as the text asks for; `language` decides about the marks."""

    language: str

    def __format__(self, mark: str) -> str:
        return _MARKS[self.language][mark].join(map(str, self))


def _shown(value: Any, language: str) -> Any:
    if isinstance(value, Message):
        return say(value, language)
    if isinstance(value, Words):
        return value.in_language(language)
    if isinstance(value, tuple):
        several = _Several(_shown(each, language) for each in value)
        several.language = language
        return several
    return value


def _plain(value: object) -> Any:
    """What a message keeps: of an error of ours its message, of a sequence a tuple, of anything else its text."""
    if isinstance(value, Message | Words | int | float):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_plain(each) for each in value)
    said = getattr(value, "message", None)
    return said if isinstance(said, Message) else str(value)


def _dumped(value: Any) -> Any:
    if isinstance(value, Message):
        return value.to_json()
    if isinstance(value, Words):
        return asdict(value)
    return [_dumped(each) for each in value] if isinstance(value, tuple) else value


def _loaded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Message.from_json(value) if "code" in value else Words(**value)
    return [_loaded(each) for each in value] if isinstance(value, list) else value
