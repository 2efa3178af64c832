"""Books as files, made in the test: what people hand on and sites offer."""

import io
import zipfile
from collections.abc import Mapping, Sequence

import docx
import typst

from core.typesetting import fonts

Chapters = Mapping[str, Sequence[str]]  # title -> paragraphs
_PAGE = """
#set document(title: "{title}", author: "闻笛")
#set page(paper: "a6", header: [{title} #h(1fr) 闻笛], footer: context align(center)[— #counter(page).display() —])
#set text(font: "Noto Sans Mono CJK SC", lang: "zh", size: 10pt)
#set par(first-line-indent: (amount: 2em, all: true), justify: true)
#set heading(outlined: {outlined}, bookmarked: {outlined})
"""


def pdf_of(title: str, chapters: Chapters, *, has_outline: bool = True) -> bytes:
    """Set by Typst, with running heads and numbers on each page, lines broken to fit."""
    body = "\n\n".join(
        f"= {name}\n\n" + "\n\n".join(paragraphs) + "\n\n#pagebreak(weak: true)"
        for name, paragraphs in chapters.items()
    )
    dress = _PAGE.format(title=title, outlined=str(has_outline).lower())
    return _set(dress + body)


def pdf_of_pictures() -> bytes:
    """A page on which nothing is text."""
    return _set("#rect(width: 100%, height: 50%, fill: blue)")


def _set(source: str) -> bytes:
    pdf = typst.compile(source.encode(), font_paths=[str(fonts())], ignore_system_fonts=True)
    assert isinstance(pdf, bytes)
    return pdf


def docx_of(title: str, chapters: Chapters) -> bytes:
    document = docx.Document()
    document.add_heading(title, 0)
    for name, paragraphs in chapters.items():
        document.add_heading(name, 1)
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def epub_of(title: str, chapters: Chapters) -> bytes:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    items = "".join(
        f'<item id="c{at}" href="c{at}.xhtml" media-type="application/xhtml+xml"/>' for at in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    pages = {
        f"c{at}.xhtml": f"<html><body><h1>{name}</h1>{''.join(f'<p>{each}</p>' for each in paragraphs)}</body></html>"
        for at, (name, paragraphs) in enumerate(chapters.items())
    }
    return zip_of(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "book.opf": package.encode(),
        }
        | {name: page.encode() for name, page in pages.items()}
    )


def txt_of(chapters: Chapters) -> str:
    return "\n".join(
        f"{name}\n" + "".join(f"　　{each}\n" for each in paragraphs) for name, paragraphs in chapters.items()
    )


def zip_of(members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()
