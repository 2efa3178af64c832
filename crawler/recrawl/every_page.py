"""A crawl without a memory of earlier ones: it fetches every page, whole, and notes nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from scrapy import Request
from scrapy.http import Response

from core.ids import CanonicalUrl, Digest, VersionId
from core.states import Rejection
from core.visits import MovedTo
from core.wording import Message
from crawler.frontier import Frontier, Target
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.readers.pages import WholePage
from crawler.recrawl.recrawl import ConditionalRequest, Unsaved
from crawler.sources.listed import Listed


class EveryPage:
    """crawler.recrawl.recrawl.Recrawl for a crawl that knows of no other."""

    def add_due(self, frontier: Frontier, follows: Callable[[str], bool]) -> None:
        return

    def probes(self) -> Iterator[Request]:
        return iter(())

    async def await_probes(self) -> None:
        return

    def in_order(self, targets: list[Target]) -> tuple[list[Target], list[Target]]:
        return targets, []

    async def await_lists(self, is_quiet: Callable[[], bool]) -> None:
        return

    def still_due(self, targets: list[Target], frontier: Frontier) -> list[Target]:
        return targets

    def known_texts(self) -> Iterable[tuple[str, Digest]]:
        return ()

    def wants(self, url: str) -> bool:
        return True

    def priority(self, target: Target) -> int:
        return -target.depth

    def list_dates(self, entries: Iterable[Listed]) -> None:
        return

    def expect_lists(self, targets: Iterable[Target]) -> None:
        return

    def conditions(self, url: str, *, is_redirected: bool) -> ConditionalRequest | None:
        return None

    def has_page(self, url: str) -> bool:
        return False

    def is_not_found_redirect(self, status: int, headers: Mapping[str, str], url: str) -> bool:
        return False

    def note_move(self, move: MovedTo) -> None:
        return

    def answer_without_page(self, response: Response, target: Target) -> Unchanged | NotThere | None:
        return None

    async def judge(
        self, item: ReadPage | None, page: WholePage, response: Response, target: Target
    ) -> ReadPage | NotThere | None:
        return item

    def identity(self, url: str, canonical_url: CanonicalUrl) -> CanonicalUrl:
        return canonical_url

    def settle(self, target: Target) -> None:
        return

    def note_failure(self, target: Target, reason: Rejection | None, fault: Message) -> None:
        return

    def note_stored(self, item: ReadPage, version: VersionId) -> Message | None:
        return None

    def note_not_stored(self, target: Target, fault: Message) -> None:
        return

    def store_unchanged(self, item: Unchanged) -> VersionId | None:
        return None

    def store_absence(self, item: NotThere) -> None:
        return

    def store_look(self, item: ReadPage) -> None:
        return

    def store_unread(self, item: Unread) -> None:
        return

    def note_unchanged(self, item: Unchanged) -> None:
        return

    def note_absent(self, item: NotThere) -> None:
        return

    def note_left(self, frontier: Frontier) -> None:
        return

    def take_unsaved(self, least: int) -> Unsaved:
        return Unsaved()

    def give_back(self, unsaved: Unsaved) -> None:
        return

    def save(self, unsaved: Unsaved) -> None:
        return

    def close(self) -> None:
        return
