"""The steps of a login as an operator writes them, and the errors in them.

    open https://www.example.com/login
    fill username = {user}
    fill password = {password}
    submit form#login
    check a.logout

`fill` names a field of the form, and `{user}` is one of the secret values. `submit` and `check` take CSS or XPath;
`submit` without a selector sends the form that has the filled fields.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import BadConfiguration
from core.wording import Message
from crawler.markup import parse
from crawler.selectors import select

MAX_STEPS = 40
NAME = re.compile(r"\{(\w+)\}")  # the name of a secret value
_STEP = re.compile(r"(open|fill|submit|check)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LoginStep:
    """A step of a login.

    verb: open, fill, submit or check
    what: a URL, a field or a selector
    value: the value of `fill`, with {names}
    """

    number: int
    verb: str
    what: str
    value: str = ""

    @property
    def takes_selector(self) -> bool:
        """True if `what` is a selector."""
        return self.verb in ("submit", "check") and bool(self.what)


def parse_steps(text: str, names: Mapping[str, str] | None = None) -> tuple[LoginStep, ...]:
    """Parse the steps that a person wrote. Raises BadConfiguration that names every invalid line.

    names: the secret values that exist; a step with another name is invalid. None to allow any name
    """
    faults: list[Message] = []
    steps = [
        _parse_step(number, line.strip(), names, faults)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    found = tuple(step for step in steps if step is not None)
    if found and found[0].verb != "open":
        faults.append(Message("login.no-open"))
    if found and not any(step.verb == "check" for step in found):
        faults.append(Message("login.no-check"))
    if len(found) > MAX_STEPS:
        faults.append(Message("login.too-long", most=MAX_STEPS))
    if faults:
        raise BadConfiguration(faults)
    return found


def _parse_step(number: int, line: str, names: Mapping[str, str] | None, faults: list[Message]) -> LoginStep | None:
    found = _STEP.fullmatch(line)
    if not found:
        faults.append(Message("login.line", number=number, reason=Message("login.no-step")))
        return None
    verb, rest = found[1], (found[2] or "").strip()
    what, equals, value = rest.partition("=") if verb == "fill" else (rest, "", "")
    step = LoginStep(number, verb, what.strip(), value.strip())
    fault = _step_fault(step, bool(equals), names)
    if fault is not None:
        faults.append(Message("login.line", number=number, reason=fault))
        return None
    return step


def _step_fault(step: LoginStep, has_value: bool, names: Mapping[str, str] | None) -> Message | None:
    if not step.what and step.verb != "submit":
        return Message("login.nothing-after", verb=step.verb)
    if step.verb == "open":
        return None if urlsplit(step.what).scheme in ("http", "https") else Message("login.no-address")
    if step.verb == "fill":
        if not has_value:
            return Message("login.fill")
        missing = [name for name in NAME.findall(step.value) if names is not None and name not in names]
        return Message("login.no-secret", name=missing[0]) if missing else None
    return _selector_fault(step.what)


def _selector_fault(selector: str) -> Message | None:
    empty = parse("<html><body></body></html>")
    try:
        if selector and empty is not None:
            select(empty, selector)
    except BadConfiguration as fault:
        return fault.faults[0]
    return None
