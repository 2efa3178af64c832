"""Reads the contacts of a site from a page. Precision comes first: contacts that visitors wrote do not count."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from lxml.html import HtmlElement

from core.contacts import MAX_VALUE_CHARS, Contact, ContactKind
from crawler.contacts.about_pages import about_page_kind, has_form, is_about_page, linked_pages
from crawler.contacts.emails import emails, fold, parse_email
from crawler.contacts.regions import LinkOfPage, regions
from crawler.links import base_url
from crawler.site_identifiers import PROVINCES

MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class PageContacts:
    """The contacts on a page. is_about_page: the page is about the site, so no other page has to repeat them."""

    contacts: tuple[Contact, ...] = ()
    is_about_page: bool = False


def page_contacts(tree: HtmlElement, url: str) -> PageContacts:
    """Return the contacts on a page, each once. The tree is not changed.

    On a page about the site, everything except comments counts. On other pages, only the footer and mailto links count;
    if there is no footer, also the registration numbers at the end of the page.
    """
    kind = about_page_kind(url, _title(tree))
    found = regions(tree, is_about_page=kind is not None)
    where = found.page if kind is not None else found.footer
    spoken = [*emails(where), *_mailto_contacts(found.links, is_about_page=kind is not None)]
    spoken += numbers(where or found.tail)
    spoken += linked_pages(found.links, base_url(tree, url), url)
    if kind is not None and len(url) <= MAX_VALUE_CHARS:
        spoken += [Contact(kind, url)]
        spoken += [Contact(ContactKind.FORM, url)] if has_form(found.forms) else []
    once = {(each.kind, each.value): each for each in reversed(spoken)}
    return PageContacts(tuple(reversed(once.values())), kind is not None)


def _mailto_contacts(links: list[LinkOfPage], *, is_about_page: bool) -> list[Contact]:
    """Return the addresses of mailto links, or [] if the page lists people.

    Such a page has more than 3 addresses, or more than 12 if it is about the site.
    """
    found = {}
    for link in links:
        scheme, _, rest = link.href.strip().partition(":")
        if scheme.lower() == "mailto" and (address := parse_email(rest.replace("%40", "@"))):
            label = "" if address in link.words.lower() else link.words[:60]
            found[address] = Contact(ContactKind.EMAIL, address, label)
    return list(found.values()) if len(found) <= (12 if is_about_page else 3) else []


def _title(tree: HtmlElement) -> str:
    title = next(tree.iter("title"), None)
    return " ".join((title.text or "").split())[:MAX_TITLE_CHARS] if title is not None else ""


MAX_NUMBERS = 6  # per page and kind; a list of sites with their numbers is not an imprint
_GAP = r"[\s:：]{0,3}"
_SHORT = rf"[{PROVINCES}]"
_ICP = re.compile(
    rf"({_SHORT}){_GAP}ICP{_GAP}[备備]{_GAP}(?:案)?(?:第)?{_GAP}(\d{{6,10}}){_GAP}[号號](?:-(\d{{1,3}})(?!\d))?",
    re.IGNORECASE,
)
# The older form has the province and six digits, the newer form has the kind of service: B2-20090059.
_LICENCE = re.compile(rf"({_SHORT}){_GAP}ICP{_GAP}[证證]{_GAP}(?:第)?(\d{{6}}){_GAP}[号號]?", re.IGNORECASE)
_SERVICES = re.compile(rf"(?<![A-Za-z0-9])({_SHORT}|合字){_GAP}(B[12]-\d{{8}})(?!\d)", re.IGNORECASE)
_POLICE = re.compile(
    rf"({_SHORT}){_GAP}公网安[备備]{_GAP}(?:第)?{_GAP}(\d{{11,14}}){_GAP}[号號]?|({_SHORT})公網安[备備]{_GAP}(\d{{11,14}})"
)


def numbers(text: str) -> list[Contact]:
    """Return the registration numbers in a text, each once. A kind with more than MAX_NUMBERS numbers is left out.

    >>> [each.value for each in numbers("京ICP備12345678號-2 京公网安备 11010502012345号 京ICP证030173号")]
    ['京ICP备12345678号-2', '京ICP证030173号', '京公网安备11010502012345号']
    """
    folded, kept = fold(text), list[Contact]()
    for kind, values in ((ContactKind.ICP, _icp), (ContactKind.ICP_LICENCE, _licences), (ContactKind.POLICE, _police)):
        found = list(dict.fromkeys(values(folded)))
        kept += [Contact(kind, value) for value in found if len(found) <= MAX_NUMBERS]
    return kept


def _icp(text: str) -> Iterator[str]:
    for match in _ICP.finditer(text):
        yield f"{match[1]}ICP备{match[2]}号{f'-{match[3]}' if match[3] else ''}"


def _licences(text: str) -> Iterator[str]:
    yield from (f"{match[1]}ICP证{match[2]}号" for match in _LICENCE.finditer(text))
    yield from (f"{match[1]}{match[2].upper()}" for match in _SERVICES.finditer(text))


def _police(text: str) -> Iterator[str]:
    yield from (f"{match[1] or match[3]}公网安备{match[2] or match[4]}号" for match in _POLICE.finditer(text))


# Collects the contacts during a crawl, and separates the site's contacts from those of single pages.

# Contacts are read on some pages of any kind, whose footers repeat, and on pages about the site.
MAX_ANY_PAGES, MAX_ABOUT_PAGES = 20, 40
MIN_PAGES = 2  # pages that must repeat a contact: an address on a single article belongs to its author
_LINKED = frozenset({ContactKind.COMPLAINT_PAGE, ContactKind.CONTACT_PAGE})
MAX_KEPT = 1_000  # during one crawl


@dataclass(frozen=True, slots=True)
class Gathered:
    """A contact of a site, with the first page that contains it and the time at which that page was read."""

    contact: Contact
    url: str
    at: datetime


class ContactPages:
    """Chooses the pages of a crawl whose contacts are read, because reading takes time and footers repeat.

    A page that only its title identifies as a page about the site is chosen if another page links to it as its contact
    page.
    """

    def __init__(self) -> None:
        self._other_pages = self._about_pages = 0
        self._named: set[str] = set()

    def note(self, page: PageContacts | None) -> None:
        """Record the pages for complaints and contact to which a page links.

        page: None if its contacts were not read.
        """
        for each in page.contacts if page is not None else ():
            if each.kind in _LINKED and len(self._named) < MAX_ABOUT_PAGES:
                self._named.add(each.value)

    def admit_page(self, url: str) -> bool:
        """Count a page that is about to be read. Return True if its contacts are to be read."""
        if url in self._named or is_about_page(url):
            self._about_pages += 1
            return self._about_pages <= MAX_ABOUT_PAGES
        self._other_pages += 1
        return self._other_pages <= MAX_ANY_PAGES


class ContactGatherer:
    """Collects the contacts of the pages of a crawl. Not thread-safe."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._first: dict[tuple[ContactKind, str], Gathered] = {}
        self._pages: dict[tuple[ContactKind, str], set[str]] = {}
        self._sure: set[tuple[ContactKind, str]] = set()

    def add_page(self, url: str, page: PageContacts | None) -> None:
        """Add the contacts of a page. page: None if its contacts were not read."""
        for each in page.contacts if page is not None else ():
            key = (each.kind, each.value)
            known = self._first.get(key)
            if known is None and len(self._first) >= MAX_KEPT:
                continue
            if known is None or (each.label and not known.contact.label):
                self._first[key] = Gathered(each, url if known is None else known.url, self._now())
            self._pages.setdefault(key, set()).add(url)
            if page is not None and page.is_about_page:
                self._sure.add(key)

    def site_contacts(self) -> list[Gathered]:
        """Return the site's contacts: those that a page about the site or at least MIN_PAGES pages contain."""
        return [each for key, each in self._first.items() if key in self._sure or len(self._pages[key]) >= MIN_PAGES]
