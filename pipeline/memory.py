"""The pipeline's ports in memory: for `zhuiwen check`, for tests, and as the plainest statement of what each does."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.ids import SiteId, VersionId, WorkTextId
from core.matches import MatchClass
from core.messages import Message
from core.ports import Outcome
from core.rights import Permission, rule
from core.states import Rejection


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


class MemoryCaseBook:
    """`core.ports.CaseBook` over plain dictionaries. A case's id is its place in `cases`, from 1."""

    def __init__(self, holders: Iterable[MemoryHolder]) -> None:
        self._holders = list(holders)
        self._indexed: dict[WorkTextId, datetime] = {}
        self.outcomes: dict[VersionId, Outcome] = {}
        self.cases: list[tuple[str, str]] = []  # (page id, work)
        self.excluded: dict[tuple[str, str], Rejection] = {}

    def texts_of_watchers(self, site: SiteId) -> frozenset[WorkTextId]:
        holder = self._watcher(site)
        return frozenset().union(*holder.works.values()) if holder else frozenset()

    def record(self, outcome: Outcome) -> list[int]:
        self.outcomes[outcome.version.id] = outcome
        holder = self._watcher(outcome.version.site_id)
        return self._rule(holder, outcome) if holder else []

    def unchecked(self, versions: Iterable[VersionId], algorithm_id: int) -> set[VersionId]:
        return {version for version in versions if not self._is_checked(version, algorithm_id)}

    def is_owned(self, text: WorkTextId) -> bool:
        return any(text in texts for holder in self._holders for texts in holder.works.values())

    def indexed(self, text: WorkTextId, at: datetime) -> None:
        self._indexed.setdefault(text, at)

    def _watcher(self, site: SiteId) -> MemoryHolder | None:
        return next((holder for holder in self._holders if site in holder.sites), None)

    def _is_checked(self, version: VersionId, algorithm_id: int) -> bool:
        outcome = self.outcomes.get(version)
        if outcome is None or outcome.algorithm_id != algorithm_id:
            return False
        newest = max(
            (
                self._indexed.get(text, datetime.min.replace(tzinfo=UTC))
                for text in self.texts_of_watchers(outcome.version.site_id)
            ),
            default=datetime.min.replace(tzinfo=UTC),
        )
        return outcome.checked_at > newest

    def _rule(self, holder: MemoryHolder, outcome: Outcome) -> list[int]:
        opened = []
        page, version = str(outcome.version.page_id), outcome.version
        for work, texts in holder.works.items():
            findings = [match for match in outcome.matches if match.text_id in texts]
            if not findings:
                continue
            ruling = rule(
                version.final_url, version.fetched_at.date(), holder.own_domains, holder.permissions.get(work, ())
            )
            rejection = ruling.rejection
            if rejection is None and all(match.match_class is MatchClass.QUOTATION for match in findings):
                rejection = Rejection.QUOTATION
            if rejection is not None:
                self.excluded[page, work] = rejection
                continue
            if (page, work) not in self.cases:
                self.cases.append((page, work))
            opened.append(self.cases.index((page, work)) + 1)
        return opened
