"""Lists the factors that a court considers, and what the evidence of a case or matter contains and lacks for each.

The rules use only the facts from `webadmin.evidence.services.factor_facts`. They never claim that anything is proved,
which is for the court to decide. The factors are from article 11 of the Provisions on Internet Courts (2018) and
articles 16 to 19 of the Rules of Online Litigation (2021), compared with the texts (docs/proof.md).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from core.wording import Message

Moment = Callable[[datetime], str]


class Regulation(StrEnum):
    """The regulations that list the factors."""

    INTERNET_COURTS = "internet-courts-2018"
    ONLINE_LITIGATION = "online-litigation-2021"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about the evidence of a case or matter. Counts without a comment count bundles of kind RECORD."""

    holder: str
    cases: int = 0
    bundles: int = 0
    unbundled_matches: int = 0
    damaged: int = 0  # changed or missing at the last check
    removed: int = 0  # removed by retention
    checked: int = 0
    last_check: datetime | None = None
    drawn: int = 0  # bundles with renderings of the page
    first_fetched: datetime | None = None
    last_fetched: datetime | None = None
    treed: int = 0  # bundles in a day tree
    stamped: int = 0
    authorities: tuple[str, ...] = ()  # authorities that issued these timestamps
    latest_stamp_after: timedelta | None = None  # the longest time from a fetch to its first timestamp
    looked_into: int = 0  # bundles opened for the following counts
    unreadable: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)  # core.captures.CaptureSource
    circumstances: int = 0  # bundles with a description of the fetching computer
    certificates: int = 0  # bundles with the TLS certificates of the site
    through_proxy: int = 0
    programs: tuple[str, ...] = ()  # versions of this program that made the comparisons
    deeds: int = 0  # valid proofs of third parties, by kind
    time_stamps: int = 0
    chains: int = 0
    platforms: tuple[str, ...] = ()
    stamped_by_others: int = 0  # bundles whose digest a third party timestamped with a signature
    named_by_others: int = 0  # bundles whose digest is written in a proof
    tasks: int = 0  # captures requested from third parties
    overdue: int = 0

    @property
    def proofs(self) -> int:
        return self.deeds + self.time_stamps + self.chains


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor. there: what the evidence contains, with figures. missing: what it lacks, and how to obtain it."""

    key: str
    law: Regulation
    article: Message
    title: Message
    there: Sequence[Message]
    missing: Sequence[Message]

    def as_dict(self) -> dict[str, Any]:
        """Return the factor as JSON values. Each message has a code, parameters and its English text."""

        def plain(messages: Sequence[Message]) -> list[dict[str, Any]]:
            return [{**each.to_json(), "text": str(each)} for each in messages]

        return {
            "factor": self.key,
            "law": str(self.law),
            "article": str(self.article),
            "title": str(self.title),
            "there": plain(self.there),
            "missing": plain(self.missing),
        }


def format_utc(at: datetime) -> str:
    """Format a time to the minute, in UTC."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def describe_source(factor: Factor) -> Message:
    """Return the regulation and article of a factor."""
    if factor.law is Regulation.INTERNET_COURTS:
        return Message("factor.law-internet-courts", article=factor.article)
    return Message("factor.law-online-litigation", article=factor.article)


def factor_sheet(facts: Facts, moment: Moment = format_utc) -> list[Factor]:
    """Return all factors in the order of the regulations. moment: formats the times."""
    courts, litigation = Regulation.INTERNET_COURTS, Regulation.ONLINE_LITIGATION
    rows: tuple[tuple[str, Regulation, str, str, Statements], ...] = (
        ("environment", courts, "factor.article-11-1", "factor.environment", _environment_factor(facts)),
        ("origin", courts, "factor.article-11-2", "factor.origin", _origin_factor(facts, moment)),
        ("keeping", courts, "factor.article-11-3", "factor.keeping", _keeping_factor(facts, moment)),
        ("extraction", courts, "factor.article-11-4", "factor.extraction", _extraction_factor(facts)),
        ("integrity", courts, "factor.article-11-5", "factor.integrity", _integrity_factor(facts)),
        ("verification", courts, "factor.article-11-6", "factor.verification", _verification_factor(facts)),
        ("chain", litigation, "factor.article-16", "factor.chain", _chain_factor(facts)),
        ("platform", litigation, "factor.article-17-1", "factor.platform", _platform_factor(facts)),
        ("interest", litigation, "factor.article-17-2", "factor.interest", _interest_factor(facts)),
        ("platform-system", litigation, "factor.article-17-3", "factor.platform-system", _platform_questions(facts)),
        ("platform-process", litigation, "factor.article-17-4", "factor.platform-process", _platform_questions(facts)),
        ("before", litigation, "factor.article-18", "factor.before", _article_18(facts)),
        ("experts", litigation, "factor.article-19", "factor.experts", _experts_factor(facts)),
    )
    factors = []
    for key, law, article, title, told in rows:
        said = list(told)
        there, missing = ([message for is_there, message in said if is_there is side] for side in (_There, _Missing))
        factors.append(Factor(key, law, Message(article), Message(title), there, missing))
    return factors


_There, _Missing = True, False
Statements = Iterator[tuple[bool, Message]]


def _environment_factor(facts: Facts) -> Statements:
    if not facts.looked_into:
        yield _Missing, Message("factor.no-bundle")
        return
    counted = {"of": facts.looked_into}
    if facts.circumstances:
        yield _There, Message("factor.circumstances", count=facts.circumstances, **counted)
    if facts.circumstances < facts.looked_into:
        yield _Missing, Message("factor.no-circumstances", count=facts.looked_into - facts.circumstances, **counted)
    if facts.through_proxy:
        yield _Missing, Message("factor.through-proxy", count=facts.through_proxy, **counted)
    yield _Missing, Message("factor.own-computer", holder=facts.holder)


def _origin_factor(facts: Facts, moment: Moment) -> Statements:
    if facts.first_fetched is not None and facts.last_fetched is not None:
        times = {"first": moment(facts.first_fetched), "last": moment(facts.last_fetched)}
        yield _There, Message("factor.fetched", count=facts.bundles, holder=facts.holder, **times)
    if facts.stamped:
        yield _There, Message("factor.stamped", count=facts.stamped, of=facts.bundles, authorities=facts.authorities)
    if facts.latest_stamp_after is not None:
        yield _There, Message("factor.stamp-after", hours=-(-int(facts.latest_stamp_after.total_seconds()) // 3600))
    yield from _stamp_gaps(facts)
    if facts.certificates:
        yield _There, Message("factor.certificates", count=facts.certificates, of=facts.looked_into)
    if facts.drawn:
        yield _There, Message("factor.drawn", count=facts.drawn)
    if facts.drawn < facts.bundles:
        yield _Missing, Message("factor.undrawn", count=facts.bundles - facts.drawn)
    if facts.unbundled_matches:
        yield _Missing, Message("factor.owed", count=facts.unbundled_matches)
    yield _Missing, Message("factor.own-clock")


def _stamp_gaps(facts: Facts) -> Statements:
    if facts.stamped < facts.bundles:
        waiting = facts.bundles - facts.treed
        yield _Missing, Message("factor.unstamped", count=facts.bundles - facts.stamped, waiting=waiting)


def _keeping_factor(facts: Facts, moment: Moment) -> Statements:
    if facts.bundles:
        yield _There, Message("factor.kept", count=facts.bundles)
    if facts.last_check is not None:
        yield _There, Message("factor.checked", count=facts.checked, of=facts.bundles, at=moment(facts.last_check))
    if facts.checked < facts.bundles:
        yield _Missing, Message("factor.unchecked", count=facts.bundles - facts.checked)
    if facts.removed:
        yield _Missing, Message("factor.removed", count=facts.removed)
    yield _Missing, Message("factor.own-keeping", holder=facts.holder)


def _extraction_factor(facts: Facts) -> Statements:
    of = {"of": facts.looked_into}
    if count := facts.sources.get("connection", 0):
        yield _There, Message("factor.by-connection", count=count, **of)
    if count := facts.sources.get("browser", 0):
        yield _There, Message("factor.by-browser", count=count, **of)
    if count := facts.sources.get("archive", 0):
        yield _Missing, Message("factor.by-archive", count=count, **of)
    if count := facts.sources.get("unknown", 0):
        yield _Missing, Message("factor.by-nobody", count=count, **of)
    if facts.programs:
        yield _There, Message("factor.programs", versions=facts.programs)
    if facts.bundles:
        yield _There, Message("factor.repeatable")
    yield _Missing, Message("factor.page-changes")


def _integrity_factor(facts: Facts) -> Statements:
    if facts.treed:
        yield _There, Message("factor.treed", count=facts.treed, of=facts.bundles)
    if facts.stamped:
        yield _There, Message("factor.stamped-since", count=facts.stamped)
    yield from _stamp_gaps(facts)
    if facts.damaged:
        yield _Missing, Message("factor.damaged", count=facts.damaged)
    if facts.unreadable:
        yield _Missing, Message("factor.unreadable", count=facts.unreadable)
    if facts.bundles:
        yield _Missing, Message("factor.withheld")


def _verification_factor(facts: Facts) -> Statements:
    if facts.bundles:
        yield _There, Message("factor.offline")
    if facts.stamped:
        yield _There, Message("factor.stamp-checked", authorities=facts.authorities)
    if facts.stamped_by_others:
        yield _There, Message("factor.stamped-by-others", count=facts.stamped_by_others, of=facts.bundles)
    if facts.named_by_others:
        yield _There, Message("factor.named-by-others", count=facts.named_by_others, of=facts.bundles)
    yield from _stamp_gaps(facts)
    if not facts.bundles:
        yield _Missing, Message("factor.no-bundle")


def _chain_factor(facts: Facts) -> Statements:
    if facts.chains:
        yield _There, Message("factor.chains", count=facts.chains, platforms=facts.platforms)
        yield _Missing, Message("factor.chain-unchecked")
    else:
        yield _Missing, Message("factor.no-chain")


def _platform_factor(facts: Facts) -> Statements:
    if facts.chains:
        yield _There, Message("factor.platforms", platforms=facts.platforms)
        yield _Missing, Message("factor.ask-qualification")
    else:
        yield _Missing, Message("factor.no-platform")


def _interest_factor(facts: Facts) -> Statements:
    yield _Missing, Message("factor.own-interest", holder=facts.holder)
    if facts.deeds:
        yield _There, Message("factor.deeds", count=facts.deeds)
    if facts.time_stamps:
        yield _There, Message("factor.time-stamps", count=facts.time_stamps)
    if facts.chains:
        yield _There, Message("factor.chains", count=facts.chains, platforms=facts.platforms)
    if facts.stamped:
        yield _There, Message("factor.authorities", authorities=facts.authorities)
    if not facts.proofs:
        yield _Missing, Message("factor.nobody-else")
    yield from _task_messages(facts)


def _task_messages(facts: Facts) -> Statements:
    if facts.overdue:
        yield _Missing, Message("factor.overdue", count=facts.overdue)
    elif facts.tasks:
        yield _Missing, Message("factor.asked", count=facts.tasks)


def _platform_questions(facts: Facts) -> Statements:
    if facts.chains:
        yield _Missing, Message("factor.ask-platform")
    else:
        yield _Missing, Message("factor.no-platform")


def _article_18(facts: Facts) -> Statements:
    if facts.bundles:
        yield _There, Message("factor.before-told")
    if facts.deeds:
        yield _There, Message("factor.deeds", count=facts.deeds)
    else:
        yield _Missing, Message("factor.no-deed")
    yield from _task_messages(facts)


def _experts_factor(facts: Facts) -> Statements:
    if facts.bundles:
        yield _There, Message("factor.for-experts")
    yield _Missing, Message("factor.no-expert")
