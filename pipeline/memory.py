"""The pipeline's ports in memory: for tests, and as the plainest statement of what each does."""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from core.ids import PageId, SiteId, VersionId, WorkTextId
from core.matches import MatchClass
from core.messages import Message
from core.pages import Page
from core.ports import Gap, Outcome, Search, Unsearched
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
    changed_at: datetime = NEVER  # its rights

    @property
    def texts(self) -> frozenset[WorkTextId]:
        """All that it owns."""
        return frozenset().union(*self.works.values())


class MemoryCaseBook:
    """`core.ports.CaseBook` over plain dictionaries. A case's id is its place in `cases`, from 1."""

    def __init__(self, holders: Iterable[MemoryHolder], zone: ZoneInfo | None = None) -> None:
        self._holders = list(holders)
        self._zone = zone or ZoneInfo("Asia/Shanghai")
        self._indexed: dict[tuple[int, WorkTextId], datetime] = {}  # by holder's place and text
        self._shown: dict[PageId, VersionId] = {}
        self._taken_back: set[VersionId] = set()  # what was compared holds no more
        self.outcomes: dict[VersionId, Outcome] = {}
        self.cases: list[tuple[str, str]] = []  # (page id, work)
        self.excluded: dict[tuple[str, str], Rejection] = {}

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        holder = self._watcher(site)
        works = holder.works.items() if holder else ()
        return {text: work for text in texts for work, owned in works if text in owned}

    def record(self, outcome: Outcome) -> list[int]:
        self.outcomes[outcome.version.id] = outcome
        self._taken_back.discard(outcome.version.id)
        page = outcome.version.page_id
        if outcome.is_current or page not in self._shown:
            self._shown[page] = outcome.version.id
        holder = self._watcher(outcome.version.site_id)
        if holder and any(match.text_id not in holder.texts for match in outcome.matches):
            self._taken_back.add(outcome.version.id)
        return self._rule(holder, outcome) if holder else []

    def owed(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        return {page.current_version for page in pages if self._is_owed(page, algorithm_id)}

    def is_owned(self, text: WorkTextId) -> bool:
        return any(text in holder.texts for holder in self._holders)

    def unindexed(self, texts: Collection[WorkTextId]) -> None:
        for place, _ in enumerate(self._holders):
            for text in texts:
                self._indexed.pop((place, text), None)

    def indexed(self, texts: Collection[WorkTextId], at: datetime) -> None:
        for place, holder in enumerate(self._holders):
            for text in holder.texts & frozenset(texts):
                self._indexed.setdefault((place, text), at)

    def withdrawn(self, text: WorkTextId) -> None:
        for version, outcome in self.outcomes.items():
            if any(match.text_id == text for match in outcome.matches):
                self._taken_back.add(version)

    def behind(self, algorithm_id: int) -> Mapping[int, Gap]:
        gaps: dict[int, Gap] = {}
        for place, _ in enumerate(self._holders):
            newest = max((at for (other, _), at in self._indexed.items() if other == place), default=NEVER)
            checks = [each.checked_at for each in self._last_checked(place, algorithm_id) if each.checked_at <= newest]
            if checks:
                gaps[place] = Gap(min(checks), newest)
        return gaps

    def newer_texts(self, watcher: int, since: datetime) -> Mapping[WorkTextId, datetime | None]:
        noted = {text: self._indexed.get((watcher, text)) for text in self._holders[watcher].texts}
        return {text: at for text, at in noted.items() if at is None or at >= since}

    def unsearched(self, pages: Collection[Page], gaps: Mapping[int, Gap], algorithm_id: int) -> list[Unsearched]:
        found = []
        for page in pages:
            holder = self._watcher(page.site_id)
            if holder is None or self._is_owed(page, algorithm_id):
                continue
            place = next(place for place, each in enumerate(self._holders) if each is holder)
            outcome = self.outcomes[page.current_version]
            if place in gaps and outcome.checked_at <= gaps[place].newest_text:
                has_findings = bool(outcome.matches)
                found.append(Unsearched(page.id, page.current_version, place, outcome.checked_at, has_findings))
        return found

    def searched(self, pages: Collection[Unsearched], hits: Collection[Unsearched], search: Search) -> None:
        for version, outcome in self._older([page.version for page in pages], search):
            self.outcomes[version] = replace(outcome, checked_at=search.at, corpus_revision=search.corpus_revision)
        self._taken_back |= {version for version, _ in self._older([page.version for page in hits], search)}

    def search_ended(self, gaps: Mapping[int, Gap], search: Search) -> int:
        left = {
            outcome.version.id
            for watcher, gap in gaps.items()
            for outcome in self._last_checked(watcher, search.algorithm_id)
            if outcome.checked_at <= gap.newest_text and outcome.checked_at < search.at
        }
        self._taken_back |= left
        return len(left)

    def _last_checked(self, place: int, algorithm_id: int) -> list[Outcome]:
        """The outcomes of the versions recorded last of the holder's pages."""
        shown = [self.outcomes[version] for version in self._shown.values() if version not in self._taken_back]
        sites = self._holders[place].sites
        return [each for each in shown if each.version.site_id in sites and each.algorithm_id == algorithm_id]

    def _older(self, versions: Iterable[VersionId], search: Search) -> Iterator[tuple[VersionId, Outcome]]:
        for version in versions:
            outcome = self.outcomes[version]
            if outcome.algorithm_id == search.algorithm_id and outcome.checked_at < search.at:
                yield version, outcome

    def _watcher(self, site: SiteId) -> MemoryHolder | None:
        return next((holder for holder in self._holders if site in holder.sites), None)

    def _is_owed(self, page: Page, algorithm_id: int) -> bool:
        holder, outcome = self._watcher(page.site_id), self.outcomes.get(page.current_version)
        if holder is None:
            return False
        if page.current_version in self._taken_back:
            return True
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
            rejection = rule(version.page_url, seen_on, holder.own_domains, permissions).rejection
            if rejection is None and all(match.match_class is MatchClass.QUOTATION for match in findings):
                rejection = Rejection.QUOTATION
            if rejection is not None:
                self.excluded[page, work] = rejection
                continue
            if (page, work) not in self.cases:
                self.cases.append((page, work))
            opened.append(self.cases.index((page, work)) + 1)
        return opened
