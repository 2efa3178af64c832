"""Translates the help of all commands and options, and the words that typer adds."""

import re
from functools import partial
from typing import Any

from core.wording import Message, has_words
from webadmin.ui.console.words import CHINESE, console_language, translate_for_console

# A Chinese character is two columns wide, and typer counts characters.
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
    """Set the help of a command and its subcommands in the language of the command line. path: the command's names."""
    is_chinese = console_language() == CHINESE
    code = f"help.{'-'.join(path) or 'zhuiwen'}"
    if has_words(code):
        command.help = command.short_help = translate_for_console(Message(code))
    if has_words(f"{code}.epilog"):
        command.epilog = translate_for_console(Message(f"{code}.epilog"))
    if is_chinese:
        command.context_settings = {**command.context_settings, "max_content_width": CHINESE_WIDTH}
        command.get_help = partial(_chinese_help, command.get_help)
    for param in command.params:
        # A parameter with the same meaning in all commands has a single text.
        known = next(filter(has_words, (f"{code}.{param.name}", f"help.any.{param.name}")), None)
        if known is not None:
            param.help = translate_for_console(Message(known, help=param.help))
    for name, below in getattr(command, "commands", {}).items():
        localize(below, *path, name)


def _chinese_help(help_of: Any, context: Any) -> str:
    text = re.sub(r"Show this message\s+and exit\.", "显示此说明并退出。", help_of(context))
    for english, chinese in _TYPERS.items():
        text = text.replace(english, chinese)
    return text
