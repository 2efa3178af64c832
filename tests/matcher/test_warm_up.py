from matcher.warm_up import warm_up


def test_warming_up_matches_a_page() -> None:
    assert warm_up()
