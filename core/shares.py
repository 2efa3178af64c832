"""Formats shares in one way, so that screens, reports, the command line and evidence agree.

A share is truncated to a tenth of a per cent and never rounded up, because it is used as evidence:
99.96 % is not 100 %. A share below a tenth of a per cent is shown as `<0.1%`, not as 0.
"""

import math

STEPS = 1_000  # tenths of a per cent in 1
# Means of floats have errors of about 1e-16; two shares of texts of 10^9 characters differ by at least 1e-9.
TOLERANCE = 1e-12


def cut_share(share: float) -> float:
    """Truncate a share to tenths of a per cent, or to its first digit if it is smaller, for files and programs.

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


def format_percentage(share: float) -> str:
    """Format a share as a percentage with one decimal; 0 and 1 have none.

    >>> format_percentage(0.99996), format_percentage(1.0), format_percentage(0.12345)
    ('99.9%', '100%', '12.3%')
    >>> format_percentage(0.0004), format_percentage(0.0)
    ('<0.1%', '0%')
    """
    cut = cut_share(share)
    if cut in (0.0, 1.0):
        return f"{cut:.0%}"
    return "<0.1%" if cut < 1 / STEPS else f"{cut:.1%}"
