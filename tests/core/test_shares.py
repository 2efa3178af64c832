"""How shares are cut and written."""

from hypothesis import example, given
from hypothesis import strategies as st

from core.shares import cut_share, format_percentage

SHARES = st.floats(0, 1, allow_subnormal=False)
RATIOS = st.integers(1, 10**9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))


@given(SHARES)
def test_a_share_is_never_written_larger_than_it_is(share: float) -> None:
    assert cut_share(share) <= share + 1e-12


@given(SHARES)
def test_cutting_twice_changes_nothing_and_reads_the_same(share: float) -> None:
    cut = cut_share(share)
    assert cut_share(cut) == cut
    assert format_percentage(cut) == format_percentage(share)


@given(RATIOS)
@example((999_999_999, 1_000_000_000))
@example((1, 1_000_000_000))
def test_only_all_reads_as_all_and_only_nothing_as_nothing(ratio: tuple[int, int]) -> None:
    part, whole = ratio
    assert (format_percentage(part / whole) == "100%") == (part == whole)
    assert (format_percentage(part / whole) == "0%") == (part == 0)
    assert (cut_share(part / whole) in (0.0, 1.0)) == (part in (0, whole))


@given(SHARES, SHARES)
def test_the_larger_share_is_never_written_smaller(one: float, other: float) -> None:
    small, large = sorted((one, other))
    assert cut_share(small) <= cut_share(large)
