"""Typst as its own process: a long document takes 0.2 MB a case, which a server gets back only when a process ends.

Run as a program: `{"report", "timestamp"}` as JSON on the standard input, the PDF on the standard output. It imports
nothing of the product, so that it can be run by its path from any folder.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import mplfonts
import typst

TEMPLATE = Path(__file__).parents[1] / "templates" / "report.typ"
FONTS = Path(mplfonts.__file__).parent / "fonts"


class TypesettingError(RuntimeError):
    """The process ended without a document; the text is the end of what it said."""


def typeset(report_json: str, made_at: datetime) -> bytes:
    """Set the template with this input, in this process. The document bears `made_at`."""
    compiler = typst.Compiler(
        str(TEMPLATE), root=str(TEMPLATE.parent), font_paths=[str(FONTS)], ignore_system_fonts=True
    )
    pdf = compiler.compile(
        format="pdf",
        sys_inputs={"report": report_json},
        pdf_standards="a-2u",
        timestamp=made_at.astimezone(UTC).replace(microsecond=0),  # typst takes whole seconds
    )
    assert isinstance(pdf, bytes)
    return pdf


def typeset_apart(report_json: str, made_at: datetime) -> bytes:
    """Set the template in a process of its own. Raises TypesettingError when that process dies."""
    order = json.dumps({"report": report_json, "timestamp": made_at.isoformat()}).encode()
    done = subprocess.run([sys.executable, "-P", __file__], input=order, capture_output=True, check=False)
    if done.returncode or not done.stdout.startswith(b"%PDF"):
        raise TypesettingError(done.stderr.decode("utf-8", "replace")[-500:] or f"exit code {done.returncode}")
    return done.stdout


def _serve() -> None:
    order = json.load(sys.stdin.buffer)
    sys.stdout.buffer.write(typeset(order["report"], datetime.fromisoformat(order["timestamp"])))


if __name__ == "__main__":
    _serve()
