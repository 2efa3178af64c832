"""The language of the command line: which one it is, and that all of it is there in both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer

from deploy import started
from deploy.cli import help as help_texts
from deploy.cli.app import build
from deploy.home import prepare
from tests.support.command_line import CommandLine
from webadmin.translation import messages
from webadmin.ui.console import words
from webadmin.ui.console.output import width
from webadmin.ui.console.words import CHINESE, ENGLISH, detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator


HAN = re.compile("[\u4e00-\u9fff]")
CHINESE_LOCALE = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_CN.UTF-8"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"LANG": "zh_CN.UTF-8"}, CHINESE),
        ({"LANG": "C"}, ENGLISH),
        ({"LANG": "en_GB.UTF-8"}, ENGLISH),
        ({}, ENGLISH),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, ENGLISH),
        ({"LANG": "en_US", "LC_MESSAGES": "zh_CN.UTF-8"}, CHINESE),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "", "LC_MESSAGES": ""}, CHINESE),
        ({"LANG": "C", "ZHUIWEN_LANGUAGE": "zh-hans"}, CHINESE),
        ({"LANG": "zh_CN.UTF-8", "ZHUIWEN_LANGUAGE": "en"}, ENGLISH),
    ],
)
def test_the_language_is_what_is_set_else_the_terminals(tmp_path: Path, environ: dict[str, str], expected: str) -> None:
    assert detect_language({"ZHUIWEN_HOME": str(tmp_path), **environ}) == expected


@pytest.mark.parametrize(("said", "locale", "expected"), [("zh-hans", "C", CHINESE), ("en", "zh_CN", ENGLISH)])
def test_what_the_file_says_goes_before_the_locale_while_services_run_too(
    tmp_path: Path, said: str, locale: str, expected: str
) -> None:
    (tmp_path / "settings.toml").write_text(f'language = "{said}"\n')
    environ = {"ZHUIWEN_HOME": str(tmp_path), "LANG": locale}
    assert detect_language(environ) == expected
    started.note(prepare(environ))
    assert detect_language(environ) == expected
    assert detect_language({**environ, "ZHUIWEN_LANGUAGE": "en"}) == ENGLISH
    (tmp_path / "settings.toml").write_text("language zh\n")
    (tmp_path / "run").rename(tmp_path / "stopped")
    assert detect_language({**environ, "LANG": "zh_CN.UTF-8"}) == CHINESE, (
        "a file that cannot be read leaves it to the locale"
    )


def commands(command: Any, *path: str) -> Iterator[tuple[str, Any]]:
    yield " ".join(path), command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, *path, name)


@pytest.mark.parametrize("language", [CHINESE, ENGLISH])
def test_every_verb_and_option_has_its_help(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (help_texts, words):
        monkeypatch.setattr(module, "console_language", lambda: language)
    root = typer.main.get_command(build([]))
    help_texts.localize(root)
    for path, command in commands(root):
        for name, text in [("", command.help), *((each.name, each.help) for each in command.params)]:
            assert text, f"{path} {name} has no help"
            assert "$" not in text, f"{path} {name}"
            if language == CHINESE:
                assert HAN.search(text), f"{path} {name}: {text}"
            elif name != "kind":
                assert not HAN.search(text), f"{path} {name}: {text}"


def test_no_help_is_left_of_what_is_gone() -> None:
    params = {
        path: {each.name for each in command.params} for path, command in commands(typer.main.get_command(build([])))
    }
    known = {f"help.any.{name}" for names in params.values() for name in names}
    for path, names in params.items():
        code = f"help.{path.replace(' ', '-') or 'zhuiwen'}"
        known |= {code, f"{code}.epilog", *(f"{code}.{name}" for name in names)}
    assert [code for code in messages() if code.startswith("help.") and code not in known] == []


@pytest.mark.parametrize("arguments", [(), ("site", "add"), ("work",)])
def test_the_help_is_chinese_to_the_last_line(zhuiwen: CommandLine, arguments: tuple[str, ...]) -> None:
    shown = CommandLine(zhuiwen.home, CHINESE_LOCALE)(*arguments, "--help").out
    assert shown.startswith("用法：zhuiwen ")
    refused = CommandLine(zhuiwen.home, CHINESE_LOCALE)("evidence", "export", "seven", "--out", "x").complaints
    assert refused == ["zhuiwen: 'seven' 不是案件编号；可用 zhuiwen cases 查看"]
    assert "选项：" in shown
    assert not re.search(r"Usage|Options:|Commands:|Arguments:|Show this|required\]|default:", shown)
    assert zhuiwen(*arguments, "--help").out.startswith("Usage: zhuiwen ")


def test_status_doctor_and_the_settings_are_there_in_both_languages(zhuiwen: CommandLine) -> None:
    chinese = CommandLine(zhuiwen.home, CHINESE_LOCALE)
    prepare(zhuiwen.environ())
    head, *rows = [line for line in chinese("status").out.splitlines() if ": zhuiwen up" not in line]
    assert head.split() == ["服务", "状态", "进程号", "MB", "运行时长", "地址"]
    assert {width(row[: row.index("已停止")]) for row in rows if "已停止" in row} == {width(head[: head.index("状态")])}
    assert zhuiwen("status").out.splitlines()[0].split() == ["service", "state", "pid", "MB", "uptime", "address"]
    problems = chinese("doctor").out.splitlines()[::2]
    assert problems
    assert all(HAN.search(line) for line in problems)
    assert not any(HAN.search(line) for line in zhuiwen("doctor").out.splitlines())
    listed = chinese("config", "list").out.splitlines()
    assert all(HAN.search(line) for line in listed)
