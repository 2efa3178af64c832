import numpy as np
import pytest

from laboratory.scores.intervals import bootstrap, wilson


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # By the formula, worked out by hand and in agreement with Newcombe 1998, table I (81 of 263, 15 of 148, 0 of 20).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (29, 29, 0.8830, 1.0)],
)
def test_wilson_agrees_with_the_published_examples(hits, trials, low, high):
    interval = wilson(hits, trials)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_without_trials_the_interval_is_everything():
    assert tuple(wilson(0, 0)) == (0.0, 1.0)
    assert tuple(bootstrap(np.zeros((0, 2)), lambda sums: sums[:, 0])) == (0.0, 1.0)


def test_the_bootstrap_of_a_mean_is_about_two_standard_errors_wide():
    values = np.random.default_rng(1).normal(0.5, 0.1, 400)
    sums = np.stack([values, np.ones(400)], axis=1)
    interval = bootstrap(sums, lambda totals: totals[:, 0] / totals[:, 1])
    error = values.std() / 20
    assert interval.low == pytest.approx(values.mean() - 1.96 * error, abs=0.3 * error)
    assert interval.high == pytest.approx(values.mean() + 1.96 * error, abs=0.3 * error)
