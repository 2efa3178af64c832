"""The help of every verb and option, and the words that typer has around it."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from string import Template
from typing import Any

from webadmin.ui.console.words import CHINESE, language

ANYWHERE = "*"
# A Chinese character takes two columns, and typer counts characters.
CHINESE_WIDTH = 56
_TYPERS = {
    "Usage: ": "用法：",
    "Arguments:": "参数：",
    "Options:": "选项：",
    "Commands:": "命令：",
    "[OPTIONS]": "[选项]",
    "COMMAND [ARGS]...": "命令 [参数]...",
    "[default: ": "[默认：",
    "; required]": "；必填]",
    "[required]": "[必填]",
}


def localize(command: Any, *path: str) -> None:
    """Give a command of typer, and all below it, their help in the language of this command line."""
    is_chinese = language() == CHINESE
    own = words().get(" ".join(path), {})
    if is_chinese:
        command.help = command.short_help = own.get("about")
        command.epilog = own.get("epilog")
        command.context_settings = {**command.context_settings, "max_content_width": CHINESE_WIDTH}
        command.get_help = partial(_in_chinese, command.get_help)
    for param in command.params:
        if both := own.get(param.name) or words()[ANYWHERE].get(param.name):
            param.help = Template(both[is_chinese]).safe_substitute(help=param.help)
    for name, below in getattr(command, "commands", {}).items():
        localize(below, *path, name)


@cache
def words() -> Mapping[str, Mapping[str, Any]]:
    """By verb and parameter, what the help.toml beside the verbs has: here and in each application."""
    places = [files("deploy.cli"), *(each / "cli" for each in files("webadmin").iterdir())]
    found = [place / "help.toml" for place in places]
    return {
        verb: said for file in found if file.is_file() for verb, said in tomllib.loads(file.read_text("utf-8")).items()
    }


def _in_chinese(help_of: Any, context: Any) -> str:
    text = re.sub(r"Show this message\s+and exit\.", "显示此说明并退出。", help_of(context))
    for english, chinese in _TYPERS.items():
        text = text.replace(english, chinese)
    return text
