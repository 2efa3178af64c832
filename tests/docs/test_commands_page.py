"""docs/commands.md is what `make reference` writes."""

from deploy.cli.reference import PAGE, render_page


def test_the_page_has_every_verb_of_the_program_with_its_options() -> None:
    assert PAGE.read_text("utf-8") == render_page(), "run make reference"
