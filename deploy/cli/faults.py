"""What went wrong -> one line on stderr and an exit code; the traceback of a bug goes into a log file."""

import sys
import tempfile
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from core.errors import BadConfiguration, BadInput, PortTaken, ZhuiwenError
from core.settings import load

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def exit_code_of(error: BaseException, environ: Mapping[str, str]) -> int:
    """Tell the user in one line what `error` means, and return the code to end with."""
    if isinstance(error, BadInput | BadConfiguration) and not isinstance(error, PortTaken):
        complain(str(error))
        return USAGE
    if isinstance(error, ZhuiwenError):
        complain(str(error))
        return FAILED
    # What typer raises for wrong arguments has a message and a code of its own; its classes are private.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        message = str(error.format_message())
        if message.startswith("Usage:"):  # no arguments at all: the help is the answer
            sys.stderr.write(f"{message}\n")
        else:
            complain(f"{message}{_where(error)}")
        return USAGE
    if type(error).__name__ == "Abort":
        return INTERRUPTED
    complain(f"internal error ({type(error).__name__}); what happened is written in {_write_down(error, environ)}")
    return FAILED


def complain(sentence: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"zhuiwen: {' '.join(sentence.split())}\n")


def _where(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context is not None else ""


def _write_down(error: BaseException, environ: Mapping[str, str]) -> Path:
    path = _log_folder(environ) / "command-line.log"
    with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
        log.write(f"{datetime.now(UTC).isoformat()} zhuiwen {' '.join(sys.argv[1:2])}\n")
        log.write("".join(traceback.format_exception(error)))
    return path


def _log_folder(environ: Mapping[str, str]) -> Path:
    """The home folder's, or a new one in the system's where the home folder is part of the trouble."""
    try:
        folder = load(environ).home / "logs"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "command-line.log").touch()
    except (OSError, ZhuiwenError):
        return Path(tempfile.mkdtemp(prefix="zhuiwen-"))
    return folder
