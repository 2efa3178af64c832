"""Machine code on disk: used again as long as nothing changed that it was made from, wherever that stands."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from fingerprint.compilation import kernel, source_digest

Load = Callable[..., ModuleType]

CALLER = """
from fingerprint.compilation import kernel
from {callee} import {names}


@kernel()
def total(numbers):
    return {expression}
"""
CALLEE = """
from typing import NamedTuple

from fingerprint.compilation import kernel

FACTOR = {factor}


class Pair(NamedTuple):
    {first}: int
    {second}: int


@kernel(allocates=False)
def scale(number):
    return number * FACTOR{more}
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Writes a module into the folder of the test and imports it anew."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # an old .pyc of the same size and second would be taken

    def load(name: str, source: str, /, **values: object) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(source.format(**values), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load


def total_of(load: Load, expression: str = "scale(numbers.sum())", **changed: object) -> tuple[int, bool]:
    """Return what a kernel gives that calls one of another module, and whether its code was on disk."""
    load("callee", CALLEE, **{"factor": 2, "more": "", "first": "a", "second": "b"} | changed)
    total = load("caller", CALLER, callee="callee", names="Pair, scale", expression=expression).total
    found = total(np.arange(5))
    return found, sum(total.stats.cache_hits.values()) > 0


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({"more": " + 1"}, 21), ({"factor": 3}, 30)],
    ids=["a kernel that it calls in another module", "a constant of its callee"],
)
def test_a_kernel_is_compiled_anew_when_what_it_is_made_of_changed(
    load: Load, changed: dict[str, object], expected: int
) -> None:
    assert total_of(load) == (20, False)
    assert total_of(load, **changed) == (expected, False)
    assert total_of(load) == (20, True)


def test_code_that_was_stored_for_a_type_that_has_gone_is_compiled_anew(load: Load) -> None:
    source = """
from typing import NamedTuple

from fingerprint.compilation import kernel


class {name}(NamedTuple):
    first: int


@kernel()
def first_of(pair):
    return pair.first
"""
    old = load("typed", source, name="Old")
    assert old.first_of(old.Old(7)) == 7
    new = load("typed", source, name="New")
    assert new.first_of(new.New(8)) == 8


def test_a_kernel_may_not_name_what_may_change_unnoticed() -> None:
    def reads_a_list(number: int) -> int:
        return number + len(TABLE)

    with pytest.raises(TypeError, match="names TABLE, which is neither a number nor a kernel"):
        source_digest(reads_a_list)


def test_a_kernel_that_returns_arrays_must_count_their_references() -> None:
    def doubled(numbers: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
        return 1, numbers

    with pytest.raises(TypeError, match="returns an array"):
        kernel(allocates=False)(doubled)


TABLE = [1, 2]
