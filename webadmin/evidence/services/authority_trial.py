"""Tests a time stamp authority with one real request for a random digest.

Keeps the claims of the answer apart from the verified facts: an invalid answer is shown too, with its fault.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography.hazmat.primitives.serialization import Encoding

from bundles.authority import Authority
from bundles.certificates import parse_certificate, parse_certificates
from bundles.faults import DoesNotHold
from bundles.stamps import StampFacts, StampStatement, read_stamp, verify_stamp
from bundles.verification import MAX_CLOCK_DIFFERENCE
from core.errors import BadInput, RetryLater
from core.ids import digest
from core.wording import Message

RANDOM_BYTES = 32


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of one trial. facts: of a valid answer; fault: the first reason why an answer is invalid."""

    authority: str  # its URL without secrets
    asked_at: datetime
    claims: StampStatement | None
    facts: StampFacts | None
    fault: Message | None


def try_authority(authority: Authority, now: datetime | None = None) -> Trial:
    """Request a stamp of a random digest and verify it as a reader of an export would. Never raises.

    An authority whose clock differs from this machine's by more than MAX_CLOCK_DIFFERENCE fails too.
    """
    asked_at, named = now or datetime.now(UTC), digest(secrets.token_bytes(RANDOM_BYTES))
    claims = None
    try:
        answer = authority.answer(named)
        claims = read_stamp(answer.response, authority.name)
        facts = verify_stamp(authority.with_lists(answer, named), named, authority.name)
        _check_clock(facts, asked_at, authority.name)
    except (DoesNotHold, BadInput, RetryLater) as error:
        return Trial(authority.name, asked_at, claims, None, error.message)
    return Trial(authority.name, asked_at, claims, facts, None)


def parse_roots(content: bytes, shown: str) -> bytes:
    """Return the certificates of an authority's file, PEM or DER, as PEM. Raises BadInput for any other content.

    shown: the file's name in the error.
    """
    try:
        found = parse_certificates(content) or [parse_certificate(content)]
    except ValueError as error:
        raise BadInput("evidence.no-certificates", file=shown) from error
    return b"".join(each.public_bytes(Encoding.PEM) for each in found)


def _check_clock(facts: StampFacts, asked_at: datetime, shown: str) -> None:
    apart_s = (facts.at - asked_at).total_seconds()
    limit_s = MAX_CLOCK_DIFFERENCE.total_seconds()
    if abs(apart_s) > limit_s:
        raise BadInput("evidence.clock-apart", authority=shown, seconds=round(apart_s), limit=round(limit_s))
