"""Reports an error as one line on stderr and an exit code. The traceback of a bug is written to a log file."""

import sys
import tempfile
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import BadConfiguration, BadInput, PortTaken, RetryLater, ServiceUnavailable, ZhuiwenError
from core.full_disk import find_disk_full_error
from core.private_files import touch_private
from core.wording import Message
from webadmin.ui.console.output import terminal_text
from webadmin.ui.console.words import translate_for_console

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def report_error(error: BaseException, environ: Mapping[str, str]) -> int:
    """Print a one-line message about an error, and return the exit code.

    environ: the environment that determines the settings.
    """
    error = _convert_database_error(error) or error
    if told := of_a_full_disk(error, environ):
        complain(told)
        return FAILED
    if isinstance(error, BadInput | BadConfiguration) and not isinstance(error, PortTaken):
        complain(error)
        return USAGE
    if isinstance(error, ZhuiwenError):
        complain(error)
        return FAILED
    if isinstance(error, UnicodeEncodeError) and not error.object.isprintable() and error.object in " ".join(sys.argv):
        complain(Message("cli.no-utf-8", argument=error.object))
        return USAGE
    # Typer's errors for wrong arguments have a message and an exit code. Their classes are private.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        if type(error).__name__ == "NoArgsIsHelpError":  # Without arguments, the help is printed.
            sys.stderr.write(f"{error.format_message()}\n")
        else:
            complain(_usage_message(error))
        return USAGE
    if type(error).__name__ == "Abort":
        return INTERRUPTED
    try:
        complain(Message("cli.bug", kind=type(error).__name__, path=_write_traceback(error, environ)))
    except OSError as second:
        complain(Message("cli.bug-unwritten", kind=type(error).__name__, reason=second.strerror))
    return FAILED


def complain(fault: object) -> None:
    """Print an error or a text as one line on stderr, without control characters from crawled text."""
    sys.stderr.write(f"zhuiwen: {terminal_text(' '.join(translate_for_console(fault).split()))}\n")


def warn(warning: Message) -> None:
    """Print a warning as one line on stderr."""
    complain(Message("cli.warning", warning=warning))


def create_private_log(folder: Path) -> Path:
    """Create the log of the command line in a folder, readable only by this user, and return its path.

    Raises OSError if the folder is not writable.
    """
    return touch_private(folder / "command-line.log")


def full_disk(environ: Mapping[str, str]) -> Message | None:
    """Return a message about the full disk of the installation, or None if no disk is full."""
    from core import disk
    from core.settings_loading import load  # takes 0.15 s to import, and few commands need it

    try:
        return next((space.sentence for space in disk.full_file_systems(load(environ))), None)
    except ZhuiwenError:
        return None


def of_a_full_disk(error: BaseException, environ: Mapping[str, str]) -> Message | None:
    """Return a message about an error that a full disk caused, or None for any other error."""
    lack = find_disk_full_error(error)
    if lack is None and not isinstance(error, RetryLater):
        return None
    told = full_disk(environ)
    if isinstance(error, ServiceUnavailable) and told and lack is None:
        return Message("cli.no-answer-on-full-disk", service=error.service, where=error.where, why=told)
    if told or lack is None:
        return told
    place = error.service if isinstance(error, ServiceUnavailable) else lack.filename or Message("cli.some-file")
    return Message("cli.unwritable", path=place, reason=lack.strerror)


def _convert_database_error(error: BaseException) -> ZhuiwenError | None:
    """Return the product's error for Django's error that the database cannot be used, or None for any other error."""
    if "django.db" not in sys.modules:  # takes 0.1 s to import; if it is not imported, no query was made
        return None
    from django.conf import settings

    from webadmin.database import database_fault

    fault = database_fault(error) if settings.configured else None
    if fault is not None:
        fault.__cause__ = error
    return fault


def _usage_message(error: Any) -> Message:
    """Return a message about wrong arguments. For rare errors, it contains Typer's own text."""
    param, context = getattr(error, "param", None), getattr(error, "ctx", None)
    name = " / ".join(param.opts) if param and param.opts[0].startswith("-") else (param and param.metavar) or ""
    name = name or (param.name.upper() if param else "")
    match type(error).__name__:
        case "MissingParameter":
            fault = Message("cli.missing-argument", name=name)
        case "NoSuchOption":
            near = sorted(error.possibilities or ())
            fault = Message("cli.no-option", name=error.option_name)
            fault = Message("cli.no-option-but", fault=fault, near=near) if near else fault
        case "BadParameter":
            fault = Message("cli.bad-value", name=name, reason=error.message)
        case _:
            fault = Message("cli.bad-usage", reason=error.format_message().removesuffix("."))
    return Message("cli.see-help", fault=fault, command=context.command_path) if context is not None else fault


def _write_traceback(error: BaseException, environ: Mapping[str, str]) -> Path:
    path = create_private_log(_log_folder(environ))
    with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
        log.write(f"{datetime.now(UTC).isoformat()} zhuiwen {' '.join(sys.argv[1:2])}\n")
        log.write("".join(traceback.format_exception(error)))
    return path


def _log_folder(environ: Mapping[str, str]) -> Path:
    """Return the log folder in the home folder, or a new temporary folder if the log folder cannot be used."""
    from core.settings_loading import load

    try:
        folder = load(environ).home / "logs"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        create_private_log(folder)
    except (OSError, ZhuiwenError):
        return Path(tempfile.mkdtemp(prefix="zhuiwen-"))
    return folder
