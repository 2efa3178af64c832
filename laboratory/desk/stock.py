"""Whom the findings of a made desk belong to: rights holders, people, works, sites, and all that is kept of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any, TypeVar

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.db.models import Model

from core.ids import digest
from core.matches import MatchClass
from core.wording import Message
from laboratory import draws
from laboratory.desk.rows import Calendar
from records import models

WORDS = ("渡口", "灯火", "雨夜", "石桥", "北岸", "长河", "旧书", "归人", "青瓦", "远山", "雪线", "槐树", "码头", "春汛")
HOLDERS, BIG_SHARE = 6, 0.6  # of everything the first rights holder has so much
MAX_SITES, MAX_WORKS, MAX_RUNS_A_SITE = 300, 3_000, 365
CHAPTER_CHARS = 3_000
BATCH = 1_000
DAY = timedelta(days=1)
FAULT = Message("core.verbatim", text="https://slow.example/9 did not answer in 30 s")
Item = TypeVar("Item")


@dataclass
class Estate:
    """What a rights holder has. chapters: numbers and text ids of each work's, by its key."""

    holder: models.RightsHolder
    manager: User
    reviewers: list[User]
    works: list[models.Work]
    sites: list[models.Site]
    chapters: dict[int, list[tuple[int, str]]]


@dataclass
class Stock:
    """Everybody."""

    estates: list[Estate]
    administrator: User

    @property
    def big(self) -> Estate:
        return self.estates[0]


def fill_stock(cases: int, pages: int, calendar: Calendar, rng: Random) -> Stock:
    """Write it, in proportion to the findings up to some hundred sites and some thousand works."""
    works, sites = max(12, min(MAX_WORKS, cases // 8)), max(12, min(MAX_SITES, cases // 30))
    estates = []
    for number in range(HOLDERS):
        share = (1 - BIG_SHARE) / (HOLDERS - 1) if number else BIG_SHARE
        estate = _estate(number, max(2, int(works * share)), max(2, int(sites * share)), rng)
        _fill_works(estate, calendar, rng)
        _fill_sites(estate, min(MAX_RUNS_A_SITE, pages // sites), calendar)
        estates.append(estate)
    _fill_machine(cases, calendar)
    return Stock(estates, User.objects.create(username="administrator", is_staff=True, is_superuser=True))


def title(rng: Random) -> str:
    """Three words that mean nothing: a work, a chapter."""
    return "".join(draws.one_of(rng, WORDS) for _ in range(3))


def popular(rng: Random, items: Sequence[Item]) -> Item:
    """One of them, the n-th as often as 1/sqrt(n): of 180 sites the first has as much as the last thirteen together."""
    return items[int(len(items) * rng.random() ** 2)]


def _many(model: type[Model], rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    return list(model._default_manager.bulk_create([model(**row) for row in rows], batch_size=BATCH))


def _estate(number: int, works: int, sites: int, rng: Random) -> Estate:
    name = f"{title(rng)}文学{number}"
    holder = models.RightsHolder.objects.create(name=name, contact="版权部 rights@example.cn")
    people = [User.objects.create(username=f"person{number}-{each}", is_staff=True) for each in range(5)]
    roles = [models.Membership.Role.MANAGER, *[models.Membership.Role.REVIEWER] * 4]
    owned, kinds = {"rights_holder": holder}, list(models.Work.Kind)
    _many(models.Membership, ({**owned, "user": each, "role": role} for each, role in zip(people, roles, strict=True)))
    lengths = [CHAPTER_CHARS * draws.between(rng, 1, 80) for _ in range(works)]
    named = [{"title": f"{title(rng)}{each}", "author": title(rng)[:3], **owned} for each in range(works)]
    drawn = ({"kind": draws.one_of(rng, kinds), "counted_chars": chars} for chars in lengths)
    made = _many(models.Work, (one | other for one, other in zip(named, drawn, strict=True)))
    hosts = [f"s{each}.h{holder.pk}.example" for each in range(sites)]
    starts = ({**owned, "name": f"{title(rng)}网{host}", "start_urls": f"https://{host}/"} for host in hosts)
    return Estate(holder, people[0], people[1:], made, _many(models.Site, starts), {})


def _fill_works(estate: Estate, calendar: Calendar, rng: Random) -> None:
    """Write chapters, licences, and what the search of the web found."""
    now, owned, some = calendar.moment(calendar.last), {"rights_holder": estate.holder}, estate.works[::4]
    chapters = (
        {"work": work, "number": number, "text_id": digest(f"{work.pk} {number}".encode())[:40]}
        for work in estate.works
        for number in range(1, work.counted_chars // CHAPTER_CHARS + 1)
    )
    kept = {"chars": CHAPTER_CHARS, "indexed_at": calendar.first}
    for chapter in _many(models.Chapter, ({**each, **kept, "title": title(rng)} for each in chapters)):
        estate.chapters.setdefault(chapter.work_id, []).append((chapter.pk, chapter.text_id))
    for work in some:
        since, until = (now.date() + draws.between(rng, *days) * DAY for days in ((-700, -200), (-100, 300)))
        given = {"licensee": "书城", "domain": f"licensed{work.pk}.example", "number": f"HT-{work.pk}"}
        valid = {"valid_from": since, "valid_until": until, "entered_by": estate.manager}
        models.Licence.objects.create(work=work, **owned, **given, **valid)
    own = ({**owned, "domain": f"own{each}.h{estate.holder.pk}.example"} for each in range(3))
    _many(models.OwnDomain, own)
    _many(models.DiscoveryPlan, ({"work": work} for work in some))
    answered = {"chapter_number": 1, "state": models.DiscoveryQuery.State.ANSWERED, "results": 8}
    asked = (
        {"work": work, "sentence": f"{title(rng)}{each}", "asked_at": now - draws.between(rng, 1, 600) * DAY}
        for work in some
        for each in range(10)
    )
    queries = _many(models.DiscoveryQuery, ({**answered, **each} for each in asked))[::3]
    states = list(models.DiscoveredPage.State)
    match = {"match_class": MatchClass.LIGHTLY_EDITED, "similarity": 0.9, "matched_chars": 260}
    places = (
        {"work_id": query.work_id, "query": query, "host": f"found{query.pk}.example", "found_at": query.asked_at}
        for query in queries
    )
    _many(
        models.DiscoveredPage,
        (
            {
                **each,
                **match,
                "url": f"https://{each['host']}/1.html",
                "url_digest": digest(each["host"].encode()),
                "title": title(rng),
                "state": draws.one_of(rng, states),
            }
            for each in places
        ),
    )


def _fill_sites(estate: Estate, runs_a_site: int, calendar: Calendar) -> None:
    """Write domains, proposed moves, imports and crawls."""
    now, sites, states = calendar.moment(calendar.last), estate.sites, models.CrawlRun.State
    hosts = [site.start_urls.split("/")[2] for site in sites]
    _many(models.SiteDomain, ({"site": site, "host": host} for site, host in zip(sites, hosts, strict=True)))
    led = {"evidence": {"pages_led": 3, "same_place": 2}, "proposed_at": now}
    ends = ({"from_host": f"old{site.pk}.example", "to_host": f"new{site.pk}.example"} for site in sites[::5])
    _many(models.SiteMove, ({**led, **each, "site": site} for site, each in zip(sites[::5], ends, strict=True)))
    done = {"state": models.ArchiveImport.State.FINISHED, "size_bytes": 73_400_320, "rights_holder": estate.holder}
    counted = {**done, "counts": {"records": 120, "stored": 61, "new_versions": 12}}
    imports = ({**counted, "site": site, "path": f"/srv/imports/{site.pk}.warc.gz"} for site in sites[::4])
    _many(models.ArchiveImport, imports)
    run = {
        "trigger": models.CrawlRun.Trigger.SCHEDULE,
        "pages_fetched": 84,
        "pages_stored": 61,
        "new_versions": 12,
        "counts": {"requested": 90, "fetched": 84, "rejected": {"robots": 3}, "unchanged": 49},
        "finish_reason": Message("run.finished"),
    }
    _many(
        models.CrawlRun,
        (
            {
                **run,
                **dict.fromkeys(("due_at", "started_at", "finished_at"), now - back * DAY),
                "site": site,
                "state": states.FAILED if (back + site.pk) % 40 == 0 else states.FINISHED,
            }
            for back in range(runs_a_site, 0, -1)
            for site in sites
        ),
    )


def _fill_machine(cases: int, calendar: Calendar) -> None:
    """Write what administrators alone see: trees of days, stamps, checks, failed messages, logins."""
    days = min(730, max(10, cases // 10))
    moments = [calendar.moment(calendar.last) - back * DAY for back in range(days, 0, -1)]
    leaves = [f"{number:064x}" for number in range(max(1, cases // days))]
    roots = ({"root": digest(str(at).encode()), "leaves": leaves, "day": at.date(), "made_at": at} for at in moments)
    trees = _many(models.DayTree, roots)
    given = {"query": b"q" * 60, "response": b"r" * 2_000, "ca_pem": b"c" * 2_000, "authority": "https://tsa.example/"}
    stamps = ({**given, "tree": tree, "stamped_at": tree.made_at, "received_at": tree.made_at} for tree in trees)
    _many(models.Stamp, stamps)
    tried = {"authority": "https://other.example/", "attempts": 3, "error": FAULT}
    _many(models.StampAttempt, ({**tried, "tree": tree, "next_at": tree.made_at} for tree in trees[-10:]))
    checked = {"bundles": cases, "read_bytes": cases}
    _many(models.EvidenceCheck, ({**checked, "started_at": at, "ended_at": at} for at in moments))
    failed = {"task": "pipeline.compare_pages", "error": FAULT, "failed_at": moments[-1]}
    _many(models.FailedMessage, ({**failed, "subject": f"{number:040x}"} for number in range(200)))
    login = {"ip_address": "192.0.2.7", "user_agent": "Mozilla/5.0", "path_info": "/admin/login/"}
    _many(AccessLog, [{**login, "username": "person0-1"}] * (20 * days))
    _many(AccessFailureLog, [{**login, "username": "person0-1"}] * (2 * days))
    attempt = {**login, "failures_since_start": 3, "get_data": "", "post_data": ""}
    _many(AccessAttempt, ({**attempt, "username": f"person0-{number}"} for number in range(50)))
