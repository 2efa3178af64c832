"""The pipeline's ports in memory: for tests, and as the plainest statement of what each does."""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from core.ids import PageId, SiteId, VersionId, WorkTextId
from core.matches import MatchClass
from core.messages import Message
from core.pages import Page
from core.ports import Outcome
from core.rights import Permission, rule
from core.states import Rejection

NEVER = datetime.min.replace(tzinfo=UTC)


class MemoryOutbox:
    """Keeps messages in order until they are taken."""

    def __init__(self) -> None:
        self.messages: deque[Message] = deque()

    def send(self, message: Message) -> None:
        self.messages.append(message)

    def drain(self) -> list[Message]:
        """All messages so far, oldest first; they are gone from here."""
        taken = list(self.messages)
        self.messages.clear()
        return taken


@dataclass(slots=True)
class MemoryHolder:
    """A rights holder as the memory case book knows one. A work is a set of texts."""

    works: dict[str, frozenset[WorkTextId]]
    sites: frozenset[SiteId]
    own_domains: tuple[str, ...] = ()
    permissions: dict[str, tuple[Permission, ...]] = field(default_factory=dict)  # by work
    changed_at: datetime = NEVER


class MemoryCaseBook:
    """`core.ports.CaseBook` over plain dictionaries. A case's id is its place in `cases`, from 1."""

    def __init__(self, holders: Iterable[MemoryHolder], zone: ZoneInfo | None = None) -> None:
        self._holders = list(holders)
        self._zone = zone or ZoneInfo("Asia/Shanghai")
        self._indexed: dict[tuple[int, WorkTextId], datetime] = {}  # by holder's place and text
        self._shown: dict[PageId, VersionId] = {}
        self.outcomes: dict[VersionId, Outcome] = {}
        self.cases: list[tuple[str, str]] = []  # (page id, work)
        self.excluded: dict[tuple[str, str], Rejection] = {}

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        holder = self._watcher(site)
        works = holder.works.items() if holder else ()
        return {text: work for text in texts for work, owned in works if text in owned}

    def record(self, outcome: Outcome) -> list[int]:
        self.outcomes[outcome.version.id] = outcome
        page = outcome.version.page_id
        if outcome.is_current or page not in self._shown:
            self._shown[page] = outcome.version.id
        holder = self._watcher(outcome.version.site_id)
        return self._rule(holder, outcome) if holder else []

    def owed(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        return {page.current_version for page in pages if self._is_owed(page, algorithm_id)}

    def is_owned(self, text: WorkTextId) -> bool:
        return any(text in texts for holder in self._holders for texts in holder.works.values())

    def indexed(self, text: WorkTextId, at: datetime, is_new: bool) -> None:
        for place, holder in enumerate(self._holders):
            owns = any(text in texts for texts in holder.works.values())
            if owns and (is_new or (place, text) not in self._indexed):
                self._indexed[place, text] = holder.changed_at = at

    def _watcher(self, site: SiteId) -> MemoryHolder | None:
        return next((holder for holder in self._holders if site in holder.sites), None)

    def _is_owed(self, page: Page, algorithm_id: int) -> bool:
        holder, outcome = self._watcher(page.site_id), self.outcomes.get(page.current_version)
        if holder is None:
            return False
        if outcome is None or outcome.algorithm_id != algorithm_id or self._shown[page.id] != page.current_version:
            return True
        return outcome.checked_at <= holder.changed_at

    def _rule(self, holder: MemoryHolder, outcome: Outcome) -> list[int]:
        opened = []
        page, version = str(outcome.version.page_id), outcome.version
        seen_on = outcome.seen_at.astimezone(self._zone).date()
        for work, texts in holder.works.items():
            findings = [match for match in outcome.matches if match.text_id in texts]
            if not findings:
                continue
            permissions = holder.permissions.get(work, ())
            rejection = rule(version.final_url, seen_on, holder.own_domains, permissions).rejection
            if rejection is None and all(match.match_class is MatchClass.QUOTATION for match in findings):
                rejection = Rejection.QUOTATION
            if rejection is not None:
                self.excluded[page, work] = rejection
                continue
            if (page, work) not in self.cases:
                self.cases.append((page, work))
            opened.append(self.cases.index((page, work)) + 1)
        return opened
