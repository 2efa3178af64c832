"""`zhuiwen bench admin` as its users meet it, and how it counts; a whole run takes minutes and is no test."""

from __future__ import annotations

import pytest

from laboratory.desk.measuring import Times
from tests.support.command_line import CommandLine, zhuiwen

__all__ = ["zhuiwen"]


def test_too_few_cases_are_refused_in_one_sentence(zhuiwen: CommandLine) -> None:
    done = zhuiwen("bench", "admin", "--cases", 1)
    assert done.code == 2
    assert "--cases" in done.err


@pytest.mark.parametrize(
    ("seconds", "median_ms", "p95_ms", "is_met"),
    [
        ([0.1, 0.2, 0.3], 200.0, 300.0, True),
        ([0.2] * 19 + [5.0], 200.0, 200.0, True),  # the one in twenty that the percentile leaves out
        ([0.2] * 18 + [5.0] * 2, 200.0, 5_000.0, False),
        ([0.3] * 5, 300.0, 300.0, False),
    ],
)
def test_the_first_time_counts_in_neither_figure(
    seconds: list[float], median_ms: float, p95_ms: float, is_met: bool
) -> None:
    times = Times.of(9.0, seconds, [0.5])
    assert (times.first_ms, times.median_ms, times.p95_ms, times.is_met) == (9_000.0, median_ms, p95_ms, is_met)
    assert times.processor_ms == 500.0
