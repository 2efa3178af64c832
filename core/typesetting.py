"""Typesets documents and renders charts with Typst.

A document takes 0.2 MB of memory for each case, which is freed only when the process ends. A long document is therefore
typeset in a separate process, which reads `{"folder", "template", "inputs", "timestamp"}` as JSON from the standard
input and writes the PDF to the standard output. This module imports nothing of the product, so that it can run as a
program by its path, from any folder.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class TypesettingError(RuntimeError):
    """Raised if a document cannot be typeset. If its process failed, the message is the end of the error output."""


def typeset(folder: Path, template: str, inputs: dict[str, str], made_at: datetime) -> bytes:
    """Typeset a template with these inputs in this process, and return the PDF. made_at: the date in its metadata."""
    pdf = _compile_template(
        folder,
        template,
        inputs,
        format="pdf",
        pdf_standards="a-2u",
        timestamp=made_at.astimezone(UTC).replace(microsecond=0),  # typst only accepts whole seconds
    )
    assert isinstance(pdf, bytes)
    return pdf


def typeset_apart(folder: Path, template: str, inputs: dict[str, str], made_at: datetime) -> bytes:
    """Typeset a template in a separate process, because 50 images take 200 MB.

    Raises TypesettingError if that process fails.
    """
    request = {"folder": str(folder), "template": template, "inputs": inputs, "timestamp": made_at.isoformat()}
    process = subprocess.run(
        [sys.executable, "-P", __file__], input=json.dumps(request).encode(), capture_output=True, check=False
    )
    if process.returncode or not process.stdout.startswith(b"%PDF"):
        raise TypesettingError(process.stderr.decode("utf-8", "replace")[-500:] or f"exit code {process.returncode}")
    return process.stdout


def draw(folder: Path, template: str, inputs: dict[str, str]) -> list[bytes]:
    """Return a template rendered as SVG files, one for each page, with text as shapes and no external resources."""
    svg_files = _compile_template(folder, template, inputs, format="svg")
    return svg_files if isinstance(svg_files, list) else [svg_files]


def fonts() -> Path:
    """Return the folder of the fonts, without importing `mplfonts`, which would import matplotlib (27 MB).

    Raises TypesettingError if `mplfonts` is not installed.
    """
    package = find_spec("mplfonts")
    if package is None or not package.submodule_search_locations:
        raise TypesettingError("PDF reports need the fonts of mplfonts: pip install mplfonts")
    return Path(package.submodule_search_locations[0]) / "fonts"


def _compile_template(folder: Path, template: str, inputs: dict[str, str], **options: Any) -> Any:
    import typst  # here, because callers of `typeset_apart` do not need its 7 MB

    compiler = typst.Compiler(
        str(folder / template), root=str(folder), font_paths=[str(fonts())], ignore_system_fonts=True
    )
    return compiler.compile(sys_inputs=inputs, **options)


def _serve_requests() -> None:
    request = json.load(sys.stdin.buffer)
    made_at = datetime.fromisoformat(request["timestamp"])
    sys.stdout.buffer.write(typeset(Path(request["folder"]), request["template"], request["inputs"], made_at))


if __name__ == "__main__":
    _serve_requests()
