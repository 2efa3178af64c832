"""docs/settings.md has every setting with the default and the meaning that the program has."""

import re
from pathlib import Path

from core.known_settings import environment_variable, format_value, known_settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text("utf-8")
HOME = (
    "| `ZHUIWEN_HOME` | `var/` of a checkout, else `~/.local/share/zhuiwen` | what the embedded services store, logs,"
    " settings, secrets, reports, `cache/` of what can be recreated |"
)


def table() -> list[str]:
    """The rows of the page, as the models of the settings have them."""
    rows = [
        f"| `{environment_variable(name)}`"
        f" | {known.declaration.default or f'`{format_value(known.default)}`'} | {known.declaration.meaning} |"
        for name, known in known_settings().items()
    ]
    return [HOME, *rows]


def test_the_page_has_the_settings_of_the_program_with_their_defaults_and_meanings() -> None:
    stated = re.findall(r"^\| `ZHUIWEN_.*\|$", PAGE, flags=re.MULTILINE)
    assert stated == table(), "write into docs/settings.md:\n" + "\n".join(table())


def test_every_setting_that_the_text_names_exists() -> None:
    known = {environment_variable(name) for name in ("home", *known_settings())}
    assert set(re.findall(r"ZHUIWEN_[A-Z0-9_]*[A-Z]", PAGE)) <= known
