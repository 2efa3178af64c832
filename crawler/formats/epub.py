"""Reads EPUB 2 and 3 files: one work with its chapters in reading order and their titles from the table of contents."""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from lxml import etree

from core.errors import UnreadableFile
from core.states import Rejection
from core.wording import Message
from core.works import OWN, WorkFile
from crawler.characters.decoding import decode
from crawler.formats.archive import Archive
from crawler.formats.headings import number_chapters, split_chapters
from crawler.formats.plain import CHARS_FOR_A_BROKEN_ONE, MAX_PLACES, TRIED, decode_with_replacement, normalize_text
from crawler.markup import element_text, parse

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_DRM_FILES = ("META-INF/rights.xml", "META-INF/sinf.xml", "META-INF/license.lcpl")
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGE_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document"})


def read_epub(file: BinaryIO, name: Path | str) -> WorkFile:
    """Return the work in an EPUB file.

    Raises UnreadableFile if the file is damaged or has no Chinese text, or if digital rights management protects it.
    """
    with Archive(file, name, ".epub") as archive:
        _refuse_drm(archive)
        book = _Book(archive)
        chapters = number_chapters(book.chapters())
    if not chapters:
        raise UnreadableFile(name, "intake.no-chinese-pictures")
    flaws = book.flaws(sum(len(chapter.text) for chapter in chapters))
    if len(chapters) > 1:
        return WorkFile(book.title, book.author, chapters, OWN, flaws)
    split = split_chapters(chapters[0].text)
    return WorkFile(book.title, book.author, split if len(split) > 1 else chapters, flaws=flaws)


class _Book:
    """The package document of a book: title, author, parts and their order."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        container = _parse_xml(archive, _CONTAINER)
        roots = container.xpath("//*[local-name()='rootfile']/@full-path")
        if not roots:
            raise UnreadableFile(archive.name, "intake.no-package")
        self._package_path = unquote(str(roots[0]))
        package = _parse_xml(archive, self._package_path)
        self.title = _first_text(package, "//*[local-name()='metadata']/*[local-name()='title']")
        self.author = _first_text(package, "//*[local-name()='metadata']/*[local-name()='creator']")
        self._items = {
            item.get("id", ""): item for item in package.xpath("//*[local-name()='manifest']/*[local-name()='item']")
        }
        spine = package.xpath("//*[local-name()='spine']")
        self._spine = spine[0] if spine else None
        self._lost: dict[str, int] = {}  # number of undecodable characters by part

    def flaws(self, chars: int) -> tuple[Message, ...]:
        """Return messages about undecodable characters. chars: the length of the book.

        Raises UnreadableFile if the book has too many of them.
        """
        lost = sum(self._lost.values())
        if lost * CHARS_FOR_A_BROKEN_ONE > chars:
            raise UnreadableFile(self._archive.name, "intake.broken-parts", count=lost, chars=chars)
        parts = list(self._lost)
        more = [Message("corpus.and-more", count=len(parts) - MAX_PLACES)] if len(parts) > MAX_PLACES else []
        return (Message("intake.replaced-in", count=lost, parts=[*parts[:MAX_PLACES], *more]),) if lost else ()

    def chapters(self) -> Iterator[tuple[str, str]]:
        """Yield (title, text) in reading order.

        A part without an entry in the table of contents continues the chapter before it.
        """
        titles = self._read_contents()
        title, parts = "", [""]
        for name in dict.fromkeys(self._reading_order()):  # the format lets each part occur only once
            heading, text = self._read_page(name)
            own = titles.get(name, "") or ("" if titles else heading)
            if own and any(parts):
                yield title, "\n".join(part for part in parts if part)
                parts = []
            title = own or title
            parts.append(text)
        yield title, "\n".join(part for part in parts if part)

    def _reading_order(self) -> Iterator[str]:
        references = self._spine if self._spine is not None else ()
        for reference in references:
            item = self._items.get(reference.get("idref", "")) if isinstance(reference.tag, str) else None
            if item is None or reference.get("linear") == "no" or "nav" in item.get("properties", "").split():
                continue
            if item.get("media-type", "").lower() in _PAGE_TYPES:
                yield self._resolve_member(self._package_path, item.get("href", ""))

    def _read_page(self, name: str) -> tuple[str, str]:
        tree = parse(self._read_markup(name))
        if tree is None:
            return "", ""
        for reading in tree.xpath("//rt | //rp"):
            reading.drop_tree()
        headings = [" ".join(element_text(node).split()) for node in tree.xpath("//h1 | //h2")]
        return next((heading for heading in headings if heading), ""), normalize_text(element_text(tree))

    def _read_markup(self, name: str) -> str:
        """Return the markup of a part. Raises UnreadableFile if it is missing or damaged, or if no encoding fits."""
        data = self._archive.read_member(name).removeprefix(b"\xef\xbb\xbf")
        try:
            return data.decode()
        except UnicodeDecodeError:
            found = decode(data)
        if isinstance(found, Rejection):
            raise UnreadableFile(f"{self._archive.name}, part {name}", "intake.no-encoding", tried=TRIED)
        text, lost = decode_with_replacement(data, found.encoding)
        if lost:
            self._lost[name] = lost
        return text

    def _read_contents(self) -> dict[str, str]:
        """Return the title of each part, from the navigation document or, if there is none, from the NCX of EPUB 2."""
        for item in self._items.values():
            if "nav" in item.get("properties", "").split():
                return self._titles_in_nav(self._resolve_member(self._package_path, item.get("href", "")))
        for item in self._items.values():
            if item.get("media-type") == "application/x-dtbncx+xml":
                return self._titles_in_ncx(self._resolve_member(self._package_path, item.get("href", "")))
        return {}

    def _titles_in_nav(self, name: str) -> dict[str, str]:
        tree = parse(self._read_markup(name))
        navs = tree.xpath("//nav") if tree is not None else []
        contents = [nav for nav in navs if "toc" in (nav.get("epub:type") or nav.get("role") or "")] or navs
        links = contents[0].xpath(".//a[@href]") if contents else []
        return self._titles_by_file(name, [(link.get("href"), " ".join(element_text(link).split())) for link in links])

    def _titles_in_ncx(self, name: str) -> dict[str, str]:
        points = _parse_xml(self._archive, name).xpath("//*[local-name()='navPoint']")
        pairs = [
            (str(source), _first_text(point, "./*[local-name()='navLabel']"))
            for point in points
            for source in point.xpath("./*[local-name()='content']/@src")
        ]
        return self._titles_by_file(name, pairs)

    def _titles_by_file(self, base: str, pairs: list[tuple[str, str]]) -> dict[str, str]:
        titles: dict[str, str] = {}
        for target, title in pairs:
            if title:
                titles.setdefault(self._resolve_member(base, target), title)
        return titles

    def _resolve_member(self, base: str, href: str) -> str:
        """Return the name of the member to which `href` in `base` refers.

        A target outside the book matches no member.
        """
        target = unquote(href.partition("#")[0])
        return posixpath.normpath(posixpath.join(posixpath.dirname(base), target)) if target else base


def _refuse_drm(archive: Archive) -> None:
    encrypted = archive.names & {_ENCRYPTION}
    algorithms = {
        str(value)
        for name in encrypted
        for value in _parse_xml(archive, name).xpath(
            "//*[local-name()='EncryptedData']/*[local-name()='EncryptionMethod']/@Algorithm"
        )
    }
    if algorithms - set(_FONT_ALGORITHMS) or (algorithms and archive.names & set(_DRM_FILES)):
        raise UnreadableFile(archive.name, "intake.encrypted")


def _parse_xml(archive: Archive, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(archive.read_member(name), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise UnreadableFile(archive.name, "intake.part-not-xml", part=name)
    return root


def _first_text(node: etree._Element, path: str) -> str:
    texts = (" ".join("".join(found.itertext()).split()) for found in node.xpath(path))
    return next((text for text in texts if text), "")
