"""Long inputs: each in a process of its own, told apart by how they grow, and given up where they do not end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from laboratory.speed import long_inputs, one_input
from laboratory.speed.clock import Taken
from laboratory.speed.long_inputs import Growth, LongInput, measured
from laboratory.speed.one_input import KINDS, ONE, PRIVATE, REAL, REPEATED, TWO, Outcome, Role, Task
from tests.support.corpus_texts import story

if TYPE_CHECKING:
    from collections.abc import Callable

WORKS = [story(seed, sentences=40) for seed in range(3)]


def task(kind: str, chars: int, role: Role = Role.BOTH) -> Task:
    return Task(kind, role, chars, tuple(WORKS), 1)


def outcome(seconds: float, peak_bytes: int = 1_000) -> Outcome:
    return Outcome(Taken(0.0, 0.0), Taken(0.0, 0.0), Taken(seconds, seconds), peak_bytes, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_as_long_as_asked_for_and_the_same_each_time(kind: str) -> None:
    for chars in (2, 999, 30_000):
        assert len(KINDS[kind](task(kind, chars))) == chars
    assert KINDS[kind](task(kind, 999)) == KINDS[kind](task(kind, 999))


def test_the_texts_are_what_they_are_called() -> None:
    assert set(KINDS[ONE](task(ONE, 50))) == {"一"}
    assert KINDS[TWO](task(TWO, 5)) == "天地天地天"
    assert all("\ue000" <= character <= "\uf8ff" for character in KINDS[PRIVATE](task(PRIVATE, 500)))
    assert KINDS[REAL](replace(task(REAL, 3), source="真的文字")) == "真的文"
    real = "\n".join(WORKS)
    repeated = KINDS[REPEATED](task(REPEATED, 2 * len(real)))
    same = sum(first == second for first, second in zip(repeated, real + real, strict=True))
    assert 0.97 < same / len(repeated) < 0.99


@pytest.mark.parametrize("role", Role)
def test_a_copy_is_found_whatever_the_long_text_is(role: Role) -> None:
    found = one_input._measure(task(REPEATED, 40_000, role))
    assert found.matches >= 1
    assert found.taken.processor_s > 0
    assert found.peak_bytes >= 0


@pytest.mark.usefixtures("processes")
def test_every_input_is_measured_twice_in_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_inputs, "_INPUTS", ((REPEATED, Role.PAGE, 1.0),))
    seen = []
    (found,) = measured(WORKS, 8_000, 1, lambda done, total: seen.append((done, total)))
    assert (found.chars, found.reason) == (8_000, "")
    assert found.half is not None
    assert found.whole is not None
    assert found.whole.matches >= 1
    assert found.time_ratio is not None
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.usefixtures("processes")
def test_what_takes_too_long_is_given_up_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_inputs, "_INPUTS", ((ONE, Role.BOTH, 1.0),))
    (found,) = measured(WORKS, 8_000, 1, lambda *_: None, deadline_s=0.0)
    assert (found.half, found.whole, found.growth) == (None, None, Growth.UNKNOWN)
    assert found.reason == "4,000 characters take more than 0 s"


@pytest.mark.usefixtures("processes")
def test_what_needs_too_much_memory_is_given_up_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_inputs, "_INPUTS", ((REPEATED, Role.BOTH, 1.0),))
    monkeypatch.setattr(long_inputs, "MAX_BYTES", 1_000_000)
    (found,) = measured(WORKS, 2_000_000, 1, lambda *_: None)
    assert found.half is None
    assert "more than 0.0 GB" in found.reason


LINEAR = (outcome(1.0), outcome(2.1))
SQUARE = (outcome(1.0), outcome(3.9))
QUICK = (outcome(0.01), outcome(0.05))
GREEDY = (outcome(1.0, 50_000_000), outcome(2.0, 200_000_000))
CAPPED = (outcome(60.0), outcome(60.0))


@pytest.mark.parametrize(
    ("outcomes", "growth"),
    [
        (LINEAR, Growth.LINEAR),
        (SQUARE, Growth.FASTER),
        (QUICK, Growth.LINEAR),
        (GREEDY, Growth.FASTER),
        (CAPPED, Growth.SLOW),
    ],
)
def test_growth_is_told_by_time_and_memory(outcomes: tuple[Outcome, Outcome], growth: Growth) -> None:
    assert LongInput(ONE, Role.BOTH, 1_000_000, *outcomes, "").growth is growth


def test_a_missing_outcome_has_no_ratio() -> None:
    found = LongInput(ONE, Role.BOTH, 10, outcome(1.0), None, "why")
    figures: list[Callable[[LongInput], float | None]] = [lambda each: each.time_ratio, lambda each: each.memory_ratio]
    assert [figure(found) for figure in figures] == [None, None]
    assert found.growth is Growth.UNKNOWN
