"""The outbox and the case repository in memory, for tests, and as the plainest statement of what each does."""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from core.ids import PageId, SiteId, VersionId, WorkTextId
from core.matches import MatchClass
from core.messages import StepMessage
from core.pages import Page, VersionOfPage
from core.ports import ComparisonOutcome, Search, SearchGap, Unsearched
from core.rights import Permission, rule
from core.states import OF_THE_FINDING, CaseState, Rejection, Verdict

NEVER = datetime.min.replace(tzinfo=UTC)


class MemoryOutbox:
    """Keeps messages in order until they are taken."""

    def __init__(self) -> None:
        self.messages: deque[StepMessage] = deque()

    def send(self, message: StepMessage) -> None:
        self.messages.append(message)

    def drain(self) -> list[StepMessage]:
        """All messages so far, oldest first; they are gone from here."""
        taken = list(self.messages)
        self.messages.clear()
        return taken


@dataclass(slots=True)
class MemoryHolder:
    """A rights holder as the memory case repository knows one. A work is a set of texts."""

    works: dict[str, frozenset[WorkTextId]]
    sites: frozenset[SiteId]
    own_domains: tuple[str, ...] = ()
    permissions: dict[str, tuple[Permission, ...]] = field(default_factory=dict)  # by work
    unprotected: dict[str, Rejection] = field(default_factory=dict)  # works, and why
    opens_teasers: bool = False

    @property
    def texts(self) -> frozenset[WorkTextId]:
        """All that it owns."""
        return frozenset().union(*self.works.values())


@dataclass(slots=True)
class MemoryCase:
    """A page that took from a work, as it was last seen."""

    url: str
    version: VersionId
    first_seen: datetime
    last_seen: datetime
    allowed_as: Rejection | None = None
    verdict: Verdict | None = None

    @property
    def state(self) -> CaseState:
        return CaseState.from_verdict(self.verdict, is_allowed=self.allowed_as is not None)


@dataclass(frozen=True, slots=True)
class MemoryExclusion:
    """A finding that never was a case."""

    url: str
    version: VersionId
    seen_at: datetime
    reason: Rejection


class MemoryCaseRepository:
    """`core.ports.CaseRepository` over plain dictionaries. A case's id is its place in `cases`, from 1."""

    def __init__(self, holders: Iterable[MemoryHolder], zone: ZoneInfo | None = None) -> None:
        self._holders = list(holders)
        self._zone = zone or ZoneInfo("Asia/Shanghai")
        self._indexed: dict[tuple[int, WorkTextId], datetime] = {}  # by holder's place and text
        self._shown: dict[PageId, VersionId] = {}
        self._taken_back: set[VersionId] = set()  # what was compared holds no more
        self.outcomes: dict[VersionId, ComparisonOutcome] = {}
        self._unruled: set[int] = set()
        self.cases: dict[tuple[str, str], MemoryCase] = {}  # by page id and work, in the order in which they opened
        self.excluded: dict[tuple[str, str], MemoryExclusion] = {}

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        holder = self._rights_holder(site)
        works = holder.works.items() if holder else ()
        return {text: work for text in texts for work, owned in works if text in owned}

    def open_or_update_cases(self, outcomes: Sequence[ComparisonOutcome]) -> list[list[int]]:
        return [self._record(outcome) for outcome in outcomes]

    def find_uncompared(self, versions: Collection[VersionOfPage], algorithm_id: int) -> set[VersionId]:
        return {each.version.id for each in versions if self._is_uncompared(each, algorithm_id)}

    def mark_seen(self, versions: Collection[VersionOfPage], now: datetime) -> None:
        for each in versions:
            holder, outcome = self._rights_holder(each.version.site_id), self.outcomes.get(each.version.id)
            page = each.version.page_id
            if holder is None or page not in self._shown:
                continue
            for (case_page, work), case in self.cases.items():
                if case_page != page:
                    continue
                if outcome is not None and any(match.text_id in holder.works[work] for match in outcome.matches):
                    case.first_seen = min(case.first_seen, each.sighted.first)
                    case.last_seen = max(case.last_seen, each.sighted.last)
                case.allowed_as = self._allowance(holder, work, case.url, case.last_seen)

    def pending(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        return {page.current_version for page in pages if self._is_owed(page, algorithm_id)}

    def rights_changed(self, rights_holder: int) -> None:
        """Note that a holder's rights are others: what the admin database notes by itself."""
        self._unruled.add(rights_holder)

    def awaiting_rulings(self) -> list[int]:
        return sorted(self._unruled)

    def rule_again(self, rights_holder: int) -> None:
        holder = self._holders[rights_holder]
        for (_, work), case in self.cases.items():
            if work in holder.works:
                case.allowed_as = self._allowance(holder, work, case.url, case.last_seen)
        for key, finding in self.excluded.items():
            reason = self._allowance(holder, key[1], finding.url, finding.seen_at) if key[1] in holder.works else None
            if reason is not None:
                self.excluded[key] = replace(finding, reason=reason)
            elif key[1] in holder.works and finding.reason not in OF_THE_FINDING:
                self._taken_back.add(finding.version)
        self._unruled.discard(rights_holder)

    def is_owned(self, text: WorkTextId) -> bool:
        return any(text in holder.texts for holder in self._holders)

    def note_unindexed(self, texts: Collection[WorkTextId]) -> None:
        for place, _ in enumerate(self._holders):
            for text in texts:
                self._indexed.pop((place, text), None)

    def set_back(self, now: datetime) -> None:
        for version, outcome in self.outcomes.items():
            self.outcomes[version] = replace(outcome, checked_at=min(now, outcome.checked_at))
        self._indexed = {key: min(now, at) for key, at in self._indexed.items()}

    def note_indexed(self, texts: Mapping[WorkTextId, int], at: datetime) -> None:
        self.set_back(at)
        for place, holder in enumerate(self._holders):
            for text in holder.texts & frozenset(texts):
                self._indexed.setdefault((place, text), at)

    def note_withdrawn(self, text: WorkTextId) -> None:
        for version, outcome in self.outcomes.items():
            if any(match.text_id == text for match in outcome.matches):
                self._taken_back.add(version)

    def lags(self, algorithm_id: int) -> Mapping[int, SearchGap]:
        gaps: dict[int, SearchGap] = {}
        for place, _ in enumerate(self._holders):
            newest = max((at for (other, _), at in self._indexed.items() if other == place), default=NEVER)
            checks = [each.checked_at for each in self._last_checked(place, algorithm_id) if each.checked_at <= newest]
            if checks:
                gaps[place] = SearchGap(min(checks), newest)
        return gaps

    def newer_texts(self, rights_holder: int, since: datetime) -> Mapping[WorkTextId, datetime | None]:
        noted = {text: self._indexed.get((rights_holder, text)) for text in self._holders[rights_holder].texts}
        return {text: at for text, at in noted.items() if at is None or at >= since}

    def find_unsearched(
        self, pages: Collection[Page], gaps: Mapping[int, SearchGap], algorithm_id: int
    ) -> list[Unsearched]:
        found = []
        for page in pages:
            holder = self._rights_holder(page.site_id)
            if holder is None or self._is_owed(page, algorithm_id):
                continue
            place = next(place for place, each in enumerate(self._holders) if each is holder)
            outcome = self.outcomes[page.current_version]
            if place in gaps and outcome.checked_at <= gaps[place].newest_text:
                has_findings = bool(outcome.matches)
                found.append(Unsearched(page.id, page.current_version, place, outcome.checked_at, has_findings))
        return found

    def note_searched(self, pages: Collection[Unsearched], hits: Collection[Unsearched], search: Search) -> None:
        for version, outcome in self._older([page.version for page in pages], search):
            self.outcomes[version] = replace(outcome, checked_at=search.at, corpus_revision=search.corpus_revision)
        self._taken_back |= {version for version, _ in self._older([page.version for page in hits], search)}

    def end_search(self, gaps: Mapping[int, SearchGap], search: Search) -> int:
        left = {
            outcome.version.id
            for rights_holder, gap in gaps.items()
            for outcome in self._last_checked(rights_holder, search.algorithm_id)
            if outcome.checked_at <= gap.newest_text and outcome.checked_at < search.at
        }
        self._taken_back |= left
        return len(left)

    def _record(self, outcome: ComparisonOutcome) -> list[int]:
        self.outcomes[outcome.version.id] = outcome
        self._taken_back.discard(outcome.version.id)
        page = outcome.version.page_id
        if outcome.is_current or page not in self._shown:
            self._shown[page] = outcome.version.id
        holder = self._rights_holder(outcome.version.site_id)
        if holder and any(match.text_id not in holder.texts for match in outcome.matches):
            self._taken_back.add(outcome.version.id)
        return self._rule(holder, outcome) if holder else []

    def _is_uncompared(self, each: VersionOfPage, algorithm_id: int) -> bool:
        outcome = self.outcomes.get(each.version.id)
        if outcome is None or outcome.algorithm_id != algorithm_id or outcome.version.id in self._taken_back:
            return True
        return each.is_current and self._shown[each.version.page_id] != each.version.id

    def _last_checked(self, place: int, algorithm_id: int) -> list[ComparisonOutcome]:
        """The outcomes of the versions recorded last of the holder's pages."""
        shown = [self.outcomes[version] for version in self._shown.values() if version not in self._taken_back]
        sites = self._holders[place].sites
        return [each for each in shown if each.version.site_id in sites and each.algorithm_id == algorithm_id]

    def _older(self, versions: Iterable[VersionId], search: Search) -> Iterator[tuple[VersionId, ComparisonOutcome]]:
        for version in versions:
            outcome = self.outcomes[version]
            if outcome.algorithm_id == search.algorithm_id and outcome.checked_at < search.at:
                yield version, outcome

    def _rights_holder(self, site: SiteId) -> MemoryHolder | None:
        return next((holder for holder in self._holders if site in holder.sites), None)

    def _is_owed(self, page: Page, algorithm_id: int) -> bool:
        holder, outcome = self._rights_holder(page.site_id), self.outcomes.get(page.current_version)
        if holder is None:
            return False
        is_shown = outcome is not None and self._shown[page.id] == page.current_version
        holds = outcome is not None and outcome.algorithm_id == algorithm_id
        return not (is_shown and holds) or page.current_version in self._taken_back

    def _allowance(self, holder: MemoryHolder, work: str, url: str, seen_at: datetime) -> Rejection | None:
        seen_on = seen_at.astimezone(self._zone).date()
        ruled = rule(url, seen_on, holder.own_domains, holder.permissions.get(work, ())).rejection
        return ruled or holder.unprotected.get(work)

    def _rule(self, holder: MemoryHolder, outcome: ComparisonOutcome) -> list[int]:
        page, url, at = str(outcome.version.page_id), outcome.version.page_url, outcome.seen_at
        written, excluded = list[int](), dict[tuple[str, str], MemoryExclusion]()
        for work, texts in holder.works.items():
            matches = [match for match in outcome.matches if match.text_id in texts]
            if not matches:
                continue
            reason = self._allowance(holder, work, url, at)
            is_known = outcome.is_current and (page, work) in self.cases
            is_aside = reason is not None and is_known
            if reason is None:
                classes = {match.match_class for match in matches}
                left_out = Rejection.QUOTATION if MatchClass.QUOTATION in classes else Rejection.TEASER
                reason = None if any(each.is_copy for each in classes) else left_out
                reason = None if reason is Rejection.TEASER and holder.opens_teasers else reason
            if reason is None or is_aside:
                written.append(self._case(holder, (page, work), outcome))
                self._take_in((page, work), outcome)
            elif outcome.is_current and not is_known:
                excluded[page, work] = MemoryExclusion(url, outcome.version.id, at, reason)
        if outcome.is_current:
            self.excluded = {key: each for key, each in self.excluded.items() if key[0] != page} | excluded
        return written

    def _take_in(self, key: tuple[str, str], outcome: ComparisonOutcome) -> None:
        """A case that an older version opened: what the rights allow on the version shown has to be compared again."""
        finding = None if outcome.is_current else self.excluded.pop(key, None)
        if finding is not None and finding.reason not in OF_THE_FINDING:
            self._taken_back.add(finding.version)

    def _case(self, holder: MemoryHolder, key: tuple[str, str], outcome: ComparisonOutcome) -> int:
        """Open a case or bring it up to date, and rule it; its id."""
        url, version = outcome.version.page_url, outcome.version.id
        case = self.cases.setdefault(key, MemoryCase(url, version, outcome.first_seen, outcome.seen_at))
        if outcome.is_current:
            case.url, case.version = url, version
        case.first_seen = min(case.first_seen, outcome.first_seen)
        case.last_seen = max(case.last_seen, outcome.seen_at)
        case.allowed_as = self._allowance(holder, key[1], case.url, case.last_seen)
        return list(self.cases).index(key) + 1
