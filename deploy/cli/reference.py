"""Writes docs/commands.md (`make reference`): all commands with their arguments and options, in both languages."""

from pathlib import Path
from typing import Any

import typer

from core.wording import Message
from deploy.cli.app import build

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAD = """# Commands

All that `zhuiwen` can do, written by `make reference` out of the program. An option in brackets may be left out.
`zhuiwen VERB --help` explains each argument and option, in English or Chinese. `--json` is for programs: one value,
the same in both languages. A command ends with 0 when it is done, 1 when it failed, 2 when its arguments or a file are
wrong, unless its line says otherwise.

"""


def render_page() -> str:
    """Return the content of docs/commands.md: the commands without subcommands, then those of each group."""
    verbs = _subcommands(typer.main.get_command(build([])))
    lines = [HEAD, *(_command_line(name, each) for name, each in verbs.items() if not _subcommands(each))]
    for name, group in verbs.items():
        if _subcommands(group):
            lines.append(f"\n## {name}\n\n")
            lines += [_command_line(f"{name} {below}", each) for below, each in _subcommands(group).items()]
    return "".join(lines)


def _command_line(path: str, command: Any) -> str:
    parts = [path]
    for param in command.params:
        name = param.opts[0] if param.param_type_name == "option" else param.metavar or param.name.upper()
        parts.append(name if param.required or name.startswith("[") else f"[{name}]")
    about = Message(f"help.{path.replace(' ', '-')}")
    return f"- `{' '.join(parts)}`\\\n  {about}\\\n  {about.in_language('zh')}\n"


def _subcommands(command: Any) -> dict[str, Any]:
    return getattr(command, "commands", {})


if __name__ == "__main__":
    PAGE.write_text(render_page(), "utf-8")
