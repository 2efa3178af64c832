"""Typst: the document, and the charts as pictures.

A document takes 0.2 MB a case, which a server gets back only when a process ends; so a long one is set by a process of
its own: `{"report", "timestamp"}`, or `{"folder", "template", "content", "timestamp"}`, as JSON on the standard input,
the PDF on the standard output. This module imports nothing of the product, so that it runs as a program by its path,
from any folder.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parents[1] / "templates"


class TypesettingError(RuntimeError):
    """The process ended without a document; the text is the end of what it said."""


def typeset(report_json: str, made_at: datetime) -> bytes:
    """Set the document with this input, in this process. It bears `made_at`."""
    pdf = _compile(
        "report.typ",
        report_json,
        format="pdf",
        pdf_standards="a-2u",
        timestamp=made_at.astimezone(UTC).replace(microsecond=0),  # typst takes whole seconds
    )
    assert isinstance(pdf, bytes)
    return pdf


def typeset_folder(folder: Path, template: str, content: str, made_at: datetime) -> bytes:
    """Set a template of a folder, which finds `content` in the input of that name, and its pictures in the folder."""
    pdf = _compiled(
        folder,
        template,
        {"content": content},
        format="pdf",
        pdf_standards="a-2u",
        timestamp=made_at.astimezone(UTC).replace(microsecond=0),
    )
    assert isinstance(pdf, bytes)
    return pdf


def typeset_folder_apart(folder: Path, template: str, content: str, made_at: datetime) -> bytes:
    """The same in a process of its own: 50 pictures take 200 MB. Raises TypesettingError when that process dies."""
    return _apart({"folder": str(folder), "template": template, "content": content}, made_at)


def draw(charts_json: str) -> list[bytes]:
    """Draw the charts of this input as SVG files: text is shapes, nothing is fetched."""
    pictures = _compile("pictures.typ", charts_json, format="svg")
    return pictures if isinstance(pictures, list) else [pictures]


def fonts() -> Path:
    """The folder of the fonts. Looked up, not imported: `mplfonts` imports matplotlib, 27 MB of it."""
    package = find_spec("mplfonts")
    if package is None or not package.submodule_search_locations:
        raise TypesettingError("PDF reports need the fonts of mplfonts: pip install mplfonts")
    return Path(package.submodule_search_locations[0]) / "fonts"


def typeset_apart(report_json: str, made_at: datetime) -> bytes:
    """Set the template in a process of its own. Raises TypesettingError when that process dies."""
    return _apart({"report": report_json}, made_at)


def _apart(order: dict[str, str], made_at: datetime) -> bytes:
    written = json.dumps({**order, "timestamp": made_at.isoformat()}).encode()
    done = subprocess.run([sys.executable, "-P", __file__], input=written, capture_output=True, check=False)
    if done.returncode or not done.stdout.startswith(b"%PDF"):
        raise TypesettingError(done.stderr.decode("utf-8", "replace")[-500:] or f"exit code {done.returncode}")
    return done.stdout


def _compile(template: str, report_json: str, **options: Any) -> Any:
    return _compiled(TEMPLATES, template, {"report": report_json}, **options)


def _compiled(folder: Path, template: str, inputs: dict[str, str], **options: Any) -> Any:
    import typst  # here: who only has it set apart needs no 7 MB of it

    compiler = typst.Compiler(
        str(folder / template), root=str(folder), font_paths=[str(fonts())], ignore_system_fonts=True
    )
    return compiler.compile(sys_inputs=inputs, **options)


def _serve() -> None:
    order = json.load(sys.stdin.buffer)
    made_at = datetime.fromisoformat(order["timestamp"])
    if "folder" in order:
        pdf = typeset_folder(Path(order["folder"]), order["template"], order["content"], made_at)
    else:
        pdf = typeset(order["report"], made_at)
    sys.stdout.buffer.write(pdf)


if __name__ == "__main__":
    _serve()
