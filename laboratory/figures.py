"""Writes docs/figures.md from figures.json: the newest figure of each target. `python -m laboratory.figures`.

After a measurement, write the figure and date into figures.json and run the command; a test compares the page with it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

FIGURES = Path(__file__).with_name("figures.json")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "figures.md"


class Group(TypedDict):
    """The results of one command on one day: name, figure and target of each row. Without command: measured once."""

    title: str
    command: str
    date: str
    note: str
    figures: list[tuple[str, str, str]]


def render_page() -> str:
    """Return the page for the contents of figures.json."""
    data = json.loads(FIGURES.read_text("utf-8"))
    return "\n".join(_head(data["machine"])) + "".join(_section(group) for group in data["groups"])


def _head(machine: str) -> Iterator[str]:
    yield "# Figures"
    yield ""
    yield "The newest figure of each measured target, with its date and the command that measures it. Written by"
    yield "`python -m laboratory.figures` out of `laboratory/figures.json`; what the classes and measures are:"
    yield "[the laboratory](laboratory.md)."
    yield ""
    yield f"Machine: {machine}."
    yield ""


def _section(group: Group) -> str:
    command = f"`{group['command']}`" if group["command"] else "Measured once"
    about = " ".join(filter(None, [f"{command}, {group['date']}.", group.get("note")]))
    rows = (
        f"- {what}: **{figure}**{f' (target {target})' if target else ''}" for what, figure, target in group["figures"]
    )
    return "\n".join(["", f"## {group['title']}", "", about, "", *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(render_page(), "utf-8")
