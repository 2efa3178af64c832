"""Runs `zhuiwen`: loads the command, runs it, and converts any error to one line and an exit code."""

import contextlib
import gc
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.core import TyperGroup

from core.errors import BadInput
from deploy.cli.help import localize
from deploy.cli.opening import open_installation
from webadmin.ui.console.faults import DONE, INTERRUPTED, report_error
from webadmin.ui.console.session import register_opener
from webadmin.ui.console.words import console_language

# The commands of each module (of this package unless qualified), in the order of the help. Only the module of the
# requested command is loaded, so that `zhuiwen read` does not load the libraries of `zhuiwen up`. It has a function
# with the name of the command, or the GROUP of its subcommands. Only a source checkout contains the laboratory.
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
    "webadmin.cases.cli.cases": ("cases",),
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
# Subcommands of a group that are defined in other modules.
ADDED = {"site": {"contacts": "webadmin.notices.cli.site_contacts", "effect": "webadmin.notices.cli.site_effect"}}
FUNCTIONS = {"import": "import_", "check-stores": "check_stores"}  # for commands whose names are not valid Python names

register_opener(open_installation)


class _InOrder(TyperGroup):
    """A command group that lists the commands in the order of VERBS."""

    def list_commands(self, ctx: object) -> list[str]:
        return [verb for verbs in VERBS.values() for verb in verbs if verb in self.commands]


def build(arguments: Sequence[str]) -> typer.Typer:
    """Return the command line with the command that `arguments` name, or with all commands if they name none.

    Raises BadInput if there is no such command, or if it needs the laboratory, which is not installed.
    """
    app = typer.Typer(
        name="zhuiwen",
        cls=_InOrder,
        help="Finds the web pages that copy a rights holder's Chinese texts, and turns them into cases.",
        epilog="Exit codes: 0 done, 1 failed, 2 the arguments or a file are wrong.",
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_global_options)
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
    """Run a command and end the process with its exit code. arguments: those of the process if None."""
    # Before numpy is loaded: on a busy machine two threads that wait for each other may take twice as long as one.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a test's replacement of a stream has nothing to set
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = run(given)
    gc.freeze()  # skips the last garbage collection, which saves 0.15 s at the end of a batch
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. An error is printed as one line on stderr; none is raised."""
    try:
        console_language.cache_clear()
        command = typer.main.get_command(build(arguments))
        localize(command)
        code = command.main(list(arguments), prog_name="zhuiwen", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return _end_quietly()
    except SystemExit as end:  # typer exits on a broken pipe
        return _end_quietly() if isinstance(end.__context__, BrokenPipeError) else int(end.code or DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # the last resort, so that no traceback reaches a user
        return report_error(error, os.environ)
    return code if isinstance(code, int) else DONE


def _end_quietly() -> int:
    """Redirect stdout to the null device, because its reader, such as `head`, has ended; return the exit code.

    Otherwise Python would print an error at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return DONE


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from core.program import code_version

        typer.echo(f"zhuiwen {code_version()}")
        raise typer.Exit


def _global_options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Declare the options that precede the command."""
