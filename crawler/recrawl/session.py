"""What one crawl knows of its site's addresses from earlier ones, and what it makes of them; see docs/revisits.md.

A page counts as visited once it is stored, never before. Values change on the reactor's thread; the caller of
`take_unsaved` writes to the repository, in a thread that may wait for a database.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time, timedelta
from enum import StrEnum
from pathlib import Path

from core.ids import CanonicalUrl, PageId, VersionId
from core.pages import CrawlPlan
from core.ports import Clock, VisitRepository
from core.visits import AddressKind, MovedTo, Visit, address_id
from core.wording import Message
from crawler.links import Links
from crawler.recrawl import policy
from crawler.recrawl.policy import MAX_INTERVAL
from crawler.sources.listed import Listed
from crawler.urls import canonical

SAVE_EVERY = 50  # visits written at a time; a crawl that is killed fetches at most so many pages once more than needed
LIST_SHARE = 0.5  # of the page limit; known lists beyond it wait for the next run, so that texts have their turn
# A list of chapters has a synopsis, a text has a few links to its neighbours: where the links' titles (some 10
# characters each) make a third of the text or more, the page is a list. Chosen, not measured.
MIN_CHAPTER_LINKS, CHARS_A_LINK = 5, 30
MIN_LINKS_WITHOUT_TEXT = 3
MIN_UNRELIABLE_PAGES = 3  # with wrong validators; then those of the site's other pages are not used either
# What goes first: what leads to new pages, new pages, open cases, what is due. Depth (at most 50) decides within each.
LIST_PRIORITY, NEW_PRIORITY, CASE_PRIORITY, DUE_PRIORITY = 10, -60, -120, -180
_RULES = (
    *("follow_patterns", "page_patterns", "deny_patterns", "next_page_selector", "chapter_list_selector"),
    *("body_selector", "title_selector", "encoding", "max_depth", "obey_robots", "kind"),
)


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What the repository does not know yet."""

    visits: tuple[Visit, ...] = ()
    moves: tuple[MovedTo, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.visits or self.moves)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a successful visit found. `text_digest` and the ids are "" where no text was kept."""

    kind: AddressKind
    headers: Mapping[str, str]
    is_whole: bool = True  # False: the site said that nothing has changed
    may_be_conditional: bool = True  # False for a text of several responses: one of them says nothing of the others
    page_id: PageId = PageId("")  # noqa: RUF009 - a NewType makes no call
    page_url: str = ""
    version_id: VersionId = VersionId("")  # noqa: RUF009
    text_digest: str = ""


class RecrawlSession:
    """The visits of one crawl of one plan."""

    def __init__(self, repository: VisitRepository, plan: CrawlPlan, clock: Clock, job_dir: Path | None = None) -> None:
        self._plan, self._clock = plan, clock
        self.rules = rules_digest(plan)
        self.began_at = clock.now()
        self._known = {visit.id: visit for visit in repository.visits(plan.site_id)}
        self._page_ids = {visit.page_id for visit in self._known.values() if visit.page_id}
        self._open = repository.open_pages(plan.site_id)
        self._rate = policy.site_rate(self._known.values())
        self._unreliable = sum(visit.has_unreliable_validator for visit in self._known.values())
        self.dates = ListedDates(self.began_at, job_dir)
        self._unsaved: dict[str, Visit] = {}
        self._moves: list[MovedTo] = []

    @property
    def has_pages(self) -> bool:
        """Whether an earlier run kept any page."""
        return bool(self._page_ids)

    def known(self) -> Iterable[Visit]:
        return self._known.values()

    def of(self, url: str) -> Visit | None:
        return self._known.get(self._id(url))

    def wants(self, url: str) -> bool:
        """Whether this run should fetch a linked address: a new one, a list, or one that is due."""
        visit = self.of(url)
        if visit is None or self._plan.only_urls:
            return True
        is_due = policy.is_due(visit, self.began_at, self.rules)
        return self._by_date(visit, is_due) if visit.kind is AddressKind.DETAIL else is_due

    def list_dates(self, entries: Iterable[Listed]) -> None:
        """Take over when a sitemap or feed says that pages changed."""
        self.dates.add((self._id(entry.url), entry.modified) for entry in entries if entry.modified is not None)

    def _by_date(self, visit: Visit, is_due: bool) -> bool:
        """What a listed date makes of it; failures, other rules and open cases are none of its business."""
        if visit.failures or visit.absent_since is not None or visit.rules != self.rules or visit.page_id in self._open:
            return is_due
        by_date = self.dates.is_due(visit)
        return is_due if by_date is None else by_date

    def due(self) -> list[Visit]:
        """Known addresses that this run should fetch whatever links to them, what matters most first."""
        due = [visit for visit in self._known.values() if policy.is_due(visit, self.began_at, self.rules)]
        due.sort(key=lambda visit: (-self.priority(visit.url, visit.depth), visit.seen_at or visit.found_at, visit.id))
        lists = [visit for visit in due if visit.kind is AddressKind.LIST]
        lists.sort(key=lambda visit: (visit.seen_at or visit.found_at, visit.id))
        late = {visit.id for visit in lists[max(1, int(self._plan.max_pages * LIST_SHARE)) :]}
        return [visit for visit in due if visit.id not in late]

    def priority(self, url: str, depth: int) -> int:
        """Scrapy's priority of a request for a page."""
        visit = self.of(url)
        if visit is not None and visit.page_id in self._open:
            return CASE_PRIORITY - depth
        if visit is None or visit.kind is AddressKind.UNKNOWN:
            return NEW_PRIORITY - depth
        return (LIST_PRIORITY if visit.kind is AddressKind.LIST else DUE_PRIORITY) - depth

    def validators(self, url: str) -> dict[str, str]:
        """The headers of a conditional request (RFC 9110, 13.1); none where the whole page is wanted.

        Who asks for a page alone wants to see it, and not to hear that it is as before.
        """
        visit = self.of(url)
        if (
            visit is None
            or self._plan.only_urls
            or self._unreliable >= MIN_UNRELIABLE_PAGES
            or not policy.is_conditional(visit, self.rules)
        ):
            return {}
        headers = {"If-None-Match": visit.etag, "If-Modified-Since": visit.last_modified}
        return {name: value for name, value in headers.items() if value}

    def identity(self, url: str, canonical_url: CanonicalUrl) -> CanonicalUrl:
        """What a page is called: its old name where the site has moved and it stands at the same place as before."""
        visit = self.of(url)
        if visit is None or not visit.is_moved or not visit.page_url:
            return canonical_url
        return CanonicalUrl(visit.page_url) if _place(visit.page_url) == _place(canonical_url) else canonical_url

    def observe(self, url: str, depth: int, observation: Observation) -> bool:
        """Note a success; whether the validators were wrong: the same as before, or 304 before, and another text."""
        before = self._visit(url, depth)
        has_changed = bool(before.version_id and observation.version_id and before.version_id != observation.version_id)
        is_unreliable = has_changed and _same_validators(before, observation.headers)
        after = replace(before, kind=observation.kind, rules=self.rules)
        if observation.is_whole:
            after = _whole(after, observation)
        has_case = observation.page_id in self._open if observation.page_id else before.page_id in self._open
        after = policy.after_success(after, self._clock.now(), has_changed, self._rate, has_case)
        unmodified = 0 if observation.is_whole else before.unmodified + 1
        if before.version_id and (observation.version_id or not observation.is_whole):
            self.dates.note(before, has_changed)
        self._unreliable += is_unreliable and not before.has_unreliable_validator
        self.keep(
            replace(
                after, unmodified=unmodified, has_unreliable_validator=before.has_unreliable_validator or is_unreliable
            )
        )
        return is_unreliable

    def note_failure(self, url: str, depth: int, reason: str, fault: Message) -> None:
        self.keep(policy.after_failure(self._visit(url, depth), self._clock.now(), reason, fault))

    def note_refusal(self, url: str, depth: int, reason: str, fault: Message | None) -> None:
        self.keep(policy.after_refusal(self._visit(url, depth), self._clock.now(), reason, fault))

    def absent(self, visit: Visit, at: datetime) -> Visit:
        """What an answer makes of a known page that says that it is not there; `keep` it once the answer is stored."""
        return policy.after_absence(visit, at, visit.page_id in self._open)

    def note_found(self, url: str, depth: int) -> None:
        """Note an address that this run found and had no time for."""
        if self.of(url) is None:
            self.keep(self._visit(url, depth))

    def keep(self, visit: Visit) -> None:
        self._known[visit.id] = self._unsaved[visit.id] = visit

    def note_move(self, move: MovedTo) -> None:
        """Note a redirect off the site."""
        self._moves.append(move)

    def take_unsaved(self, least: int) -> Unsaved:
        """What the repository does not know yet, if it is as much as `least`; the caller writes it or gives it back."""
        if len(self._unsaved) + len(self._moves) < least:
            return Unsaved()
        taken = Unsaved(tuple(self._unsaved.values()), tuple(self._moves))
        self._unsaved, self._moves = {}, []
        return taken

    def give_back(self, unsaved: Unsaved) -> None:
        """What could not be written; newer values stay."""
        self._unsaved = {visit.id: visit for visit in unsaved.visits} | self._unsaved
        self._moves = [*unsaved.moves, *self._moves]

    def _visit(self, url: str, depth: int) -> Visit:
        now = self._clock.now()
        known = self.of(url)
        return known if known is not None else Visit(self._id(url), url, depth, found_at=now, due_at=now)

    def _id(self, url: str) -> str:
        try:
            return address_id(self._plan.site_id, canonical(url))
        except ValueError:
            return address_id(self._plan.site_id, url)


def kind_of(links: Links | None, text_chars: int) -> AddressKind:
    """What a page is, by what stands on it; `text_chars` 0: it has no main text."""
    if links is None:
        return AddressKind.DETAIL
    chapters = len(links.chapters)
    if not text_chars:
        is_list = chapters + len(links.others) >= MIN_LINKS_WITHOUT_TEXT
    else:
        is_list = chapters >= MIN_CHAPTER_LINKS and chapters * CHARS_A_LINK >= text_chars
    return AddressKind.LIST if is_list else AddressKind.DETAIL


def rules_digest(plan: CrawlPlan) -> str:
    """Of what decides how the site's pages are read and which links are followed: another one makes all pages due."""
    rules = {name: getattr(plan, name) for name in _RULES}
    return hashlib.sha256(json.dumps(rules, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _whole(visit: Visit, observation: Observation) -> Visit:
    """The visit with what the whole page said of itself."""
    headers = (
        {name.lower(): value for name, value in observation.headers.items()} if observation.may_be_conditional else {}
    )
    return replace(
        visit,
        etag=headers.get("etag", "")[:200],
        last_modified=headers.get("last-modified", "")[:60],
        page_id=observation.page_id,
        page_url=observation.page_url or visit.page_url,
        version_id=observation.version_id,
        text_digest=observation.text_digest,
    )


def _same_validators(visit: Visit, headers: Mapping[str, str]) -> bool:
    """Whether the site calls the page unchanged that it sent before; the stronger validator decides."""
    sent = {name.lower(): value for name, value in headers.items()}
    if visit.etag:
        return sent.get("etag") == visit.etag
    return bool(visit.last_modified) and sent.get("last-modified") == visit.last_modified


def _place(url: str) -> str:
    """An address without its scheme and host."""
    return url.partition("://")[2].partition("/")[2]


# When a site's sitemaps and feeds say that a page changed, and how reliable this site has been in that.
#
# A date later than the last visit announces a change; an earlier one denies it. Both belong to the site watched, so
# both are held against what is then seen: announcements count while enough of them come true, denials while hardly a
# change went unannounced. See docs/decisions/crawling.md.

# Of announcements. 2026-11, simulated (docs/decisions/crawling.md): from 0.4 on a site that announces all is found out,
# at 0.3 it costs a fourth more fetches; at 0.7 one that touches all its pages every week is not followed either.
MIN_COME_TRUE = 0.5
MIN_ANNOUNCED = 0.9  # of changes; chosen, not measured: what is left unannounced waits up to two months
MIN_ANNOUNCEMENTS, MIN_CHANGES = 10, 5  # seen before either is judged
TRIALS = 20  # announcements that a run follows before they are judged: a site that announces all has few to waste
CHECKED_ONE_IN = 5  # of the pages that a denial would keep waiting: a site that becomes unreliable is noticed
MAX_COUNT = 400.0  # then the past is halved: a site may mend its dates, or spoil them
DAY = timedelta(days=1)
_FILE = "listed-dates.json"


class Claim(StrEnum):
    """What a listed date says of a page since its last visit."""

    NOTHING = "nothing"
    ANNOUNCED = "announced"
    DENIED = "denied"


def claim_of(modified: datetime | None, seen_at: datetime | None, now: datetime) -> Claim:
    """What a date says. One at midnight means the day, which is over only a day later; one to come means nothing."""
    if modified is None or seen_at is None or modified > now + DAY:
        return Claim.NOTHING
    if modified > seen_at:
        return Claim.ANNOUNCED
    ends = modified + DAY if modified.timetz().replace(tzinfo=None) == time(0) else modified
    return Claim.DENIED if ends <= seen_at else Claim.NOTHING


@dataclass(frozen=True, slots=True)
class Reliability:
    """What the claims of a site came to: announcements that were true and false, and changes that were denied."""

    true: float = 0.0
    false: float = 0.0
    unannounced: float = 0.0

    def plus(self, claim: Claim, has_changed: bool) -> "Reliability":
        """One visit more; beyond MAX_COUNT the past is halved first."""
        is_full = self.true + self.false + self.unannounced >= MAX_COUNT
        old = Reliability(self.true / 2, self.false / 2, self.unannounced / 2) if is_full else self
        if claim is Claim.ANNOUNCED:
            return replace(old, true=old.true + has_changed, false=old.false + (not has_changed))
        return replace(old, unannounced=old.unannounced + (claim is Claim.DENIED and has_changed))

    @property
    def is_judged(self) -> bool:
        return self.true + self.false >= MIN_ANNOUNCEMENTS

    @property
    def announces(self) -> bool:
        """Whether announcements are followed."""
        return not self.is_judged or self.true >= MIN_COME_TRUE * (self.true + self.false)

    @property
    def denies(self) -> bool:
        """Whether denials are believed: only of a site that has announced what changed, and not much else."""
        changes = self.true + self.unannounced
        return self.announces and changes >= MIN_CHANGES and self.true >= MIN_ANNOUNCED * changes


class ListedDates:
    """The dates of one run, and how reliable they were over all runs; kept in the site's folder, where it has one."""

    def __init__(self, began_at: datetime, folder: Path | None = None) -> None:
        self._began_at, self._path = began_at, folder / _FILE if folder is not None else None
        self.reliability = _kept(self._path)
        self._modified: dict[str, datetime] = {}
        self._trials: set[str] = set()

    def add(self, modified: Iterable[tuple[str, datetime]]) -> None:
        """Take over what a sitemap or feed says: addresses by their ids, and when they changed."""
        self._modified.update(modified)

    def is_due(self, visit: Visit) -> bool | None:
        """Whether a known page is fetched for its date (True), waits for it (False), or goes by its own history."""
        claim = self._claim(visit)
        if claim is Claim.ANNOUNCED and self.reliability.announces:
            return True if self.reliability.is_judged or self._is_tried(visit) else None
        if claim is Claim.DENIED and self.reliability.denies and visit.seen_at is not None:
            is_checked = not (int(visit.id[:8] or "0", 16) + self._began_at.toordinal()) % CHECKED_ONE_IN
            return None if is_checked or visit.seen_at + MAX_INTERVAL <= self._began_at else False
        return None

    def note(self, before: Visit, has_changed: bool) -> None:
        """Compare what was claimed of a page with what was found there."""
        self.reliability = self.reliability.plus(self._claim(before), has_changed)

    def save(self) -> None:
        """Keep the reliability for the next run."""
        if self._path is not None:
            with suppress(OSError):  # the next run judges anew
                self._path.write_text(json.dumps(asdict(self.reliability)), "utf-8")

    def _claim(self, visit: Visit) -> Claim:
        return claim_of(self._modified.get(visit.id), visit.seen_at, self._began_at)

    def _is_tried(self, visit: Visit) -> bool:
        if len(self._trials) < TRIALS:
            self._trials.add(visit.id)
        return visit.id in self._trials


def _kept(path: Path | None) -> Reliability:
    """What is known from the runs before; nothing where there is no such record, or none that can be read."""
    if path is None:
        return Reliability()
    try:
        read = json.loads(path.read_text("utf-8"))
        return Reliability(*(max(0.0, min(float(read[name]), MAX_COUNT)) for name in ("true", "false", "unannounced")))
    except (OSError, ValueError, TypeError, KeyError):
        return Reliability()
