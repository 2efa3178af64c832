"""Test `work add --plan` and chapters that are there twice, with the real page store and Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command_line import CommandLine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


FIRST, SECOND, THIRD = (
    f"第{number}章 渡\n\n渡船在雾里停了很久。船工说，今天不会有人来了，可他还是把灯点上。{number}\n\n"
    for number in "一二三"
)


@pytest.fixture
def installed(with_stores: Callable[..., CommandLine]) -> CommandLine:
    return with_stores(ZHUIWEN_ALLOW_PRIVATE_HOSTS="127.0.0.1:8801")


def test_a_plan_says_what_would_change_and_changes_nothing(installed: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "渡船.txt"
    path.write_text(FIRST + SECOND, "utf-8")
    add = ("work", "add", path, "--rights-holder", "青梧文学")
    planned = installed(*add, "--plan")
    assert (planned.code, planned.err) == (0, "")
    assert planned.out.splitlines() == [
        "would add 《渡船》: chapters 2",
        "chapters 2, divided by headings of the style 第N章: 第一章 渡; 第二章 渡",
        "other possible divisions, with --chapters STYLE: whole (1)",
    ]
    assert installed("work", "list", "--json").json() == []
    assert installed(*add).code == 0
    assert installed(*add, "--plan").out == "would not change 《渡船》: chapters 2\n"
    path.write_text(FIRST + SECOND.replace("雾", "霧") + THIRD, "utf-8")
    lines = installed(*add, "--plan").out.splitlines()
    assert lines[0] == "would update 《渡船》: new 1, changed 1, unchanged 1"
    assert [line[:3] for line in lines[3:]] == ["+ 3", "~ 2"]
    (work,) = installed("work", "list", "--json").json()
    assert work["chapters"] == 2


def test_a_work_is_divided_as_the_person_chooses_and_programs_read_the_plan(
    installed: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "渡船.txt"
    text = "".join(f"第{number}章\n" + FIRST[5:] * 60 for number in range(1, 8))
    path.write_bytes(text.encode("gb18030").replace(b"\n", b"\xff\n", 1))
    add = ("work", "add", path, "--rights-holder", "青梧文学", "--json")
    planned = installed(*add, "--plan")
    (work,) = planned.json()["works"]
    assert (planned.json()["left_out"], work["id"], work["style"], work["chapters"]) == ([], None, "第N章", 7)
    assert (work["first_titles"][1:], work["last_title"]) == (["第2章", "第3章"], "第7章")
    assert work["styles"] == [{"style": "第N章", "chapters": 7}, {"style": "whole", "chapters": 1}]
    assert [(each["number"], each["title"]) for each in work["new"]][-1] == (7, "第7章")
    assert "broken characters in the file, shown as �: 1, in line 1" in planned.err
    refused = installed(*add, "--chapters", "第N回")
    assert refused.code == 2
    assert f"{path}: has no chapters of the style 第N回; choose one of: 第N章, whole" in refused.err
    (added,) = installed(*add, "--chapters", "whole").json()["works"]
    assert (added["is_new"], added["chapters"], added["title"]) == (True, 1, "渡船")
    assert "broken characters in the file" in str(added["notes"])


def test_the_same_text_under_another_title_is_noticed_and_added(installed: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "渡船.txt"
    path.write_text(FIRST + SECOND, "utf-8")
    add = ("work", "add", path, "--rights-holder", "青梧文学")
    installed(*add)
    for options in (["--plan"], []):
        named = installed(*add, "--title", "雾中", *options)
        assert "《雾中》: chapters that are identical in 《渡船》: 2, for example 1 (1 there)" in named.err
        assert named.code == 0
    assert len(installed("work", "list", "--json").json()) == 2
