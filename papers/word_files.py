"""Files of Word as they come from people: opened within bounds, and looked through for what acts by itself."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import docx
from docx.oxml.ns import qn
from lxml import etree

from core.errors import BadInput
from core.wording import Message

# Chosen: a template with a letterhead has some 100 kB; 4 MB take a scanned one. What unpacks to more is no template.
MAX_FILE_BYTES = 4 * 1024 * 1024
MAX_UNPACKED_BYTES = 40 * 1024 * 1024
MAX_PARTS = 300
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_ACTIVE = re.compile(r"(vbaProject|vbaData|activeX|embeddings/|customUI|attachedToolbars|\.bin$)", re.IGNORECASE)
_ALLOWED_FIELDS = frozenset({"PAGE", "NUMPAGES", "SECTIONPAGES"})
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)


def opened(content: bytes) -> Any:
    """The file as python-docx has it. Raises BadInput for what is no DOCX, is too large, or acts by itself."""
    faults = list(dict.fromkeys(_faults(content)))
    if faults:
        raise BadInput(faults[0])
    try:
        return docx.Document(io.BytesIO(content))
    except Exception as error:  # whatever a damaged file makes the library stumble over
        raise BadInput("paper.no-word-file") from error


def parts_of(file: Any) -> Iterator[Any]:
    """The elements in which text stands: the body, and heads and feet of all sections."""
    yield file.element.body
    for section in file.sections:
        for part in (section.header, section.footer, section.first_page_header, section.first_page_footer):
            if not part.is_linked_to_previous:
                yield part._element


def _faults(content: bytes) -> Iterator[Message]:
    if len(content) > MAX_FILE_BYTES:
        yield Message("paper.too-large", most=MAX_FILE_BYTES // 1024 // 1024)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
                yield Message("paper.too-large", most=MAX_FILE_BYTES // 1024 // 1024)
                return
            yield from _faults_of_parts(archive, [part.filename for part in parts])
    except (zipfile.BadZipFile, etree.XMLSyntaxError, ValueError, NotImplementedError, RuntimeError, EOFError, OSError):
        yield Message("paper.no-word-file")


def _faults_of_parts(archive: zipfile.ZipFile, names: list[str]) -> Iterator[Message]:
    if "word/document.xml" not in names or "[Content_Types].xml" not in names:
        yield Message("paper.no-word-file")
        return
    types = etree.fromstring(archive.read("[Content_Types].xml"), _PARSER)
    if _MAIN not in {each.get("ContentType") for each in types}:
        yield Message("paper.has-macros")
    if any(_ACTIVE.search(name) for name in names):
        yield Message("paper.has-macros")
    for name in names:
        if name.endswith(".rels"):
            relations = etree.fromstring(archive.read(name), _PARSER).iter(_RELATION)
            yield from (
                Message("paper.links-outside", target=str(each.get("Target"))[:200])
                for each in relations
                if str(each.get("TargetMode", "")).lower() == "external"
            )
        elif name.startswith("word/") and name.endswith(".xml"):
            yield from _faults_of_text(etree.fromstring(archive.read(name), _PARSER))


def _faults_of_text(part: Any) -> Iterator[Message]:
    said = "".join(str(each.text or "") for each in part.iter(qn("w:instrText")))
    asked = [*re.split(r"(?=\b(?:PAGE|NUMPAGES|SECTIONPAGES)\b)", said)] if said.strip() else []
    asked += [str(each.get(qn("w:instr"), "")) for each in part.iter(qn("w:fldSimple"))]
    for instruction in asked:
        name = (instruction.split() or [""])[0].upper()
        if name and name not in _ALLOWED_FIELDS:
            yield Message("paper.has-field", field=name[:40])
    if next(part.iter(qn("w:object"), qn("w:altChunk"), qn("w:control")), None) is not None:
        yield Message("paper.has-macros")
    if next(part.iter(qn("w:ins"), qn("w:del"), qn("w:moveFrom"), qn("w:moveTo")), None) is not None:
        yield Message("paper.has-tracked-changes")
