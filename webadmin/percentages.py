"""How the desk writes shares: one way in lists, on a case, and in tooltips."""


def percentage(share: float) -> str:
    """Write a share of 1 in per cent with one decimal; never rounded up to 100.

    >>> percentage(0.99996), percentage(1.0), percentage(0.12345)
    ('99.9%', '100%', '12.3%')
    """
    return "100%" if share >= 1 else f"{int(share * 1000 + 1e-9) / 10:.1f}%"
