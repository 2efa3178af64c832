from matcher.ahead import compile_ahead


def test_what_is_compiled_ahead_matches_a_page() -> None:
    assert compile_ahead()
