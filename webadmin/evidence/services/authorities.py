"""Tests the timestamp authorities of this installation, and seals exports with those that respond.

The result of a test separates the claims in a response from the verified facts. An invalid response is reported with
its error.
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.serialization import Encoding
from django.conf import settings

from bundles.authority import TIMEOUT_S, Authority
from bundles.certificates import parse_certificate, parse_certificates
from bundles.faults import DoesNotHold
from bundles.ports import Stamper
from bundles.records import TimeStamp
from bundles.stamps import StampFacts, StampStatement, read_stamp, verify_stamp
from bundles.verification import MAX_CLOCK_DIFFERENCE, VerificationReport
from core.errors import BadConfiguration, BadInput, RetryLater
from core.ids import Digest, digest
from core.service_urls import without_secrets
from core.settings import EvidenceSettings
from core.wording import Message
from crawler.fetching.authority_client import AuthorityClient

log = logging.getLogger("zhuiwen.evidence")

SEAL_TIMEOUT_S = 5.0  # A user waits for the file; public authorities respond in 0.1 to 2 s.


def configured_authorities(configured: EvidenceSettings, timeout_s: float = TIMEOUT_S) -> list[Authority]:
    """Return the configured authorities. Raises BadConfiguration with the errors of all invalid ones."""
    client = AuthorityClient(allow_private=configured.allow_private_tsa)
    found, faults = [], list[Message]()
    for url in configured.tsa_urls:
        try:
            roots = read_roots(url, configured.tsa_roots)
            found.append(Authority(url, roots, client, timeout_s=timeout_s))
        except BadConfiguration as error:
            faults.extend(error.faults)
    if faults:
        raise BadConfiguration(faults)
    return found


def _sealing_authorities(what: str) -> list[Authority]:
    """Return the configured authorities with a short timeout. If one is invalid, log a warning and return [].

    what: the name of the export in the log.
    """
    try:
        return configured_authorities(settings.ZHUIWEN.evidence, SEAL_TIMEOUT_S)
    except BadConfiguration as error:  # The doctor reports it; the evidence exists regardless.
        log.warning("%s is exported without a seal: %s", what, error)
        return []


def write_with_seals(write: Callable[[Sequence[Stamper]], VerificationReport], what: str) -> VerificationReport:
    """Write an export sealed by the configured authorities that respond, or without a seal if none responds.

    write: is called again without an authority that failed; its errors are raised. what: the name of the export in the
    log.
    """
    left = [_TrackedAuthority(each) for each in _sealing_authorities(what)]
    while True:
        try:
            return write(left)
        except (RetryLater, DoesNotHold) as error:
            if not any(each.has_failed for each in left):
                raise
            log.warning("%s is exported without the seal of an authority: %s", what, error)
            left = [each for each in left if not each.has_failed]


def root_file(url: str, named: str) -> Path:
    """Return the path of an authority's root certificate.

    named: the configured path of the file, or of a folder that contains it as HOST.pem.
    """
    path = Path(named).expanduser()
    return path / f"{urlsplit(url).hostname}.pem" if path.is_dir() else path


def read_roots(url: str, named: str) -> bytes:
    """Return an authority's root certificates as PEM. Raises BadConfiguration if the file cannot be read."""
    file = root_file(url, named)
    try:
        return file.read_bytes()
    except OSError as error:
        shown = without_secrets(url)
        raise BadConfiguration("bundle.no-root", authority=shown, file=file) from error


class _TrackedAuthority:
    """An authority that records whether a request has failed."""

    def __init__(self, authority: Stamper) -> None:
        self._authority = authority
        self.has_failed = False

    def stamp(self, digest: Digest) -> TimeStamp:
        try:
            return self._authority.stamp(digest)
        except (RetryLater, DoesNotHold):
            self.has_failed = True
            raise


RANDOM_BYTES = 32


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of a test. facts: verified facts, if the response is valid. fault: the first error, if it is not."""

    authority: str  # the authority's URL without secrets
    asked_at: datetime
    claims: StampStatement | None
    facts: StampFacts | None
    fault: Message | None


def try_authority(authority: Authority, now: datetime | None = None) -> Trial:
    """Request a timestamp for a random digest, and verify it as a reader of an export would.

    Returns all errors in the outcome. A clock that differs from this machine's by more than MAX_CLOCK_DIFFERENCE is an
    error too.
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
    """Return the certificates in a PEM or DER file as PEM. Raises BadInput for any other content.

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
