"""Makes the data of `bench admin`: an empty database filled with rights holders, works, sites, pages and cases."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from random import Random
from typing import Any, TypeVar

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db import connection, transaction
from django.db.models import Model

from core.ids import CanonicalUrl, SiteId, digest, page_id
from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from core.taken import Places
from core.wording import Message
from laboratory.draws import between, one_of
from webadmin.accounts.models import FailedMessage, Membership, RightsHolder, User
from webadmin.cases.models import Case, CaseMatch, Exclusion, Matter, TakenText, VerdictRecord
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.evidence.models import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.sites.models import (
    Address,
    ArchiveImport,
    CrawlRun,
    DiscoveredPage,
    DiscoveryPlan,
    DiscoveryQuery,
    PageRecord,
    Site,
    SiteDomain,
    SiteMove,
)
from webadmin.works.models import Chapter, Licence, OwnDomain, Work

Row = TypeVar("Row", bound=Model)
WORDS = ("渡口", "灯火", "雨夜", "石桥", "北岸", "长河", "旧书", "归人", "青瓦", "远山", "雪线", "槐树", "码头", "春汛")
EXCERPT = "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。"
HOLDERS, BIG_SHARE = 6, 0.6  # the first rights holder has this share of everything
MAX_SITES, MAX_WORKS, MAX_RUNS_A_SITE = 300, 3_000, 365
CHAPTER_CHARS, BATCH_PAGES = 3_000, 2_000
DAYS, DAY = 730, timedelta(days=1)
FAULT = Message("core.verbatim", text="https://slow.example/9 did not answer in 30 s")
OBFUSCATIONS = [[], [], [], *([{"kind": str(each), "count": 6, "example": "米袋"}] for each in Obfuscation)]
# Outcomes of a case with their frequencies; old cases have verdicts.
FATES = (
    *[(CaseState.OPEN, "")] * 7,
    *[(CaseState.CONFIRMED, Verdict.CONFIRMED)] * 6,
    *[(CaseState.DISMISSED, Verdict.FALSE_ALARM)] * 2,
    (CaseState.DISMISSED, Verdict.FAIR_USE),
    (CaseState.DISMISSED, Verdict.LICENSED),
    *[(CaseState.SET_ASIDE, "")] * 3,
)
SPAN = {
    "page": [50, 150],
    "work": [0, 100],
    "similarity": 1.0,
    "zone": "main",
    "raw": [50, 150],
    "page_excerpt": EXCERPT * 2,
    "work_excerpt": EXCERPT * 2,
    "changes": [],
    "raw_changes": [],
}


Value = Callable[[str, int, datetime], object]  # value of a field, from its name, the number of the row and its time
MAKE: dict[str, Value] = {
    "DateTimeField": lambda name, number, at: at,
    "DateField": lambda name, number, at: at.date(),
    "JSONField": lambda name, number, at: [],
    "MessageField": lambda name, number, at: FAULT,
    "BinaryField": lambda name, number, at: bytes(2_000),
    "GenericIPAddressField": lambda name, number, at: "192.0.2.7",
    "CharField": lambda name, number, at: f"{name}{number}.example",
    "TextField": lambda name, number, at: f"{name}{number}.example",
}


@cache
def _needed_values(model: type[Model]) -> list[tuple[str, Value]]:
    """Return the key and the required fields of a model, each with the function that makes its value."""
    needed = [
        each
        for each in model._meta.concrete_fields
        if each.auto_created
        or each.name == "id"
        or not (each.is_relation or each.has_default() or each.null or each.blank)
    ]
    return [
        (each.name, _number if each.auto_created or each.name == "id" else MAKE.get(type(each).__name__, _number))
        for each in needed
    ]


def _number(name: str, number: int, at: datetime) -> int:
    return number


@dataclass
class Estate:
    """The rows of a rights holder. people: the manager first. chapters: those of each work, by the key of the work."""

    holder: RightsHolder
    people: list[User]
    works: list[Work]
    sites: list[Site]
    chapters: dict[int, list[Chapter]] = field(default_factory=lambda: defaultdict(list))


class Maker:
    """Fills a database, reproducibly for the same seed and time. estates: the first has the most rows."""

    def __init__(self, rng: Random, now: datetime) -> None:
        self._rng, self._now = rng, now
        self.estates: list[Estate] = []
        self._rows: dict[type[Model], list[Any]] = defaultdict(list)
        self._keys: dict[type[Model], count[int]] = defaultdict(lambda: count(1))
        self._matters: dict[tuple[int, int], Matter] = {}

    def fill(self, cases: int, pages: int, progress: Callable[[int, int], None]) -> None:
        """Write that many pages, in the order in which they were first seen, and that many cases on them."""
        works, sites = max(12, min(MAX_WORKS, cases // 8)), max(12, min(MAX_SITES, cases // 30))
        for number in range(HOLDERS):
            share = BIG_SHARE if number == 0 else (1 - BIG_SHARE) / (HOLDERS - 1)
            self.estates.append(self._estate(number, max(2, int(works * share)), max(2, int(sites * share))))
            self._add_what_surrounds_findings(self.estates[-1], min(MAX_RUNS_A_SITE, pages // sites))
        self._add_what_administrators_see(cases)
        for number in range(pages):
            has_case = (number + 1) * cases // pages > number * cases // pages
            self._add_page(number, self._now - DAYS * DAY * (1 - number / pages), has_case)
            if (number + 1) % BATCH_PAGES == 0 or number + 1 == pages:
                self._write()
                progress(number + 1, pages)
        for bundle in EvidenceBundle.objects.all()[:50]:
            self._add(RetentionLog, bundle=bundle)
        self._write()
        refresh_matters([matter.pk for matter in self._matters.values()])

    def _add(self, model: type[Row], **given: Any) -> Row:
        """Add a row with the given values; each other required field gets a value made from the number of the row."""
        number = next(self._keys[model])
        at = self._now - number % DAYS * DAY
        values = {name: value(name, number, at) for name, value in _needed_values(model) if name not in given}
        row = model(**values | given)
        self._rows[model].append(row)
        return row

    def _write(self) -> None:
        """Insert the added rows. `bulk_create` takes three times as long: it treats each value as an expression."""
        with transaction.atomic(), connection.cursor() as cursor:  # foreign keys are checked at its end
            for model, rows in self._rows.items():
                fields = [each for each in model._meta.concrete_fields if not each.generated]
                columns = ", ".join(connection.ops.quote_name(str(each.column)) for each in fields)
                table, marks = connection.ops.quote_name(model._meta.db_table), ", ".join(["%s"] * len(fields))
                cursor.executemany(
                    f"INSERT INTO {table} ({columns}) VALUES ({marks})",  # noqa: S608 - names of our own tables
                    [
                        [each.get_db_prep_save(each.pre_save(row, add=True), connection) for each in fields]
                        for row in rows
                    ],
                )
        self._rows.clear()

    def _title(self) -> str:
        """Return a title of three meaningless words, for a work or a chapter."""
        return "".join(one_of(self._rng, WORDS) for _ in range(3))

    def _popular(self, items: list[Any]) -> Any:
        """Return a random item; the probability of the n-th is proportional to 1/sqrt(n)."""
        return items[int(len(items) * self._rng.random() ** 2)]

    def _estate(self, number: int, works: int, sites: int) -> Estate:
        holder = self._add(RightsHolder, name=f"{self._title()}文学{number}", contact="rights@example.cn")
        people = [self._add(User, username=f"person{number}-{each}", is_staff=True) for each in range(5)]
        for person, role in zip(people, ["manager", *["reviewer"] * 4], strict=True):
            self._add(Membership, rights_holder=holder, user=person, role=role)
        estate = Estate(holder, people, [], [])
        for each in range(works):
            names = {"title": f"{self._title()}{each}", "author": self._title()[:3]}
            kind, chapters = one_of(self._rng, list(Work.Kind)), between(self._rng, 1, 80)
            chars = {"counted_chars": chapters * CHAPTER_CHARS}
            estate.works.append(self._add(Work, rights_holder=holder, kind=kind, **names, **chars))
        for work in estate.works:
            for at in range(1, work.counted_chars // CHAPTER_CHARS + 1):
                kept = {"number": at, "title": self._title(), "chars": CHAPTER_CHARS, "indexed_at": self._now}
                kept |= {"published_at": self._now - between(self._rng, 0, DAYS) * DAY} if work.pk % 2 else {}
                text_id = digest(f"{work.pk} {at}".encode())[:40]
                estate.chapters[work.pk].append(self._add(Chapter, work=work, text_id=text_id, **kept))
        for each in range(sites):
            host = f"s{each}.h{holder.pk}.example"
            site = {"name": f"{self._title()}网{host}", "start_urls": f"https://{host}/"}
            estate.sites.append(self._add(Site, rights_holder=holder, **site))
            self._add(SiteDomain, site=estate.sites[-1], host=host)
        self._write()
        return estate

    def _add_what_surrounds_findings(self, estate: Estate, runs_a_site: int) -> None:
        """Add licences, own domains, findings of the web search, proposed moves, imports and crawls."""
        owned, today = {"rights_holder": estate.holder}, self._now.date()
        for work in estate.works[::4]:
            days = {"valid_from": today - 200 * DAY, "valid_until": today + between(self._rng, -100, 300) * DAY}
            self._add(Licence, work=work, entered_by=estate.people[0], **owned, **days)
            self._add(OwnDomain, **owned)
            self._add(DiscoveryPlan, work=work)
            query = self._add(DiscoveryQuery, work=work, state=DiscoveryQuery.State.ANSWERED)
            self._add(DiscoveredPage, work=work, query=query, state=DiscoveredPage.State.PROPOSED)
        for site in estate.sites:
            self._add(SiteMove, site=site, evidence={"pages_led": 3, "same_place": 2})
            self._add(ArchiveImport, site=site, **owned, state=ArchiveImport.State.FINISHED)
            for back in range(runs_a_site, 0, -1):
                moments = dict.fromkeys(("due_at", "started_at", "finished_at"), self._now - back * DAY)
                state = CrawlRun.State.FINISHED if back % 40 else CrawlRun.State.FAILED
                counts = {"requested": 90, "fetched": 84, "rejected": {"robots": 3}, "unchanged": 49}
                self._add(CrawlRun, site=site, state=state, counts=counts, pages_fetched=84, **moments)
        self._write()

    def _add_what_administrators_see(self, cases: int) -> None:
        """Add trees of days, stamps, checks, failed messages and logins."""
        days = min(DAYS, max(10, cases // 10))
        for _ in range(days):
            tree = self._add(DayTree, leaves=[f"{number:064x}" for number in range(max(1, cases // days))])
            self._add(Stamp, tree=tree)
            self._add(StampAttempt, tree=tree)
        for model, rows in (
            *((EvidenceCheck, days), (FailedMessage, 200), (AccessAttempt, 50)),
            *((AccessLog, 20 * days), (AccessFailureLog, 2 * days)),
        ):
            for _ in range(rows):
                self._add(model)
        self._write()

    def _add_page(self, number: int, first: datetime, has_case: bool) -> None:
        """Add a page and its address, with a case or, now and then, a record that it was left out."""
        rng, odd = self._rng, self._rng.random()
        estate = self.estates[0 if rng.random() < BIG_SHARE else between(rng, 1, HOLDERS - 1)]
        site, work = self._popular(estate.sites), self._popular(estate.works)
        last = min(self._now, first + rng.random() * 200 * DAY)
        url, owned = (
            f"{site.start_urls}book/{number // 40}/{number}.html",
            {"site": site, "rights_holder": estate.holder},
        )
        key = page_id(SiteId(str(site.pk)), CanonicalUrl(url))
        page = self._add(
            PageRecord,
            **owned,
            page_id=key,
            url=url,
            version_id=key[::-1],
            title=f"第{number % 400}章 {self._title()} - {site.name}",
            first_seen=first,
            last_seen=last,
            gone_since=last if odd < 0.04 else None,
            chars=between(rng, 300, 5_000),
            encoding="gb18030" if odd > 0.7 else "utf-8",
            is_encoding_doubtful=0.04 < odd < 0.05,
            confidence=0.4 + 0.6 * rng.random(),
            obfuscations=one_of(rng, OBFUSCATIONS),
            rejection="" if has_case or odd < 0.1 else Rejection.NO_MATCH,
            checked_at=first,
        )
        failed = {"failures": 3, "failed_at": last, "reason": Rejection.HTTP_ERROR} if odd < 0.04 else {}
        seen = {"found_at": first, "seen_at": last, "due_at": last + DAY, "looks": 9.0, "unchanged_looks": 8.0}
        stands = {
            "id": key[::-1],
            "url": url,
            "kind": "detail",
            "page_id": key,
            "page_url": url,
            "version_id": key[::-1],
        }
        self._add(Address, **owned, **stands, **seen, **failed)
        on_page = {**owned, "page": page, "work": work, "page_url": url, "page_title": page.title}
        if has_case:
            self._add_case(page, estate, on_page)
        elif odd < 0.05:
            reason = one_of(rng, (Rejection.LICENSED, Rejection.OWN_SITE, Rejection.QUOTATION))
            self._add(Exclusion, **on_page, reason=reason, match_class=MatchClass.IDENTICAL, found_at=first)

    def _add_case(self, page: PageRecord, estate: Estate, on_page: dict[str, Any]) -> None:
        """Add a case on a page with its match, verdict and evidence, and update its matter and work."""
        rng, at, work = self._rng, page.first_seen, on_page["work"]
        (state, verdict), decided_at = one_of(rng, FATES), at + rng.random() * 30 * DAY
        if verdict and decided_at > self._now:
            state, verdict = CaseState.OPEN, ""
        chapter, is_whole = one_of(rng, estate.chapters[work.pk]), rng.random() < 0.4
        chars = CHAPTER_CHARS if is_whole else between(rng, 100, CHAPTER_CHARS)
        copies = [each for each in MatchClass if each is not MatchClass.QUOTATION]
        figures = {
            "match_class": MatchClass.IDENTICAL if is_whole else one_of(rng, copies),
            "similarity": 1.0 if is_whole else 0.5 + 0.5 * rng.random(),
            "page_containment": 0.9,
            "matched_chars": chars,
            "longest_equal_run_chars": between(rng, 20, 100),
            "obfuscations": page.obfuscations,
            "version_id": page.version_id,
        }
        case = self._add(
            Case,
            **figures,
            **on_page,
            matter=self._matter(estate, on_page),
            excerpt=EXCERPT,
            state=state,
            allowed_as=Rejection.LICENSED if state is CaseState.SET_ASIDE else "",
            taken_chars=chars,
            opened_at=at,
            first_seen_at=at,
            last_seen_at=page.last_seen,
            changed_since=page.last_seen if verdict and rng.random() < 0.03 else None,
            returned_at=page.last_seen if verdict and rng.random() < 0.03 else None,
            decided_as=verdict,
        )
        if verdict:
            by = {"decided_by": one_of(rng, estate.people[1:]), "decided_at": decided_at}
            case.decision = self._add(VerdictRecord, case=case, verdict=verdict, note="逐字比对过", **by)
        text = {"text_id": chapter.text_id}
        self._add(TakenText, case=case, places=Places((1 << chars) - 1).pack(), **text)
        match = self._add(CaseMatch, case=case, chapter=chapter, spans=[SPAN], **figures, **text)
        moments = {"fetched_at": at, "day": at.date(), "made_at": at, "version_id": case.version_id}
        self._add(EvidenceBundle, case=case, match=match, digest=digest(page.url.encode()), **moments)

    def _matter(self, estate: Estate, on_page: dict[str, Any]) -> Matter:
        """Return the matter of a site and a work; one in ten is assigned to the manager, and two to others."""
        of = {name: on_page[name] for name in ("rights_holder", "site", "work")}
        key = of["site"].pk, of["work"].pk
        if key not in self._matters:
            awaited = "授权合同" if self._rng.random() < 0.02 else ""
            assignee = one_of(self._rng, [*estate.people[:3], *[None] * 7])
            self._matters[key] = self._add(Matter, **of, awaited=awaited, assignee=assignee)
        return self._matters[key]
