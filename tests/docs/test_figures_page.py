"""docs/figures.md is what `python -m laboratory.figures` writes."""

from laboratory.figures import PAGE, render_page


def test_the_page_is_what_the_command_writes() -> None:
    assert PAGE.read_text("utf-8") == render_page(), "run python -m laboratory.figures"
