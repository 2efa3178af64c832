"""Opens Word files from users: checks their size, and rejects active content."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import docx
from lxml import etree

from core.errors import BadInput
from core.wording import Message

# Chosen: a template with a letterhead has some 100 kB; 4 MB allow a scanned one.
MAX_FILE_BYTES = 4 * 1024 * 1024
MAX_UNPACKED_BYTES = 40 * 1024 * 1024
MAX_PARTS = 300
MAX_ELEMENTS = 200_000  # in all parts; chosen: Word's own styles have 20,000, a letter of 500 pages another 30,000
_CONTENT_TYPES = "[Content_Types].xml"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
# The parts of a plain document. Word might run, load or request any other part.
_TYPES = re.compile(
    r"application/(xml|vnd\.openxmlformats-(officedocument|package)\.[\w.+-]+\+xml|vnd\.ms-(word|office)\.[\w.+-]+\+xml)"
    r"|image/[\w.+-]+|application/(x-fontdata|x-font-ttf|vnd\.openxmlformats-officedocument\.obfuscatedFont)"
)
_ACTIVE = re.compile(
    r"vbaProject|vbaData|macroEnabled|activeX|oleObject|embeddings/|customUI|toolbar|keyMap|sheet|presentation|\.bin$",
    re.IGNORECASE,
)
_ACTIVE_ELEMENTS = frozenset({"object", "OLEObject", "altChunk", "control", "subDoc", "mailMerge", "ffData"})
_REVISIONS = frozenset({"ins", "del", "moveFrom", "moveTo"})
_ADDRESSES = frozenset({"src", "href", "althref"})  # in VML and SVG; DrawingML references pictures by relations
# A page number and its format.
_PAGE_NUMBER = re.compile(r"(PAGE|NUMPAGES|SECTIONPAGES)(\s*\\[*#]\s*[\w\"#,.-]+)*", re.IGNORECASE)
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)


def open_word_file(content: bytes) -> Any:
    """Return the file as a python-docx document.

    Raises BadInput if it is not a DOCX file, is too large, or contains active content, tracked changes or external
    links.
    """
    faults = list(dict.fromkeys(_file_faults(content)))
    if faults:
        raise BadInput(faults[0])
    try:
        file = docx.Document(io.BytesIO(content))
        list(text_parts(file))
    except Exception as error:  # the library may raise any exception for a damaged file
        raise BadInput("paper.no-word-file") from error
    return file


def text_parts(file: Any) -> Iterator[Any]:
    """Yield each element that contains text once: the body, and the headers and footers of all sections."""
    yield file.element.body
    met: list[Any] = []
    for section in file.sections:
        heads = (section.header, section.first_page_header, section.even_page_header)
        for part in (*heads, section.footer, section.first_page_footer, section.even_page_footer):
            if not part.is_linked_to_previous and not any(part._element is each for each in met):
                met.append(part._element)
                yield part._element


def _file_faults(content: bytes) -> Iterator[Message]:
    if len(content) > MAX_FILE_BYTES:
        yield Message("paper.too-large", most=MAX_FILE_BYTES // 1024 // 1024)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
                yield Message("paper.too-large", most=MAX_FILE_BYTES // 1024 // 1024)
                return
            yield from _check_parts(archive, [part.filename for part in parts])
    except Exception:  # zip and XML parsers may raise any exception for a damaged file
        yield Message("paper.no-word-file")


def _check_parts(archive: zipfile.ZipFile, names: list[str]) -> Iterator[Message]:
    """Yield a message for each error in the parts of a file, including parts that the document does not reference."""
    types = _content_types(archive)
    main = _main_part(archive)
    if len({name.lower() for name in names}) < len(names) or main not in names:
        yield Message("paper.no-word-file")
        return
    if types.content_type(main) != _MAIN:
        yield Message("paper.has-macros")
    for name in names:
        if name.endswith("/") or name == _CONTENT_TYPES:
            continue
        if name.lower().endswith(".rels"):
            yield from _faults_of_relations(_parse_part(archive, name))
            continue
        content_type = types.content_type(name)
        if _ACTIVE.search(name) or not _TYPES.fullmatch(content_type) or _ACTIVE.search(content_type):
            yield Message("paper.has-macros")
        elif content_type.endswith("xml"):
            part = _parse_part(archive, name)
            yield from _faults_of_text(part) if content_type != "application/xml" else ()


@dataclass(frozen=True, slots=True)
class _Types:
    """The content types in [Content_Types].xml, by the name of a part and by file extension."""

    by_name: Mapping[str, str]
    by_ending: Mapping[str, str]

    def content_type(self, name: str) -> str:
        ending = name.rpartition(".")[2].lower()
        return self.by_name.get(name.lower()) or self.by_ending.get(ending, "")


def _content_types(archive: zipfile.ZipFile) -> _Types:
    by_name, by_ending = dict[str, str](), dict[str, str]()
    for each in _parse_part(archive, _CONTENT_TYPES).iterchildren():
        said = str(each.get("ContentType", ""))
        if each.get("PartName"):
            by_name[str(each.get("PartName")).lstrip("/").lower()] = said
        else:
            by_ending[str(each.get("Extension", "")).lower()] = said
    return _Types(by_name, by_ending)


def _main_part(archive: zipfile.ZipFile) -> str:
    """Return the name of the part that Word opens, or "" if the file names none or several."""
    relations = _parse_part(archive, "_rels/.rels").iter(_RELATION)
    named = [str(each.get("Target")) for each in relations if str(each.get("Type")).endswith("/officeDocument")]
    return posixpath.normpath(named[0]).lstrip("/") if len(named) == 1 else ""


def _parse_part(archive: zipfile.ZipFile, name: str) -> Any:
    """Parse a part of the archive and return its root element.

    Raises ValueError if it has a document type or too many elements, and KeyError if it is missing.
    """
    content = archive.read(name)
    if content.count(b"<") > 2 * MAX_ELEMENTS:
        raise ValueError("more elements than a letter has")
    root = etree.fromstring(content, _PARSER)
    if root.getroottree().docinfo.doctype:
        raise ValueError("a document type")
    return root


def _faults_of_relations(part: Any) -> Iterator[Message]:
    for each in part.iter(_RELATION):
        target = str(each.get("Target"))
        if str(each.get("TargetMode", "")).lower() == "external" or _is_outside(target):
            yield Message("paper.links-outside", target=target[:200])


def _is_outside(target: str) -> bool:
    return ":" in target or target.startswith(("//", "\\"))


def _faults_of_text(part: Any) -> Iterator[Message]:
    for instruction in _field_instructions(part):
        if not _PAGE_NUMBER.fullmatch(instruction):
            yield Message("paper.has-field", field=(instruction.split() or [instruction])[0][:40].upper())
    for element in part.iter("*"):
        name = etree.QName(element).localname
        if name in _ACTIVE_ELEMENTS:
            yield Message("paper.has-macros")
        elif name in _REVISIONS:
            yield Message("paper.has-tracked-changes")
        for attribute, value in element.attrib.items():
            is_address = etree.QName(attribute).localname in _ADDRESSES
            if is_address and value and not value.startswith(("#", "data:")):
                yield Message("paper.links-outside", target=value[:200])


def _field_instructions(part: Any) -> Iterator[str]:
    """Yield the instruction of each Word field, including nested fields, and instructions outside of any field."""
    begun: list[list[str] | None] = []  # None: the result of the field has begun
    for element in part.iter("*"):
        name = etree.QName(element).localname
        if name == "fldSimple":
            yield _local_attribute(element, "instr")
        elif name in {"instrText", "delInstrText"}:
            if begun and (pieces := begun[-1]) is not None:
                pieces.append(element.text or "")
            else:
                yield (element.text or "").strip()
        elif name == "fldChar":
            kind = _local_attribute(element, "fldCharType")
            if kind == "begin":
                begun.append([])
                continue
            if begun and (pieces := begun[-1]) is not None:
                yield "".join(pieces).strip()
                begun[-1] = None
            if kind == "end" and begun:
                begun.pop()
    yield from ("".join(pieces).strip() for pieces in begun if pieces is not None)


def _local_attribute(element: Any, name: str) -> str:
    """Return the value of an attribute by its local name, or "". Strict documents use another namespace."""
    return next((value.strip() for key, value in element.attrib.items() if etree.QName(key).localname == name), "")
