"""Each code has words in both languages, each is used, and what is raised has the parameters that its words name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from core.addressees import AddresseeRole, CounterRule, Paper
from core.contacts import ContactKind, ContactSource
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import ArchiveReason, CaseState, LeftOut, Rejection, Verdict
from core.terms import term
from core.wording import Message
from core.zones import Zone
from webadmin.notices.services.legal_fields import Law
from webadmin.translation import message_faults, messages, placeholders

# Enumerations whose members have a name for people.
NAMED = (
    MatchClass, RewordedClass, RewordedState, CaseState, Verdict, LeftOut, Rejection, ArchiveReason, Zone,
    Obfuscation, AddresseeRole, Paper, CounterRule, ContactKind, ContactSource, Law,
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")
ERRORS = {"ZhuiwenError", "RequestRefused", "Postponed"}  # what Scrapy is told is no error of ours
CODE_NAMES = ("code", "fault", "kind")  # what an __init__ calls the argument that is a code


class Call(NamedTuple):
    where: str
    code: str | None  # None where it is no literal
    params: frozenset[str] | None  # None where they come as **params


class Initialiser(NamedTuple):
    position: int
    prefix: str
    own: frozenset[str]


@cache
def modules() -> dict[str, ast.Module]:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def classes() -> dict[str, ast.ClassDef]:
    return {n.name: n for tree in modules().values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}


def bases_of(name: str) -> Iterator[str]:
    yield name
    if name in classes():
        for base in classes()[name].bases:
            if isinstance(base, ast.Name) and base.id != name:
                yield from bases_of(base.id)


def initialiser(name: str) -> Initialiser | None:
    """Where the code stands among the arguments of a class of errors; None where it has words of its own."""
    for base in bases_of(name):
        for node in classes()[base].body if base in classes() else ():
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                return described(node, method=True)
    return None


def described(function: ast.FunctionDef | ast.AsyncFunctionDef, *, method: bool) -> Initialiser | None:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][method:]
    names_of_code = [name for name in names if name in CODE_NAMES]
    if not names_of_code:
        return None
    prefix = "missing." if names_of_code[0] == "kind" else ""
    own = frozenset(each.arg for each in (*function.args.args, *function.args.kwonlyargs))
    return Initialiser(names.index(names_of_code[0]), prefix, own)


@cache
def errors() -> frozenset[str]:
    return frozenset(name for name in classes() if ERRORS & set(bases_of(name)))


@cache
def calls() -> tuple[Call, ...]:
    return tuple(_calls())


def _calls() -> Iterator[Call]:
    for path, tree in modules().items():
        helpers = {
            node.name: found
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name != "__init__"
            and node.args.kwarg
            and "code" in [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            and (found := described(node, method=is_method(node)))
        }
        for scope, node in scoped(tree, ""):
            expected = meant(node, scope, helpers)
            if expected and len(node.args) > expected.position and not isinstance(node.args[0], ast.Starred):
                yield from of_call(f"{path}:{node.lineno}", node, expected)


def is_method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return {"self", "cls"} & {each.arg for each in (*node.args.posonlyargs, *node.args.args)[:1]} != set()


def scoped(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call, with the class that it stands in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield scope, child
        yield from scoped(child, child.name if isinstance(child, ast.ClassDef) else scope)


def meant(node: ast.Call, scope: str, helpers: dict[str, Initialiser]) -> Initialiser | None:
    match node.func:
        case ast.Name(id="Message" | "words") | ast.Attribute(value=ast.Name(id="Message"), attr="of"):
            return Initialiser(0, "", frozenset())
        case ast.Name(id=name) if name in errors():
            return initialiser(name)
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name) if name in helpers:
            return helpers[name]
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__") if scope in errors():
            return next((found for base in list(bases_of(scope))[1:] if (found := initialiser(base))), None)
    return None


def of_call(where: str, node: ast.Call, expected: Initialiser) -> Iterator[Call]:
    names = {keyword.arg for keyword in node.keywords}
    params = None if None in names else frozenset(name for name in names if name) - expected.own
    for code in literals(node.args[expected.position]):
        code_of_kind = f"{expected.prefix}{code}" if code and expected.prefix else code
        yield Call(where, code_of_kind, params | {"key"} if expected.prefix and params is not None else params)


def literals(node: ast.expr) -> Iterator[str | None]:
    match node:
        case ast.Constant(value=str(code)):
            yield code
        case ast.IfExp(body=body, orelse=orelse):
            yield from literals(body)
            yield from literals(orelse)
        case ast.List(elts=several) | ast.Tuple(elts=several):
            for each in several:
                yield from (code for code in literals(each) if code)
        case ast.JoinedStr():
            fixed = (str(part.value) for part in node.values if isinstance(part, ast.Constant))
            yield "a finished sentence" if " " in "".join(fixed) else None
        case _:
            yield None


@cache
def texts() -> dict[str, dict[str, str]]:
    return messages()


def test_every_call_has_a_known_code_and_the_parameters_of_its_words() -> None:
    wrong = []
    for call in calls():
        if call.code is None:
            continue
        if call.code not in texts():
            wrong.append(f"{call.where}: no words for {call.code!r}")
        elif call.params is not None and call.params != (wanted := placeholders(texts()[call.code]["en"])):
            wrong.append(f"{call.where}: {call.code} takes {sorted(wanted)}, not {sorted(call.params)}")
    assert not wrong, "\n".join(wrong)


def test_each_code_has_both_languages_with_the_same_parameters() -> None:
    assert list(message_faults()) == []
    assert all(name.isidentifier() for words in texts().values() for name in placeholders(words["en"]))


def test_the_words_of_each_code_take_the_kinds_of_values_that_they_ask_for() -> None:
    for code, words in texts().items():
        for language, text in words.items():
            asked = [(name, form) for _, name, form, _ in Formatter().parse(text) if name is not None]
            values = {name: ("一", "二") if form in (";", "or") else 7 if form else "值" for name, form in asked}
            assert not Message(code, **values).in_language(language).startswith(f"{code}: "), code


def test_every_code_is_used() -> None:
    said = {
        node.value
        for tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    said |= {call.code for call in calls() if call.code}
    begun = {  # codes of which the last part is the kind of something
        node.values[0].value
        for tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant)
    }
    begun = tuple(each for each in begun if re.fullmatch(r"[a-z-]+\.(?:[a-z-]+-)?", each))
    said |= {term(member).code for kind in NAMED for member in kind}
    assert [code for code in sorted(set(texts()) - said) if not code.startswith((*begun, "phrase.", "help."))] == []


def test_no_two_members_of_an_enumeration_are_called_the_same() -> None:
    for kind in NAMED:
        for language in ("en", "zh_Hans"):
            assert len({texts()[term(member).code][language] for member in kind}) == len(kind), kind
