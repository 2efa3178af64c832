"""The tasks of the reading process that read pages: pages of a crawl with their links, and single pages."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from lxml.html import HtmlElement

from core.errors import BrokenInvariant
from core.pages import CrawlPlan, Reading
from core.states import Rejection
from core.wording import Message
from crawler.contacts.reading import PageContacts, page_contacts
from crawler.formats.archive import detect_kind
from crawler.links import Links, forbids_following, links
from crawler.opening import NO_RULES, OpenPage, ReadingRules, Rejected, open_page
from crawler.page_data.script_requests import fetch_texts, has_no_text, read_script_data
from crawler.site_kinds import KINDS
from crawler.sources.catalogue import Outline, outline

# The empty shell of a script application has a title and a notice about disabled scripts. A list has links.
MAX_LINKS_OF_SHELL, MAX_SHELL_BYTES = 3, 200_000

if TYPE_CHECKING:  # loaded in the reading process, not by its callers
    from crawler.books import Book
    from crawler.readers.worker import ReadingSession


@dataclass(frozen=True, slots=True)
class WholePage:
    """The result of reading a page.

    links: None if it has no markup. reading: None if only its links were requested. outline: the outline of a page of a
    novel. faults: messages for the operator about parts that could not be read. is_shell: True if the page has scripts,
    but no text and links except those that the scripts would generate. is_rendered: True if a browser had run its
    scripts. contacts: the site's contacts on the page, if requested. has_slow_rules: True if reading took too long
    until the plan's selectors were skipped.
    """

    links: Links | None
    reading: Reading | Rejected | None
    seconds: float
    outline: Outline | None = None
    faults: tuple[Message, ...] = ()
    is_shell: bool = False
    is_rendered: bool = False
    contacts: PageContacts | None = None
    has_slow_rules: bool = False


@dataclass(frozen=True, slots=True)
class PageToRead:
    """A decompressed response of a crawl, to be read.

    is_kept: True to read its text and not only its links. is_rendered: True if a browser has run its scripts.
    has_contacts: True to read the site's contacts on the page. has_rules: True if the plan has selectors, which may be
    slow. is_without_rules: True to skip them. given_up: why the full reading was abandoned, so that only the plain
    markup is read.
    """

    body: bytes = field(repr=False)
    headers: Mapping[str, str]
    url: str
    is_kept: bool
    is_rendered: bool = False
    has_contacts: bool = False
    has_rules: bool = False
    is_without_rules: bool = False
    given_up: Message | None = None

    def simplify(self, reason: Message) -> "PageToRead | None":
        """Return the page to be read without the plan's selectors or, if they are already skipped, by its plain markup.

        Return None if its plain markup is already read.
        """
        if self.has_rules and not self.is_without_rules:
            return replace(self, is_without_rules=True)
        return replace(self, given_up=reason) if self.given_up is None else None

    def run(self, session: "ReadingSession") -> WholePage:
        """Read the page. Raises BadConfiguration if a selector of the plan is invalid."""
        begun, plan = time.perf_counter(), session.plan
        if plan is None:
            raise BrokenInvariant("page.no-plan")
        if self.is_without_rules:
            plan = without_selectors(plan)
        opened = _open_response(self.body, self.headers, self.url, plan, self.given_up)
        if isinstance(opened, Rejected):
            return WholePage(None, opened, time.perf_counter() - begun)
        if not isinstance(opened, OpenPage):
            reading = opened.reading if self.is_kept else None
            return WholePage(None, reading, time.perf_counter() - begun, faults=opened.faults)
        found, of_novel, is_shell, contacts = None, None, False, None
        if opened.tree is not None:
            encoding = opened.decoded.encoding
            found = links(
                opened.tree,
                self.url,
                plan.next_page_selector,
                plan.chapter_list_selector,
                encoding,
                is_rendered=self.is_rendered,
            )
            found = _add_data_links(found, opened.tree, self.url, session)
            of_novel = outline(opened.tree, self.url, plan, encoding) if KINDS[plan.kind].has_chapters else None
            is_shell = not self.is_rendered and self._may_be_shell(opened.tree, found)
            contacts = page_contacts(opened.tree, self.url) if self.has_contacts else None
        reading = self._read_text(opened, plan, session) if self.is_kept else None
        if self.given_up is not None and isinstance(reading, Rejected):
            reading = _reject_given_up(self.url, self.given_up)
        is_shell = is_shell and not (isinstance(reading, Reading) and reading.text)
        return WholePage(
            found,
            reading,
            time.perf_counter() - begun,
            of_novel,
            tuple(opened.notes),
            is_shell=is_shell,
            is_rendered=self.is_rendered,
            contacts=contacts,
            has_slow_rules=self.has_rules and self.is_without_rules and self.given_up is None,
        )

    def _read_text(self, opened: OpenPage, plan: CrawlPlan, session: "ReadingSession") -> Reading | Rejected:
        """Read the text of a page without the site's template. The tree of the page is changed."""
        from crawler.reading import read_opened

        return read_opened(opened, plan, partial(session.templates.filter_lines, url=self.url), session.render_context)

    def _may_be_shell(self, tree: HtmlElement, found: Links) -> bool:
        """Return True if a page has scripts but neither text nor links in its markup."""
        count = len(found.next_pages) + len(found.chapters) + len(found.others)
        is_small = len(self.body) <= MAX_SHELL_BYTES and count <= MAX_LINKS_OF_SHELL
        return is_small and next(tree.iter("script"), None) is not None and has_no_text(tree)


def without_selectors(plan: CrawlPlan) -> CrawlPlan:
    return replace(plan, body_selector="", title_selector="", next_page_selector="", chapter_list_selector="")


def _open_response(
    body: bytes, headers: Mapping[str, str], url: str, rules: ReadingRules, given_up: Message | None
) -> "Book | OpenPage | Rejected":
    """Read a file or open a page.

    given_up: why the full reading was abandoned, so that only the plain markup is opened.
    """
    kind = detect_kind(body) if given_up is None else ""
    if kind:
        from crawler.books import read_book

        book = read_book(kind, body, headers, url)
        if book is not None:
            return book
    opened = open_page(body, headers, url, rules, is_plain=given_up is not None)
    if given_up is None or isinstance(opened, OpenPage):
        return opened
    return _reject_given_up(url, given_up)


def _reject_given_up(url: str, reason: Message) -> Rejected:
    return Rejected(Rejection.UNREADABLE, Message("page.given-up", url=url, reason=reason))


def _add_data_links(found: Links, tree: HtmlElement, url: str, session: "ReadingSession") -> Links:
    """Return the links on a page, with those in data that its scripts request if the page itself has no text."""
    if next(tree.iter("script", "link"), None) is None:
        return found
    for_scripts = read_script_data(tree, url)
    if not for_scripts.may_be_written or not has_no_text(tree) or forbids_following(tree):
        return found
    requested = for_scripts.requested_addresses()
    return found.with_data(fetch_texts(requested, session.render_context.resources(url)), url)


@dataclass(frozen=True, slots=True)
class SinglePage:
    """A page outside of any crawl, to be read.

    is_seen: True to fetch its resources if it cannot be read without them. given_up: as in PageToRead.
    """

    body: bytes = field(repr=False)
    headers: Mapping[str, str]
    url: str
    rules: ReadingRules = NO_RULES
    is_seen: bool = False
    given_up: Message | None = None

    def simplify(self, reason: Message) -> "SinglePage | None":
        """Return the page to be read by its plain markup, or None if it already is."""
        return replace(self, given_up=reason) if self.given_up is None else None

    def run(self, session: "ReadingSession") -> Reading | Rejected:
        """Read the page. Raises BadConfiguration if a selector of the rules is invalid."""
        opened = _open_response(self.body, self.headers, self.url, self.rules, self.given_up)
        if isinstance(opened, Rejected):
            return opened
        if not isinstance(opened, OpenPage):
            return opened.reading
        from crawler.obfuscation.deobfuscation import MARKUP_ALONE
        from crawler.reading import read_opened

        reading = read_opened(opened, self.rules, context=session.render_context if self.is_seen else MARKUP_ALONE)
        has_text = isinstance(reading, Reading) and reading.text
        return reading if has_text or not opened.notes else Rejected(Rejection.NO_MAIN_TEXT, opened.notes[0])
