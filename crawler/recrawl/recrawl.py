"""What a crawl asks of its memory of earlier ones.

EveryPage        there is none: each page is fetched whole, and nothing is noted     crawler.recrawl.every_page
RecrawlAdapter   a site's visits: what is new or due is fetched, what was seen noted  crawler.recrawl.adapter
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from scrapy import Request
from scrapy.http import Response

from core.ids import CanonicalUrl, Digest, VersionId
from core.states import Rejection
from core.visits import MovedTo, Visit
from core.wording import Message
from crawler.frontier import Frontier, Target
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.readers.pages import WholePage
from crawler.sources.listed import Listed

NOT_MODIFIED = 304
RECRAWLED = (
    "zhuiwen_recrawled"  # in the meta of a request for the page that its target names, whole or for the first part
)
ABSENT = "zhuiwen_absent"  # in the meta of a request that was led to where the site leads for addresses that never were
NOT_THERE = (404, 410)


@dataclass(frozen=True, slots=True)
class ConditionalRequest:
    """How a known page is asked for: further headers, and statuses that are news of it and no failure."""

    headers: Mapping[str, str] = field(default_factory=dict)
    statuses: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What the repository does not know yet."""

    visits: tuple[Visit, ...] = ()
    moves: tuple[MovedTo, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.visits or self.moves)


class Recrawl(Protocol):
    """Called on the reactor's thread, but for `store_…` and `save`, which wait for a store."""

    # How a crawl begins

    def add_due(self, frontier: Frontier, follows: Callable[[str], bool]) -> None:
        """Put into a fresh frontier what earlier runs found and is due."""
        ...

    def probes(self) -> Iterator[Request]:
        """Requests for what cannot be there, where the site has pages that may be lost; with callbacks of their own."""
        ...

    async def await_probes(self) -> None:
        """Wait for the answers to `probes`."""
        ...

    def in_order(self, targets: list[Target]) -> tuple[list[Target], list[Target]]:
        """What a run begins with, and known pages, which wait for it: lists may name new pages, and these go first."""
        ...

    async def await_lists(self, is_quiet: Callable[[], bool]) -> None:
        """Wait until what `in_order` put first is read; `is_quiet`: nothing is asked for that could still come."""
        ...

    def still_due(self, targets: list[Target], frontier: Frontier) -> list[Target]:
        """Those of `targets` that are fetched for all that lists say of them; the others wait for another run."""
        ...

    def known_texts(self) -> Iterable[tuple[str, Digest]]:
        """The addresses of pages that earlier runs kept and that were there last, with the digests of their texts."""
        ...

    # What is asked for

    def wants(self, url: str) -> bool:
        """Whether this run should fetch a linked address."""
        ...

    def priority(self, target: Target) -> int:
        """Scrapy's priority of a request for a page."""
        ...

    def list_dates(self, entries: Iterable[Listed]) -> None:
        """Take over when a sitemap or feed says that pages changed."""
        ...

    def expect_lists(self, targets: Iterable[Target]) -> None:
        """Let `await_lists` wait for further sitemaps and feeds: what they say of known pages decides what is due."""
        ...

    def conditions(self, url: str, *, is_redirected: bool) -> ConditionalRequest | None:
        """How a known page is asked for; None for an unknown one."""
        ...

    # What came

    def has_page(self, url: str) -> bool:
        """Whether an earlier run kept a page of this address."""
        ...

    def is_not_found_redirect(self, status: int, headers: Mapping[str, str], url: str) -> bool:
        """Whether a redirect leads to where the site leads for addresses that never were."""
        ...

    def note_move(self, move: MovedTo) -> None:
        """Note a redirect off the site."""
        ...

    def answer_without_page(self, response: Response, target: Target) -> Unchanged | NotThere | None:
        """What an answer says that is no page: nothing has changed, or the page is not there. None for a page."""
        ...

    async def judge(
        self, item: ReadPage | None, page: WholePage, response: Response, target: Target
    ) -> ReadPage | NotThere | None:
        """The item itself, or what it is instead: a page that is lost, or nothing to store, which is noted at once."""
        ...

    def identity(self, url: str, canonical_url: CanonicalUrl) -> CanonicalUrl:
        """What a page is called: its old name where the site has moved and it stands at the same place as before."""
        ...

    def settle(self, target: Target) -> None:
        """An address has been read, with all that it names, or came to nothing."""
        ...

    def note_failure(self, target: Target, reason: Rejection | None, fault: Message) -> None:
        """Note a request that came to nothing; reason None: it leads to an address that this crawl has fetched."""
        ...

    # What is kept

    def note_stored(self, item: ReadPage, version: VersionId) -> Message | None:
        """Note that a page is stored; a message for the operator where its validators were wrong, else None."""
        ...

    def note_not_stored(self, target: Target, fault: Message) -> None:
        """Note that a page could not be stored."""
        ...

    def store_unchanged(self, item: Unchanged) -> VersionId | None:
        """Keep that a page still shows its current version, which is returned. Raises RetryLater."""
        ...

    def store_absence(self, item: NotThere) -> None:
        """Keep a response that says that a page is not there. Raises RetryLater."""
        ...

    def store_look(self, item: ReadPage) -> None:
        """Keep a response as it came where the page was asked for alone. Raises RetryLater."""
        ...

    def store_unread(self, item: Unread) -> None:
        """Keep a response that could not be read. Raises RetryLater."""
        ...

    def note_unchanged(self, item: Unchanged) -> None:
        """Note a page of which `store_unchanged` was kept."""
        ...

    def note_absent(self, item: NotThere) -> None:
        """Note a page of which `store_absence` was kept."""
        ...

    def note_left(self, frontier: Frontier) -> None:
        """Note the pages that were found and are not fetched: the next run begins with them."""
        ...

    def take_unsaved(self, least: int) -> Unsaved:
        """What is to be saved, if there is as much as `least`; the caller saves it or gives it back."""
        ...

    def give_back(self, unsaved: Unsaved) -> None:
        """What could not be saved; newer values stay."""
        ...

    def save(self, unsaved: Unsaved) -> None:
        """Write to the repository. Raises RetryLater."""
        ...

    def close(self) -> None:
        """Keep what was learnt of the site's dates."""
        ...
