"""docs/settings.md names every variable that the program reads, with the default that it has."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.settings import Settings, load
from core.variables import PREFIX

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
ROWS = dict(re.findall(r"^\| `(ZHUIWEN_\w+)` \| (.+?) \|", PAGE.read_text("utf-8"), flags=re.MULTILINE))


class Recorder(Mapping[str, str]):
    """An empty environment that remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_every_setting_stands_on_the_page_and_no_other() -> None:
    environ = Recorder()
    load(environ)
    assert set(ROWS) == environ.asked


def test_the_page_states_the_defaults_that_the_program_has() -> None:
    defaults = {**_values(load({}))}
    stated = {name: text.strip("`") for name, text in ROWS.items() if text.startswith("`") and "`" not in text[1:-1]}
    checked = {name for name in stated if name.removeprefix(PREFIX).lower() in defaults}
    assert len(checked) > 15
    for name in checked:
        assert stated[name] == defaults[name.removeprefix(PREFIX).lower()], name


def _values(settings: Settings) -> dict[str, str]:
    renamed = {"timeout_s": "crawl_timeout_s", "is_https": "https"}
    values = {}
    for section in (settings.services, settings.crawl, settings.pipeline, settings.web):
        for field in type(section).__dataclass_fields__:
            value = getattr(section, field)
            values[renamed.get(field, field)] = _written(value)
    return values


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
