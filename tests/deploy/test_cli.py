"""The command line without services: help, refusals, exit codes, and what is read from files and the web."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
from contextlib import redirect_stderr
from typing import TYPE_CHECKING

import pytest

from core.errors import BadConfiguration, BadInput, ServiceUnavailable
from deploy.cli import app
from tests.support.command_line import CommandLine
from tests.support.web_server import Answer, WebServer, endless, page, redirect
from webadmin.ui.console import faults
from webadmin.ui.console.output import print_passage, terminal_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PROSE = "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。"
BODY = "".join(f"<p>{PROSE}</p>" for _ in range(4))
HEAVY = ("scrapy", "twisted", "numba", "trafilatura", "typst", "lxml", "docx")


@pytest.fixture
def web(loopback: None) -> Iterator[WebServer]:
    routes = {
        "/book/1.html": page("第一章 夜航", f"<nav><a href='/'>首页</a></nav><div>{BODY}</div>", "gb18030"),
        "/moved": redirect("/book/1.html"),
        "/inward": redirect("http://127.0.0.1:1/secret"),
        "/circle": redirect("/circle"),
        "/endless": Answer(chunks=endless),
        "/broken": Answer(b"", status=503),
        "/picture": Answer(b"no picture", "image/png"),
    }
    with WebServer(routes) as server:
        yield server


def allowed(command: CommandLine, server: WebServer) -> CommandLine:
    settings = {"ZHUIWEN_ALLOW_PRIVATE_HOSTS": server.netloc, "ZHUIWEN_MAX_BODY_BYTES": "300000"}
    return CommandLine(command.home, settings)


def test_the_help_names_every_verb_and_loads_no_framework(zhuiwen: CommandLine) -> None:
    code = (
        f"import sys; from deploy.cli.app import run; run(['--help']); print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = zhuiwen.python("-c", code)
    assert done.code == 0
    *help_lines, loaded = done.out.splitlines()
    listed = {line.split()[0] for line in help_lines if line.startswith("  ") and line.split()}
    assert {verb for verbs in app.VERBS.values() for verb in verbs} <= listed
    assert loaded == "[]"
    bare = zhuiwen()
    assert (bare.code, "Commands:" in bare.err) == (2, True)


def test_bench_comes_with_a_checkout_and_the_other_verbs_work_without_it(zhuiwen: CommandLine) -> None:
    absent = "import sys; sys.modules['laboratory'] = None; from deploy.cli.app import run; "
    done = zhuiwen.python("-c", f"{absent}run(['--help']); sys.exit(run(['bench', 'quality']))")
    assert done.code == 2
    assert done.complaints == ["zhuiwen: bench requires a source checkout; it is not part of the installed package"]
    assert "  check " in done.out
    assert "  bench " not in done.out


def test_matrices_are_multiplied_by_one_thread(zhuiwen: CommandLine) -> None:
    started = "print(__import__('numpy').__name__, len(os.listdir('/proc/self/task')))"
    code = f"import atexit; atexit.register(lambda: {started}); from deploy.cli import main; main(['--version'])"
    done = zhuiwen.python("-c", f"import os; os.environ.pop('OPENBLAS_NUM_THREADS', None); {code}")
    assert done.out.splitlines()[-1] == "numpy 1", done.err


def test_verbs_of_what_is_stored_load_neither_django_nor_a_driver_for_their_help(zhuiwen: CommandLine) -> None:
    verbs = ("read", "check", "batch", "work", "site", "crawl", "cases", "report", "index")
    heavy = (*HEAVY, "django", "celery", "redis", "pymongo")
    loaded = f"[(verb, m) for m in {heavy} if m in sys.modules]"
    code = f"import sys; from deploy.cli.app import run; [(run([verb, '--help']), print({loaded})) for verb in {verbs}]"
    assert zhuiwen.python("-c", code).out.splitlines().count("[]") == len(verbs)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "there is no command nonsense"),
        (["read"], "FILE|URL|- is missing"),
        (["read", "--colour", "x"], "there is no option --colour"),
        (["read", "gone.html"], "gone.html: there is no such file"),
        (["check", "gone.html"], "gone.html: there is no such file"),
        (["report", "--format", "doc"], "there is no report format"),
        (["report", "--format", "csv", "--since", "yesterday"], "--since yesterday is not a date"),
        (["crawl"], "name the sites"),
        (["cases", "--state", "lost"], "there is no state lost"),
        (["cases", "--limit", "0"], "--limit"),
        (["evidence", "export", "seven", "--out", "x"], "'seven' is not the number of a case; list them with"),
        (["batch", "--works", "/", "--pages", "gone", "--out", "m"], "/: is a folder; give a JSON lines file"),
        (["site", "add", "https://example.com/", "--daily-at", "25:00"], "--daily-at 25:00 is not a time of day"),
        (["batch", "--works", "gone", "--pages", "gone", "--out", "m"], "gone: there is no such file"),
        (["read", "ftp://example.com/a"], "only http and https are"),
    ],
)
def test_wrong_arguments_give_one_sentence_and_code_2(
    zhuiwen: CommandLine, arguments: list[str], sentence: str
) -> None:
    done = zhuiwen(*arguments)
    assert done.code == 2
    assert len(done.complaints) == 1
    assert sentence in done.err
    assert done.out == ""


def test_a_setting_that_cannot_be_is_named(zhuiwen: CommandLine) -> None:
    done = CommandLine(zhuiwen.home, {"ZHUIWEN_WEB_PORT": "many", "ZHUIWEN_TIME_ZONE": "Mars"})("work", "list")
    assert done.code == 2
    assert len(done.complaints) == 1
    assert "ZHUIWEN_WEB_PORT is 'many'" in done.err
    assert "ZHUIWEN_TIME_ZONE is 'Mars'" in done.err


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"ZHUIWEN_MONGO_URL": "http://zw:hush@db/x"},
            "ZHUIWEN_MONGO_URL is 'http://***@db/x' in the environment; it must be a URL that",
        ),
        (
            {"ZHUIWEN_WEB_PORT": "8807"},
            "ZHUIWEN_WEB_PORT is 8807 in the environment, which is one of the demo sites' seven ports",
        ),
        (
            {"ZHUIWEN_ALLOW_PRIVATE_HOSTS": "127.0.0.1"},
            "ZHUIWEN_ALLOW_PRIVATE_HOSTS is '127.0.0.1' in the environment; it must be host:port",
        ),
    ],
)
def test_settings_that_cannot_work_are_named_before_anything_starts(
    zhuiwen: CommandLine, settings: dict[str, str], sentence: str
) -> None:
    done = CommandLine(zhuiwen.home, settings)("up")
    assert (done.code, len(done.complaints), done.out) == (2, 1, "")
    assert sentence in done.err
    assert "hush" not in done.err
    assert not zhuiwen.home.exists()


def test_a_misspelt_setting_is_named_when_the_services_start(zhuiwen: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:  # a port that is taken, so that nothing starts
        settings = {"ZHUIWEN_WEBPORT": "1", "ZHUIWEN_WEB_PORT": str(other.getsockname()[1])}
        done = CommandLine(zhuiwen.home, settings)("up")
    assert done.complaints[0] == (
        "zhuiwen: warning: ZHUIWEN_WEBPORT is set, but there is no such setting; did you mean ZHUIWEN_WEB_PORT?"
    )
    assert (done.code, len(done.complaints)) == (1, 2)


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("http://[::1]:8999/", "add [::1]:8999 to ZHUIWEN_ALLOW_PRIVATE_HOSTS"),
        ("http://0x7f.1:81/", "use 127.0.0.1 instead of 0x7f.1 and add 127.0.0.1:81 to ZHUIWEN_ALLOW_PRIVATE_HOSTS"),
        ("http://localhost:9/", "add localhost:9 to ZHUIWEN_ALLOW_PRIVATE_HOSTS"),
    ],
)
def test_the_remedy_for_a_private_address_is_one_that_works(zhuiwen: CommandLine, url: str, remedy: str) -> None:
    refused = zhuiwen("read", url)
    assert (refused.code, remedy in refused.err) == (2, True)
    written = remedy.partition("add ")[2].split()[0]
    again = CommandLine(zhuiwen.home, {"ZHUIWEN_ALLOW_PRIVATE_HOSTS": written})("read", f"http://{written}/")
    assert "ZHUIWEN_ALLOW_PRIVATE_HOSTS" not in again.err


def test_verbs_that_need_services_say_so_when_these_were_never_started(zhuiwen: CommandLine) -> None:
    done = zhuiwen("work", "list")
    assert done.code == 1
    assert done.complaints == [
        f"zhuiwen: the admin database is not responding at {zhuiwen.home / 'admin.sqlite3'}; try: zhuiwen up"
    ]


def test_a_name_that_was_typed_in_another_encoding_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    name, heard = "李".encode("gbk").decode("utf-8", "surrogateescape"), io.StringIO()
    monkeypatch.setattr("sys.argv", ["zhuiwen", "crawl", name])
    with pytest.raises(UnicodeEncodeError) as fault:
        name.encode()
    with redirect_stderr(heard):
        assert faults.report_error(fault.value, {}) == 2
    assert "is not UTF-8; set the terminal to UTF-8" in heard.getvalue()


def test_a_bug_gives_one_line_and_leaves_its_traceback_in_a_file(tmp_path: Path) -> None:
    heard = io.StringIO()
    with redirect_stderr(heard):
        code = faults.report_error(RuntimeError("a bug"), {"ZHUIWEN_HOME": str(tmp_path)})
    assert code == 1
    log = tmp_path / "logs" / "command-line.log"
    assert heard.getvalue() == f"zhuiwen: internal error (RuntimeError); details are in {log}\n"
    assert "RuntimeError: a bug" in log.read_text("utf-8")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput("x"), 2),
        (BadConfiguration(["x"]), 2),
        (ServiceUnavailable("x", "y"), 1),
        (KeyboardInterrupt(), 130),
        (OSError("x"), 1),
    ],
)
def test_what_goes_wrong_has_its_exit_code(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(_: object) -> None:
        raise error

    monkeypatch.setattr(app, "build", build)
    assert app.run(["read"]) == code
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_failure(zhuiwen: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "长.txt"
    path.write_text(f"{PROSE}\n" * 20_000, "utf-8")
    program = [sys.executable, "-c", "from deploy.cli import main; main()", "read", str(path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=zhuiwen.environ()) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_a_page_is_read_from_the_web(zhuiwen: CommandLine, web: WebServer) -> None:
    done = allowed(zhuiwen, web)("read", web.url("/moved"), "--json")
    assert done.code == 0
    record = done.json()
    assert (record["source"], record["encoding"]) == (web.url("/book/1.html"), "gb18030")
    assert record["text"] == "\n".join([PROSE] * 4)


@pytest.mark.parametrize(
    ("path", "code", "sentence"),
    [
        ("/none", 2, "returned status 404"),
        ("/broken", 1, "returned error 503"),
        ("/circle", 2, "redirects more than 5 times"),
        ("/endless", 2, "is larger than 300,000 bytes"),
        ("/inward", 2, "127.0.0.1 is a loopback address"),
        ("/picture", 2, "its content type is image/png"),
    ],
)
def test_a_page_that_cannot_be_had_gives_one_sentence(
    zhuiwen: CommandLine, web: WebServer, path: str, code: int, sentence: str
) -> None:
    done = allowed(zhuiwen, web)("read", web.url(path))
    assert done.code == code
    assert len(done.complaints) == 1
    assert sentence in done.err


def test_nothing_that_was_crawled_can_move_the_cursor_or_hide() -> None:
    assert terminal_text("题\x1b[2J\u202e\u200b\r\n\ud800") == "题◌[2J◌◌  ◌"


def test_a_passage_stays_beside_its_name_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces = [("甲" * 9, False), ("乙\x1b[2J", True)]
    print_passage("column.page", pieces)
    assert capsys.readouterr().out == f"  page  {'甲' * 9}⟦乙◌[2J⟧\n"
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_passage("column.page", pieces)
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("  page  甲")
    assert all(line.startswith(" " * 8) for line in others)
    assert "\x1b[2J" not in first + "".join(others)
