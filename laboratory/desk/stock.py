"""Whom the findings of a made desk belong to: rights holders, people, works, sites, and all that is kept of them."""

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import accumulate
from random import Random
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.db.models import Model

from core.ids import digest
from core.matches import MatchClass
from core.wording import Message
from laboratory import draws
from laboratory.desk import wording
from laboratory.desk.rows import Calendar
from records.models import (
    ArchiveImport,
    Chapter,
    CrawlRun,
    DayTree,
    DiscoveredPage,
    DiscoveryPlan,
    DiscoveryQuery,
    EvidenceCheck,
    FailedMessage,
    Licence,
    Membership,
    OwnDomain,
    RightsHolder,
    Site,
    SiteDomain,
    SiteMove,
    Stamp,
    StampAttempt,
    Work,
)

HOLDERS = 6
BIG_SHARE = 0.6  # of sites and works, so of everything: the first rights holder's
MAX_SITES, MAX_WORKS, MAX_RUNS_A_SITE = 300, 3_000, 365
CHAPTER_CHARS = 3_000
BATCH = 1_000
DAY = timedelta(days=1)
FAULT = Message("core.verbatim", text="https://slow.example/9 did not answer in 30 s")


@dataclass
class Estate:
    """What a rights holder has. weights: running sums, for draws; few works and sites have most of the findings."""

    holder: RightsHolder
    manager: User
    reviewers: list[User]
    works: list[Work] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    work_weights: list[float] = field(default_factory=list)


@dataclass
class Stock:
    """chapters: numbers and text ids of each work's, by its key."""

    estates: list[Estate]
    administrator: User
    chapters: dict[int, list[tuple[int, str]]]

    @property
    def big(self) -> Estate:
        return self.estates[0]


def fill_stock(cases: int, pages: int, calendar: Calendar, rng: Random) -> Stock:
    """Write it, in proportion to the findings up to some hundred sites and some thousand works."""
    estates = [_estate(number, rng) for number in range(HOLDERS)]
    administrator = User.objects.create(username="administrator", is_staff=True, is_superuser=True)
    works, sites = max(12, min(MAX_WORKS, cases // 8)), max(12, min(MAX_SITES, cases // 30))
    for number, estate in enumerate(estates):
        share = BIG_SHARE if number == 0 else (1 - BIG_SHARE) / (HOLDERS - 1)
        _fill_works(estate, max(2, int(works * share)), calendar, rng)
        _fill_sites(estate, max(2, int(sites * share)), calendar, rng)
        estate.work_weights = weights(len(estate.works))
        _fill_rights(estate, calendar, rng)
        _fill_discovery(estate, calendar, rng)
    stock = Stock(estates, administrator, _fill_chapters(estates, calendar, rng))
    _fill_runs(estates, min(MAX_RUNS_A_SITE, pages // sites), calendar)
    _fill_machine(cases, calendar)
    return stock


def weights(count: int) -> list[float]:
    """Running sums of 1/sqrt(n): of 180 sites the first has as many findings as the last thirteen together."""
    return list(accumulate(1 / (number + 1) ** 0.5 for number in range(count)))


def _bulk(model: type[Model], rows: Any) -> list[Any]:
    return list(model._default_manager.bulk_create(rows, batch_size=BATCH))


def _estate(number: int, rng: Random) -> Estate:
    holder = RightsHolder.objects.create(name=f"{wording.title(rng)}文学{number}", contact="版权部 rights@example.cn")
    people = [User.objects.create(username=f"person{number}-{each}", is_staff=True) for each in range(5)]
    roles = Membership.Role
    _bulk(
        Membership,
        [
            Membership(user=person, rights_holder=holder, role=roles.REVIEWER if each else roles.MANAGER)
            for each, person in enumerate(people)
        ],
    )
    return Estate(holder, people[0], people[1:])


def _fill_works(estate: Estate, count: int, calendar: Calendar, rng: Random) -> None:
    kinds = list(Work.Kind)
    estate.works = _bulk(
        Work,
        [
            Work(
                rights_holder=estate.holder,
                title=f"{wording.title(rng)}{number}",
                author=wording.name(rng),
                kind=draws.one_of(rng, kinds),
            )
            for number in range(count)
        ],
    )


def _fill_sites(estate: Estate, count: int, calendar: Calendar, rng: Random) -> None:
    hosts = [f"s{number}.h{estate.holder.pk}.example" for number in range(count)]
    estate.sites = _bulk(
        Site,
        [
            Site(rights_holder=estate.holder, name=f"{wording.title(rng)}网{number}", start_urls=f"https://{host}/")
            for number, host in enumerate(hosts)
        ],
    )
    _bulk(SiteDomain, [SiteDomain(site=site, host=host) for site, host in zip(estate.sites, hosts, strict=True)])
    _bulk(
        SiteMove,
        [
            SiteMove(
                site=site,
                from_host=f"s{number}.example",
                to_host=f"new{number}.example",
                evidence={"pages_led": 3, "same_place": 2},
                proposed_at=calendar.moment(calendar.last) - number * DAY,
            )
            for number, site in enumerate(estate.sites[::5])
        ],
    )
    _bulk(
        ArchiveImport,
        [
            ArchiveImport(
                rights_holder=estate.holder,
                site=site,
                path=f"/srv/imports/{site.pk}.warc.gz",
                size_bytes=73_400_320,
                state=ArchiveImport.State.FINISHED,
                counts={"records": 120, "stored": 61, "new_versions": 12},
            )
            for site in estate.sites[::4]
        ],
    )


def _fill_chapters(estates: list[Estate], calendar: Calendar, rng: Random) -> dict[int, list[tuple[int, str]]]:
    """Write 1 to 80 chapters of each work, and how many characters a work has."""
    made: list[Chapter] = []
    works = [work for estate in estates for work in estate.works]
    for work in works:
        numbers = range(1, draws.between(rng, 1, 80) + 1)
        work.counted_chars = CHAPTER_CHARS * len(numbers)
        made += [
            Chapter(
                work=work,
                number=number,
                title=f"第{number}章 {wording.title(rng)}",
                text_id=digest(f"{work.pk} {number}".encode())[:40],
                chars=CHAPTER_CHARS,
                indexed_at=calendar.first,
            )
            for number in numbers
        ]
    Work.objects.bulk_update(works, ["counted_chars"], batch_size=BATCH)
    found: dict[int, list[tuple[int, str]]] = {}
    for chapter in _bulk(Chapter, made):
        found.setdefault(chapter.work_id, []).append((chapter.pk, chapter.text_id))
    return found


def _fill_rights(estate: Estate, calendar: Calendar, rng: Random) -> None:
    today = calendar.moment(calendar.last).date()
    _bulk(
        Licence,
        [
            Licence(
                rights_holder=estate.holder,
                work=work,
                licensee=f"{wording.title(rng)}书城",
                domain=f"licensed{work.pk}.example",
                number=f"HT-{work.pk}",
                valid_from=today - draws.between(rng, 200, 700) * DAY,
                valid_until=today + draws.between(rng, -100, 300) * DAY,
                entered_by=estate.manager,
            )
            for work in estate.works[::4]
        ],
    )
    domains = [f"own{number}.h{estate.holder.pk}.example" for number in range(3)]
    _bulk(OwnDomain, [OwnDomain(rights_holder=estate.holder, domain=each) for each in domains])


def _fill_discovery(estate: Estate, calendar: Calendar, rng: Random) -> None:
    works, now = estate.works[::4], calendar.moment(calendar.last)
    _bulk(DiscoveryPlan, [DiscoveryPlan(work=work) for work in works])
    queries = _bulk(
        DiscoveryQuery,
        [
            DiscoveryQuery(
                work=work,
                chapter_number=1,
                sentence=wording.text(rng, 30),
                state=DiscoveryQuery.State.ANSWERED,
                asked_at=now - draws.between(rng, 1, 600) * DAY,
                results=8,
            )
            for work in works
            for _ in range(10)
        ],
    )
    states = list(DiscoveredPage.State)
    _bulk(
        DiscoveredPage,
        [
            DiscoveredPage(
                work_id=query.work_id,
                query=query,
                url=f"https://found{query.pk}.example/1.html",
                url_digest=digest(f"found {query.pk}".encode()),
                host=f"found{query.pk}.example",
                title=wording.title(rng),
                state=draws.one_of(rng, states),
                match_class=MatchClass.LIGHTLY_EDITED,
                similarity=0.9,
                matched_chars=260,
                found_at=query.asked_at,
            )
            for query in queries[::3]
        ],
    )


def _fill_runs(estates: list[Estate], runs_a_site: int, calendar: Calendar) -> None:
    now, states = calendar.moment(calendar.last), CrawlRun.State
    rows = [
        CrawlRun(
            site=site,
            state=states.FAILED if (back + site.pk) % 40 == 0 else states.FINISHED,
            trigger=CrawlRun.Trigger.SCHEDULE,
            due_at=now - back * DAY,
            started_at=now - back * DAY,
            finished_at=now - back * DAY,
            pages_fetched=84,
            pages_stored=61,
            new_versions=12,
            counts={"requested": 90, "fetched": 84, "rejected": {"robots": 3}, "unchanged": 49},
            finish_reason=Message("run.finished"),
        )
        for back in range(runs_a_site, 0, -1)
        for estate in estates
        for site in estate.sites
    ]
    _bulk(CrawlRun, rows)


def _fill_machine(cases: int, calendar: Calendar) -> None:
    """Write what administrators alone see: trees of days, stamps, checks, failed messages, logins."""
    days = min(730, max(10, cases // 10))
    moments = [calendar.moment(calendar.last) - back * DAY for back in range(days, 0, -1)]
    leaves = [f"{number:064x}" for number in range(max(1, cases // days))]
    trees = _bulk(
        DayTree,
        [DayTree(day=at.date(), root=digest(str(at).encode()), leaves=leaves, made_at=at) for at in moments],
    )
    given = {"query": b"q" * 60, "response": b"r" * 2_000, "ca_pem": b"c" * 2_000, "authority": "https://tsa.example/"}
    _bulk(Stamp, [Stamp(tree=tree, stamped_at=tree.made_at, received_at=tree.made_at, **given) for tree in trees])
    _bulk(
        StampAttempt,
        [
            StampAttempt(tree=tree, authority="https://other.example/", attempts=3, error=FAULT, next_at=tree.made_at)
            for tree in trees[-10:]
        ],
    )
    _bulk(EvidenceCheck, [EvidenceCheck(started_at=at, ended_at=at, bundles=cases, read_bytes=cases) for at in moments])
    _bulk(
        FailedMessage,
        [
            FailedMessage(task="pipeline.compare_pages", subject=f"{number:040x}", error=FAULT, failed_at=moments[-1])
            for number in range(200)
        ],
    )
    login = {"ip_address": "192.0.2.7", "user_agent": "Mozilla/5.0", "path_info": "/admin/login/"}
    _bulk(AccessLog, [AccessLog(username="person0-1", **login) for _ in range(20 * days)])
    _bulk(AccessFailureLog, [AccessFailureLog(username="person0-1", **login) for _ in range(2 * days)])
    _bulk(
        AccessAttempt,
        [
            AccessAttempt(username=f"person0-{number}", failures_since_start=3, get_data="", post_data="", **login)
            for number in range(50)
        ],
    )
