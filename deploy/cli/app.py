"""`zhuiwen`: finds the verb, runs it, and turns whatever goes wrong into one line and an exit code.

The docstring of a verb is its help: a paragraph in English, one in Chinese, and a line for each parameter, "name:
English | Chinese"; `$help` stands there for what the code itself says of it.
"""

import contextlib
import gc
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from string import Template
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from core.errors import BadInput
from core.known_settings import variable_of
from core.settings import Settings
from core.wording import Message
from deploy import started
from deploy.home import adopt, prepare
from webadmin.ui.console.faults import DONE, INTERRUPTED, complain, exit_code_of
from webadmin.ui.console.session import open_with
from webadmin.ui.console.words import CHINESE, language

# Which module, of this package where no other is named, has which verbs, in the order of the help. A verb's module
# alone is loaded to run it, so that `zhuiwen read` does not pay for what `zhuiwen up` needs. The module has a function
# of the verb's name, or the GROUP of what stands below it. The laboratory stands above: only a checkout has it.
LABORATORY = "laboratory"
VERBS = {
    "services": ("up", "down", "status", "doctor"),
    "config": ("config",),
    "demo": ("demo",),
    "webadmin.backups.cli.backup": ("backup",),
    "restore": ("restore",),
    "webadmin.works.cli.works": ("work",),
    "webadmin.sites.cli.sites": ("site",),
    "crawl": ("crawl",),
    "webadmin.sites.cli.archive_import": ("import",),
    "webadmin.sites.cli.discover": ("discover",),
    "check": ("check",),
    "batch": ("batch",),
    "engines": ("engines",),
    "read": ("read",),
    "webadmin.cases.cli.cases": ("cases", "case"),
    "webadmin.rewrites.cli.leads": ("leads",),
    "webadmin.reports.cli.matters": ("matter",),
    "webadmin.notices.cli.notices": ("notice",),
    "evidence": ("evidence",),
    "webadmin.reports.cli.report": ("report",),
    "index": ("index",),
    "webadmin.backups.cli.check_stores": ("check-stores",),
    LABORATORY: ("bench",),
    "webadmin.accounts.cli.users": ("user",),
    "webadmin.backups.cli.holders": ("holder",),
}
# Verbs below a verb that belong to another subject: the module that has a function of that name.
ADDED = {"site": {"contacts": "webadmin.notices.cli.site_contacts", "effect": "webadmin.notices.cli.site_effect"}}
FUNCTIONS = {"import": "import_", "check-stores": "check_stores"}  # where a verb is no name of Python
# Parameters that mean the same wherever they stand.
ANYWHERE = {
    "is_json": ("for programs", "供程序读取"),
    "json_file": ("all figures, for programs", "全部数据，供程序读取"),
    "corpora": ("where the shared corpora are", "共享语料所在的文件夹"),
    "password_stdin": ("read the password from standard input", "从标准输入读取密码"),
}
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
_PARAMETER = re.compile(r"^(\w+): (.+(?:\n +.+)*)", re.MULTILINE)
_BETWEEN_WIDE = re.compile(r"(?<=[\u2e80-\uffef]) (?=[\u2e80-\uffef])")
STORES = frozenset({"mongo_url", "redis_url", "index_url", "database_url", "evidence_url", "raw_url"})


class _InOrder(TyperGroup):
    """Lists the verbs in the order of VERBS."""

    def list_commands(self, ctx: object) -> list[str]:
        return [verb for verbs in VERBS.values() for verb in verbs if verb in self.commands]


def build(arguments: Sequence[str]) -> typer.Typer:
    """The command line that can run `arguments`: with all verbs where these name none. Raises BadInput."""
    app = typer.Typer(
        name="zhuiwen",
        cls=_InOrder,
        help=(
            "Finds the web pages that copy a rights holder's Chinese texts, and turns them into cases.\n\n"
            "查找疑似侵犯权利人中文作品的网页，并逐件管理。"
        ),
        epilog="Exit codes: 0 done, 1 failed, 2 the arguments or a file are wrong.\n\n"
        "退出码：0 完成，1 失败，2 参数或文件有误。",
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    verb = next((argument for argument in arguments if not argument.startswith("-")), "")
    named = [module for module, verbs in VERBS.items() if verb in verbs]
    if verb and not named:
        raise BadInput("cli.no-verb", verb=verb)
    for module in named or _present_modules():
        loaded = importlib.import_module(_module_path(module))
        for verb in VERBS[module]:
            if hasattr(loaded, "GROUP"):
                app.add_typer(loaded.GROUP, name=verb)
                for name, other in ADDED.get(verb, {}).items():
                    loaded.GROUP.command(name)(getattr(importlib.import_module(other), name))
            else:
                app.command(verb)(getattr(loaded, FUNCTIONS.get(verb, verb)))
    return app


def _present_modules() -> list[str]:
    return [module for module in VERBS if module != LABORATORY or importlib.util.find_spec(LABORATORY)]


def _module_path(module: str) -> str:
    if module != LABORATORY:
        return module if "." in module else f"deploy.cli.{module}"
    if importlib.util.find_spec(LABORATORY) is None:
        raise BadInput("cli.no-laboratory")
    return f"{LABORATORY}.cli"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    # Before numpy is loaded: two threads that wait for each other on a busy machine take up to twice the time of one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a test's stand-in for a stream has nothing to set
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = run(given)
    gc.freeze()  # nothing is collected any more: the end of a batch takes .15 s less
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """The exit code of a command. Never raises: what went wrong stands on stderr in one line."""
    try:
        language.cache_clear()
        command = typer.main.get_command(build(arguments))
        localize(command)
        code = command.main(list(arguments), prog_name="zhuiwen", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return _unheard()
    except SystemExit as end:  # typer's own answer to a broken pipe
        return _unheard() if isinstance(end.__context__, BrokenPipeError) else int(end.code or DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # the last resort, so that no traceback reaches a user
        return exit_code_of(error, os.environ)
    return code if isinstance(code, int) else DONE


def localize(command: Any) -> None:
    """Give a command of typer, and all below it, their help in the language of this command line."""
    is_chinese = language() == CHINESE
    texts = ANYWHERE | help_texts(command)
    command.help, command.epilog = texts["about"][is_chinese], texts["epilog"][is_chinese]
    if is_chinese:
        command.short_help = command.help
        command.context_settings = {**command.context_settings, "max_content_width": CHINESE_WIDTH}
        command.get_help = partial(_in_chinese, command.get_help)
    for param in command.params:
        if both := texts.get(param.name):
            param.help = Template(both[is_chinese]).safe_substitute(help=param.help)
    for below in getattr(command, "commands", {}).values():
        localize(below)


def help_texts(command: Any) -> dict[str, tuple[str, str]]:
    """The help of a verb and of its parameters, in English and Chinese."""
    texts = dict(_PARAMETER.findall(inspect.getdoc(command.callback) or ""))
    for name, text in (("about", command.help), ("epilog", command.epilog or "")):
        texts[name] = " | ".join(text.split("\n\n")[:2])
    return {name: (both[0], both[-1]) for name, text in texts.items() if (both := _joined(text).partition(" | "))}


def _joined(text: str) -> str:
    """A text in one line; between Chinese characters a break is no blank."""
    return _BETWEEN_WIDE.sub("", " ".join(text.split()))


def _in_chinese(help_of: Any, context: Any) -> str:
    text = re.sub(r"Show this message\s+and exit\.", "显示此说明并退出。", help_of(context))
    for english, chinese in _TYPERS.items():
        text = text.replace(english, chinese)
    return text


def open_installation() -> Settings:
    """Make this process one of the installation, and give its settings. Raises BadConfiguration."""
    home = prepare(os.environ)
    settings = home.settings
    _warn_of_other_stores(os.environ, settings)
    if not settings.services.database_url and not settings.sqlite_path.exists():
        os.umask(0o077)  # SQLite makes an empty one before it says that there are no tables
    adopt(home)
    return settings


def _warn_of_other_stores(environ: Mapping[str, str], settings: Settings) -> None:
    """Whoever has another store in the environment of a shell than the services use is told so."""
    others = [variable_of(name) for name in started.overridden(environ, settings.home) if name in STORES]
    if others:
        complain(Message("cli.other-stores", names=others))


open_with(open_installation)


def _unheard() -> int:
    """The reader of our output has gone, as `head` does. Python would complain again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return DONE


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from core.program import code_version

        typer.echo(f"zhuiwen {code_version()}")
        raise typer.Exit


def _options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Options that stand before the verb.

    version: Show the version and end. | 显示版本并退出。
    """
