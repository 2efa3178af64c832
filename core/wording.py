"""Messages to people: a code with parameters, translated into English or Chinese when it is displayed.

    Message("fetch.status", url="http://a.example/9", status=404)

The gettext catalogues in `core/locale` contain the texts; the code is the msgid. Texts use the syntax of `str.format`.
A Message as a parameter is translated too. Several values are joined by ", ", with `{faults:;}` by "; ", and with
`{kinds:or}` by " or ". `python -m webadmin.translation` checks and compiles the catalogues.
"""

import gettext
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

CATALOGUES = Path(__file__).parent / "locale"
DOMAIN = "zhuiwen"
_MARKS = {  # separators of several values, by the format specification in the text
    "en": {"": ", ", ";": "; ", "or": " or "},
    "zh": {"": "、", ";": "；", "or": " 或 "},
}


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A message to people. `str()` returns it in English, for logs."""

    code: str
    params: Mapping[str, Any]  # of str, int, float, Message, and tuples of these

    def __init__(self, code: str, /, **params: object) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "params", {name: _convert_parameter(value) for name, value in params.items()})

    @classmethod
    def from_code(cls, code: "str | Message", /, **params: object) -> "Message":
        """Return `code` if it is a message already, otherwise a new message with this code."""
        return code if isinstance(code, Message) else cls(code, **params)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the message from the output of `to_json`."""
        return cls(stored["code"], **{name: _load_parameter(value) for name, value in stored["params"].items()})

    def to_json(self) -> dict[str, Any]:
        """Return the message for storage, untranslated, so that it can be displayed in the reader's language."""
        return {"code": self.code, "params": {name: _dump_parameter(value) for name, value in self.params.items()}}

    def in_language(self, language: str) -> str:
        """Return the translation for a language code such as Django's: Chinese for "zh...", else English.

        >>> Message("missing.site", key="甲").in_language("zh-hans")
        '没有网站 甲'

        A code without a translation is returned unchanged, with its parameters.
        """
        code = "zh" if language.startswith("zh") else "en"
        translated = {name: _translate_value(value, code) for name, value in self.params.items()}
        try:
            return find_words(self.code, code).format_map(translated)
        except (KeyError, ValueError):
            return f"{self.code}: {', '.join(f'{name}={value}' for name, value in translated.items())}"

    def __str__(self) -> str:
        return self.in_language("en")

    def __hash__(self) -> int:
        return hash(self.code)


def has_words(code: str) -> bool:
    """Return whether the catalogues contain a code."""
    return _load_catalogue("en").gettext(code) != code


def find_words(code: str, language: str) -> str:
    """Return the text of a code, with placeholders. Raises KeyError if the code is unknown."""
    words = _load_catalogue(language).gettext(code)
    if words == code:
        raise KeyError(code)
    return words


@cache
def _load_catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, CATALOGUES, ["zh_Hans" if language == "zh" else "en"])


class _Several(tuple[Any, ...]):
    """Several translated values, joined by the format specification and the separators of a language."""

    language: str

    def __format__(self, mark: str) -> str:
        return _MARKS[self.language][mark].join(map(str, self))


def _translate_value(value: Any, language: str) -> Any:
    if isinstance(value, Message):
        return value.in_language(language)
    if isinstance(value, tuple):
        joined = _Several(_translate_value(item, language) for item in value)
        joined.language = language
        return joined
    return value


def _convert_parameter(value: object) -> Any:
    """Convert a parameter for a message: an error to its message, a sequence to a tuple, other objects to text."""
    if isinstance(value, Message | int | float):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_convert_parameter(item) for item in value)
    message = getattr(value, "message", None)
    return message if isinstance(message, Message) else str(value)


def _dump_parameter(value: Any) -> Any:
    if isinstance(value, Message):
        return value.to_json()
    return [_dump_parameter(each) for each in value] if isinstance(value, tuple) else value


def _load_parameter(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Message.from_json(value)
    return [_load_parameter(each) for each in value] if isinstance(value, list) else value
