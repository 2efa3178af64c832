"""Shares as everybody reads them: cut and written here alone, so that screen, report, command line and evidence agree.

A share is cut to the tenth of a per cent and never rounded up: it is held against somebody, and 99.96 % is not all.
What is less than a tenth of a per cent is not called nothing: it reads `<0.1%`.
"""

import math

STEPS = 1_000  # tenths of a per cent in 1
# Means of floats err by some 1e-16; two shares of texts of 10^9 characters lie 1e-9 apart.
TOLERANCE = 1e-12


def cut_share(share: float) -> float:
    """`share` of 1 as files and programs get it: its tenths of a per cent, below one of them its first digit.

    >>> cut_share(0.99996), cut_share(1.0), cut_share(0.000479), cut_share(0.0)
    (0.999, 1.0, 0.0004, 0.0)
    """
    if share <= 0:
        return 0.0
    tenths = math.floor((share + TOLERANCE) * STEPS)
    if tenths:
        return min(tenths, STEPS) / STEPS
    exponent = math.floor(math.log10(share))
    digit = min(9, max(1, math.floor(share / 10.0**exponent + TOLERANCE)))
    return float(f"{digit}e{exponent}")


def percentage(share: float) -> str:
    """`share` of 1 in per cent, with one decimal but for all and nothing.

    >>> percentage(0.99996), percentage(1.0), percentage(0.12345), percentage(0.0004), percentage(0.0)
    ('99.9%', '100%', '12.3%', '<0.1%', '0%')
    """
    cut = cut_share(share)
    if cut in (0.0, 1.0):
        return f"{cut:.0%}"
    return "<0.1%" if cut < 1 / STEPS else f"{cut:.1%}"
