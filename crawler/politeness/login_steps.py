"""The steps of a login as an operator writes them: what they are, and what is wrong with them.

    open https://www.example.com/login
    fill username = {user}
    fill password = {password}
    submit form#login
    check a.logout

`fill` names a field of the form, `{user}` one of the secret values. `submit` and `check` take CSS or XPath; `submit`
alone sends the form that has the filled fields.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import BadConfiguration
from crawler.main_text.extraction import select
from crawler.markup import parse

MAX_STEPS = 40
NAME = re.compile(r"\{(\w+)\}")  # of a secret value
_STEP = re.compile(r"(open|fill|submit|check)(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Step:
    """One line: `verb` of open, fill, submit, check; `what` a URL, field or selector; `value` of fill, unfilled."""

    number: int
    verb: str
    what: str
    value: str = ""


def parse_steps(text: str, names: Mapping[str, str] | None = None) -> tuple[Step, ...]:
    """The steps that a person wrote. Raises BadConfiguration naming every line that is none.

    names: the secret values there are; where given, a step that names another is at fault.
    """
    faults: list[str] = []
    steps = [
        _step(number, line.strip(), names, faults)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    found = tuple(step for step in steps if step is not None)
    if found and found[0].verb != "open":
        faults.append("the login does not begin with an open step; write: open https://…")
    if found and not any(step.verb == "check" for step in found):
        faults.append("the login has no check step, so that nobody knows whether it worked; write: check SELECTOR")
    if len(found) > MAX_STEPS:
        faults.append(f"the login has more than {MAX_STEPS} steps")
    if faults:
        raise BadConfiguration(faults)
    return found


def _step(number: int, line: str, names: Mapping[str, str] | None, faults: list[str]) -> Step | None:
    found = _STEP.fullmatch(line)
    if not found:
        faults.append(f"login, line {number}: a step is one of open, fill, submit, check")
        return None
    verb, rest = found[1], (found[2] or "").strip()
    what, equals, value = rest.partition("=") if verb == "fill" else (rest, "", "")
    step = Step(number, verb, what.strip(), value.strip())
    fault = _fault(step, bool(equals), names)
    if fault:
        faults.append(f"login, line {number}: {fault}")
        return None
    return step


def _fault(step: Step, has_value: bool, names: Mapping[str, str] | None) -> str:
    if not step.what and step.verb != "submit":
        return f"{step.verb} needs something after it"
    if step.verb == "open":
        return "" if urlsplit(step.what).scheme in ("http", "https") else "open needs a whole address, https://…"
    if step.verb == "fill":
        if not has_value:
            return "fill is written like: fill password = {password}"
        missing = [name for name in NAME.findall(step.value) if names is not None and name not in names]
        return f"there is no secret value named {missing[0]}" if missing else ""
    return _selector_fault(step.what)


def _selector_fault(selector: str) -> str:
    empty = parse("<html><body></body></html>")
    try:
        if selector and empty is not None:
            select(empty, selector)
    except BadConfiguration as fault:
        return fault.faults[0]
    return ""
