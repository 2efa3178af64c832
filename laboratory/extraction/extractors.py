"""The extractors of main text: the product, and published libraries used as in their documentation.

The peers get the page decoded as its manifest says; the product gets the bytes and detects the encoding itself.
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata

import trafilatura
from lxml import html

from core.pages import Reading
from crawler.reading import read_page
from laboratory.extraction.saved_pages import SavedPage

PRODUCT = "zhuiwen"
ADDRESS = "http://saved.example/page.html"  # has no site rule and no template, so pages are read independently

Read = Callable[[SavedPage], str]


@dataclass(frozen=True, slots=True)
class Extractor:
    """version: of the library; empty for the product."""

    name: str
    version: str
    read: Read


def product_reading(page: SavedPage) -> Reading | None:
    """Return the crawler's reading of a page, or None if it reads nothing."""
    reading = read_page(page.body, {}, ADDRESS)
    return reading if isinstance(reading, Reading) else None


def extractors() -> tuple[list[Extractor], dict[str, str]]:
    """Return the product and each installed peer, and by name the reason why others are missing."""
    present, absent = [Extractor(PRODUCT, "", _product)], dict[str, str]()
    for package, make in (("trafilatura", _trafilatura), ("readability-lxml", _readability), ("gne", _gne)):
        try:
            present.append(Extractor(package, metadata.version(package), make()))
        except ImportError as error:
            absent[package] = str(error)
    return present, absent


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the warnings and logs of the peers."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _product(page: SavedPage) -> str:
    reading = product_reading(page)
    return reading.text if reading else ""


def _trafilatura() -> Read:
    return lambda page: trafilatura.extract(page.markup, include_comments=False) or ""


def _readability() -> Read:
    from readability import Document  # a peer, installed for development only

    return lambda page: str(html.fromstring(Document(page.markup).summary()).text_content())


def _gne() -> Read:
    from gne import GeneralNewsExtractor  # a peer, installed for development only

    return lambda page: str(GeneralNewsExtractor().extract(page.markup)["content"])
