"""Gathers the contacts of a crawl page by page, and tells those of the site from those of one page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.contacts import Contact, ContactKind
from crawler.contacts.about_pages import is_about_page
from crawler.contacts.reading import PageContacts

# Pages whose contacts are read: any, of which the foot says the same; and those that speak of the site.
MAX_ANY_PAGES, MAX_ABOUT_PAGES = 20, 40
MIN_PAGES = 2  # with what stands on pages that do not speak of the site: an address of one article is its author's
_LINKED = frozenset({ContactKind.COMPLAINT_PAGE, ContactKind.CONTACT_PAGE})
MAX_KEPT = 1_000  # while a crawl goes on


@dataclass(frozen=True, slots=True)
class Gathered:
    """A contact of a site, the first page that has it, and when that was read."""

    contact: Contact
    url: str
    at: datetime


class ContactPages:
    """Chooses the pages of a crawl whose contacts are read: reading them takes time, and footers repeat.

    A page that is only by its title one that speaks of the site is among them where a link names it so.
    """

    def __init__(self) -> None:
        self._other_pages = self._about_pages = 0
        self._named: set[str] = set()

    def note(self, page: PageContacts | None) -> None:
        """Note the pages for complaints and contact that a page links to."""
        for each in page.contacts if page is not None else ():
            if each.kind in _LINKED and len(self._named) < MAX_ABOUT_PAGES:
                self._named.add(each.value)

    def admit_page(self, url: str) -> bool:
        """Count the page at `url`, which is about to be read; return whether its contacts are read."""
        if url in self._named or is_about_page(url):
            self._about_pages += 1
            return self._about_pages <= MAX_ABOUT_PAGES
        self._other_pages += 1
        return self._other_pages <= MAX_ANY_PAGES


class ContactGatherer:
    """Collects the contacts of pages. Not for several threads."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._first: dict[tuple[ContactKind, str], Gathered] = {}
        self._pages: dict[tuple[ContactKind, str], set[str]] = {}
        self._sure: set[tuple[ContactKind, str]] = set()

    def add_page(self, url: str, page: PageContacts | None) -> None:
        """Note the contacts of a page; None: they were not read."""
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
        """Return the site's contacts: stated by a page that speaks of the site, or by MIN_PAGES others."""
        return [each for key, each in self._first.items() if key in self._sure or len(self._pages[key]) >= MIN_PAGES]
