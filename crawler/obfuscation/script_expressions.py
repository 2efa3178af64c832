"""The value of an expression of JavaScript that puts a text together from literals; nothing is executed.

Read are strings, numbers, arrays, names bound to such before, and a dozen methods without side effects. Anything else
has no value here: what needs a loop or a function is for a browser.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from crawler.obfuscation.encoded import from_base64

Value = str | float | list["Value"]

MAX_VALUE_CHARS = 500_000  # of a text, or of all in an array, however often it stands there; a chapter has 30,000
MAX_TOKENS = 200_000  # of one expression
MAX_DEPTH = 60
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\$])*`)"""
    r"""|(?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)|(?P<name>[A-Za-z_$][\w$]*)|(?P<sign>[\[\](),.+;:?={}<>!&|*/%^~-]))""",
    re.DOTALL,
)
_SPREAD = re.compile(r"\s*\.\.\.")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_PERCENT_U = re.compile(r"%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})")


class NoValue(Exception):
    """The expression is none of those that are read here."""


class Expression:
    """One expression, read from a place in a text; `is_assembled` tells whether anything was decoded or joined."""

    def __init__(self, source: str, names: Mapping[str, Value], at: int = 0) -> None:
        self._source, self._names = source, names
        self._at, self._tokens = at, 0
        self.is_assembled = False

    def value(self) -> Value:
        """Raises NoValue."""
        result = self._sum(0)
        if self._peek()[1] not in ("", ";", ",", ")", "}", "]") and not self._is_new_line():
            raise NoValue
        return result

    @property
    def end(self) -> int:
        """Where the expression ends in its source."""
        return self._at

    def _sum(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise NoValue
        result = self._chain(depth)
        while self._peek()[1] == "+":
            self._take()
            result = _added(result, self._chain(depth))
            self.is_assembled = True
        return result

    def _chain(self, depth: int) -> Value:
        result = self._primary(depth)
        while True:
            sign = self._peek()[1]
            if sign == "." and isinstance(result, str | list):
                self._take()
                name = self._take("name")
                result = self._method(result, name, depth)
            elif sign == "[" and isinstance(result, str | list):
                self._take()
                result = _element(result, self._sum(depth + 1))
                self._expect("]")
            else:
                return result

    def _method(self, subject: "str | list[Value]", name: str, depth: int) -> Value:
        if name == "length":
            return float(len(subject))
        method = _METHODS.get(name)
        if method is None:
            raise NoValue
        self.is_assembled = True
        return _bounded(method(subject, self._arguments(depth)))

    def _primary(self, depth: int) -> Value:
        kind, text = self._peek()
        self._take()
        if kind == "string":
            return _unquoted(text)
        if kind == "number":
            return float(int(text, 16)) if text[:2].lower() == "0x" else float(text)
        if text == "(":
            result = self._sum(depth + 1)
            self._expect(")")
            return result
        if text == "[":
            return self._list("]", depth)
        if kind == "name":
            return self._named(text, depth)
        raise NoValue

    def _named(self, name: str, depth: int) -> Value:
        while name in ("window", "self", "globalThis", "String", "Base64", "CryptoJS") and self._peek()[1] == ".":
            self._take()
            name = f"{name}.{self._take('name')}" if name in ("String", "Base64") else self._take("name")
        if name in _FUNCTIONS:
            if self._peek()[1] == ".":  # String.fromCharCode.apply(null, [...])
                self._take()
                if self._take("name") != "apply":
                    raise NoValue
                arguments = self._arguments(depth, may_skip_first=True)[-1:]
                arguments = arguments[0] if arguments and isinstance(arguments[0], list) else []
            else:
                arguments = self._arguments(depth)
            self.is_assembled = True
            return _bounded(_FUNCTIONS[name](arguments))
        if name in self._names:
            return self._names[name]
        raise NoValue

    def _arguments(self, depth: int, *, may_skip_first: bool = False) -> "list[Value]":
        self._expect("(")
        if may_skip_first and self._peek()[1] in ("null", "this", "String", "undefined"):
            self._take()
            self._expect(",")
        return self._list(")", depth)

    def _list(self, end: str, depth: int) -> "list[Value]":
        result: list[Value] = []
        while self._peek()[1] != end:
            spread = _SPREAD.match(self._source, self._at)
            if spread:
                self._at = spread.end()
            value = self._sum(depth + 1)
            result += value if spread and isinstance(value, list) else [value]
            if self._peek()[1] != ",":
                break
            self._take()
        self._expect(end)
        require_small(result)
        return result

    def _peek(self) -> tuple[str, str]:
        match = _TOKEN.match(self._source, self._at)
        if match is None or match.lastgroup is None:
            return "", ""
        return match.lastgroup, match[match.lastgroup]

    def _take(self, kind: str = "") -> str:
        match = _TOKEN.match(self._source, self._at)
        self._tokens += 1
        if match is None or match.lastgroup is None or self._tokens > MAX_TOKENS:
            raise NoValue
        if kind and match.lastgroup != kind:
            raise NoValue
        self._at = match.end()
        return match[match.lastgroup]

    def _expect(self, sign: str) -> None:
        if self._take() != sign:
            raise NoValue

    def _is_new_line(self) -> bool:
        return bool(re.match(r"[ \t]*(?:\r?\n|//|/\*|<|$)", self._source[self._at : self._at + 200]))


def _unquoted(literal: str) -> str:
    def char(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code:
            return chr(int(code, 16)) if int(code, 16) < 0x110000 else "\ufffd"
        return _ESCAPES.get(match[4], match[4])

    return _joined_surrogates(_ESCAPE.sub(char, literal[1:-1]))


def _joined_surrogates(text: str) -> str:
    return (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if re.search("[\ud800-\udfff]", text)
        else text
    )


def _added(one: Value, other: Value) -> Value:
    if isinstance(one, float) and isinstance(other, float):
        return one + other
    return _bounded(_text(one) + _text(other))


def _text(value: Value) -> str:
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return value if isinstance(value, str) else f"{value:g}"


def _element(subject: "str | list[Value]", number: Value) -> Value:
    if not isinstance(number, float) or not 0 <= number < len(subject):
        raise NoValue
    return subject[int(number)]


def require_small(value: Value) -> int:
    """How much all in a value is. Raises NoValue for more than MAX_VALUE_CHARS, before anything is made of it."""
    size, pending = 0, [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str | list):
            size += len(each)
            pending += each if isinstance(each, list) else ()
        if size > MAX_VALUE_CHARS:
            raise NoValue
    return size


def _bounded(value: Value) -> Value:
    require_small(value)
    return value


def _first(arguments: Sequence[Value]) -> str:
    if not arguments or not isinstance(arguments[0], str):
        raise NoValue
    return arguments[0]


def _atob(arguments: Sequence[Value]) -> Value:
    data = from_base64(_first(arguments))
    if data is None:
        raise NoValue
    return data.decode("latin-1")


def _decoded_base64(arguments: Sequence[Value]) -> Value:
    data = from_base64(_first(arguments))
    if data is None:
        raise NoValue
    return data.decode("utf-8", "replace")


def _unescape(arguments: Sequence[Value]) -> Value:
    decoded = _PERCENT_U.sub(lambda match: chr(int(match[1] or match[2], 16)), _first(arguments))
    return _joined_surrogates(decoded)


def _escape(arguments: Sequence[Value]) -> Value:
    """As `escape` does it for what `atob` gives: code points below 256."""
    return "".join(char if char.isascii() and char.isalnum() else f"%{ord(char):02X}" for char in _first(arguments))


def _from_codes(arguments: Sequence[Value]) -> Value:
    codes = [int(code) for code in arguments if isinstance(code, float) and 0 <= code < 0x110000]
    return _joined_surrogates("".join(map(chr, codes)))


def _parsed(arguments: Sequence[Value]) -> Value:
    try:
        value = json.loads(_first(arguments))
    except (ValueError, RecursionError) as fault:
        raise NoValue from fault
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return list(value)
    if isinstance(value, str):
        return value
    raise NoValue


def _join(subject: Value, arguments: Sequence[Value]) -> Value:
    separator = _text(arguments[0]) if arguments else ","
    if not isinstance(subject, list) or len(separator) * len(subject) > MAX_VALUE_CHARS:
        raise NoValue
    return separator.join(map(_text, subject))


def _split(subject: Value, arguments: Sequence[Value]) -> Value:
    if not isinstance(subject, str):
        raise NoValue
    separator = _first(arguments)
    return list(subject.split(separator)) if separator else list(subject)


def _reverse(subject: Value, arguments: Sequence[Value]) -> Value:
    if not isinstance(subject, list):
        raise NoValue
    return subject[::-1]


def _concat(subject: Value, arguments: Sequence[Value]) -> Value:
    if isinstance(subject, str):
        return subject + "".join(map(_text, arguments))  # each is small, and there are as many as tokens
    if isinstance(subject, list):
        return [*subject, *(part for each in arguments for part in (each if isinstance(each, list) else [each]))]
    raise NoValue


def _slice(subject: Value, arguments: Sequence[Value]) -> Value:
    if isinstance(subject, float) or not all(isinstance(each, float) for each in arguments):
        raise NoValue
    bounds = [int(each) for each in arguments if isinstance(each, float)]
    return subject[slice(*([*bounds, None, None][:2]))]


def _replace(subject: Value, arguments: Sequence[Value]) -> Value:
    if not isinstance(subject, str) or len(arguments) != 2:
        raise NoValue
    old, new = (_text(each) for each in arguments)
    if len(new) > 100:
        raise NoValue
    return subject.replace(old, new, 1)


def _replace_all(subject: Value, arguments: Sequence[Value]) -> Value:
    if not isinstance(subject, str) or len(arguments) != 2 or len(_text(arguments[1])) > len(_text(arguments[0])):
        raise NoValue
    return subject.replace(_text(arguments[0]), _text(arguments[1]))


def _trim(subject: Value, arguments: Sequence[Value]) -> Value:
    if not isinstance(subject, str):
        raise NoValue
    return subject.strip()


_FUNCTIONS: dict[str, Callable[[Sequence[Value]], Value]] = {
    "atob": _atob,
    "Base64.decode": _decoded_base64,
    "unescape": _unescape,
    "escape": _escape,
    "decodeURIComponent": lambda arguments: unquote(_first(arguments), errors="replace"),
    "decodeURI": lambda arguments: unquote(_first(arguments), errors="replace"),
    "String.fromCharCode": _from_codes,
    "String.fromCodePoint": _from_codes,
    "parse": _parsed,
}
_METHODS: dict[str, Callable[[Value, Sequence[Value]], Value]] = {
    "join": _join,
    "split": _split,
    "reverse": _reverse,
    "concat": _concat,
    "slice": _slice,
    "substring": _slice,
    "replace": _replace,
    "replaceAll": _replace_all,
    "trim": _trim,
}
