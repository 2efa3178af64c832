"""Makes and checks evidence: bundles, screenshots, timestamps, the nightly check, retention. Each step is idempotent.

1. create_bundles   bundles each match of a page version immediately, without a browser
2. draw_pending     makes a second bundle with a screenshot and PDF of each page, while no other task waits
3. stamp_days       requests timestamps for the trees of past days from every configured authority
4. check_stored     reads every stored byte again
5. remove_expired   removes the bundles that expired under the retention policy, and logs their removal
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bundles import bundle as bundles
from bundles.authority import Authority
from bundles.faults import DoesNotHold
from bundles.records import Drawing
from bundles.stamps import verify_stamp
from core.errors import BadInput, BrokenInvariant, RetryLater, ZhuiwenError
from core.ids import Digest, VersionId, digest
from core.ports import Clock, EvidenceStore, PageStore, WorkStore
from core.settings import Settings
from core.wording import Message
from crawler.browsing.screenshots import NoRendering
from webadmin.cases.models import CaseMatch
from webadmin.evidence.models import DayTree, EvidenceBundle, EvidenceCheck
from webadmin.evidence.services import bundles as bundle_rows
from webadmin.evidence.services.drawings import draw_pages
from webadmin.evidence.services.kept_files import KeptFileEntry, kept_files
from webadmin.evidence.services.material import match_finding, matched_version, page_capture
from webadmin.stores import live, open_evidence_store
from webadmin.ui.models.fields import convert_to_message

log = logging.getLogger("zhuiwen.evidence")

Kind, Outcome, State = EvidenceBundle.Kind, EvidenceBundle.Drawing, EvidenceBundle.State


@dataclass(frozen=True, slots=True)
class EvidencePorts:
    """The ports that the evidence steps use."""

    pages: PageStore
    works: WorkStore
    store: EvidenceStore
    clock: Clock


def live_evidence(settings: Settings) -> EvidencePorts:
    """Return the ports that these settings configure."""
    ports = live(settings)
    return EvidencePorts(ports.pages, ports.works, open_evidence_store(settings), ports.clock)


@dataclass(frozen=True, slots=True)
class StampingResult:
    """The counts of one run of `stamp_days`."""

    trees: int
    stamps: int
    refusals: int


def create_bundles(version: VersionId, ports: EvidencePorts) -> int:
    """Bundle the unbundled matches of a page version, and return their number.

    Raises RetryLater if a store is unreachable. If a text or response of a match is gone or changed, all other matches
    are bundled before this raises BrokenInvariant.
    """
    made, faults = 0, list[Message]()
    for match in bundle_rows.unbundled_matches(version):
        try:
            _store_bundle(match, ports, {})
            made += 1
        except (BadInput, BrokenInvariant) as error:
            faults.append(Message("evidence.unbundled", match=match.pk, case=match.case_id, error=error))
    if faults:
        raise BrokenInvariant("core.faults", faults=faults)
    return made


def draw_pending(ports: EvidencePorts, limit: int, chromium: str, may_continue: Callable[[], bool]) -> int:
    """Render at most `limit` page versions while `may_continue` returns True, and return the number of attempts.

    Records nothing if there is no browser, so that all versions are rendered once a browser is installed.
    """
    drawn = 0
    for record in bundle_rows.undrawn_records(limit):
        if not may_continue():
            break
        if not _draw_version(record, ports, chromium):
            break
        drawn += 1
    return drawn


def stamp_days(authorities: Sequence[Authority], clock: Clock) -> StampingResult:
    """Create the trees of past days (UTC), request the due timestamps from all authorities, and record failures."""
    now = clock.now()
    trees = bundle_rows.close_days(now.date(), now)
    by_name = {authority.name: authority for authority in authorities}
    stamps = refusals = 0
    for tree, name in bundle_rows.due_stamp_requests(list(by_name), now):
        if _request_stamp(tree, by_name[name], clock):
            stamps += 1
        else:
            refusals += 1
    return StampingResult(len(trees), stamps, refusals)


def check_stored(ports: EvidencePorts) -> EvidenceCheck:
    """Read every stored bundle and file, byte by byte, and record which are changed or missing.

    Raises RetryLater if the store is unreachable.
    """
    started, seen, read = ports.clock.now(), list[tuple[int, str]](), 0
    rows = EvidenceBundle.objects.exclude(state=State.REMOVED).filter(made_at__lte=started)
    count = 0
    for key, name, sha256 in rows.values_list("pk", "digest", "sha256").iterator(chunk_size=1_000):
        state, size = _read_state(Digest(name), sha256, ports.store)
        count, read = count + 1, read + size
        if state != State.HELD:
            seen.append((key, state))
            log.error("the evidence bundle %s is %s", name, state)
    files, faulty, of_files = _check_files(ports.store)
    totals = bundle_rows.CheckTotals(count, read + of_files, files, faulty)
    return bundle_rows.note_check(seen, started, ports.clock.now(), totals)


def _check_files(store: EvidenceStore) -> tuple[int, list[tuple[KeptFileEntry, str]], int]:
    """Return the number of rows with a file, the changed or missing files, and the number of bytes read.

    A file that several rows refer to is read once.
    """
    states, faulty, count, read = dict[Digest, str](), list[tuple[KeptFileEntry, str]](), 0, 0
    for file in kept_files():
        count += 1
        if file.digest not in states:
            states[file.digest], size = _read_state(file.digest, file.digest, store)
            read += size
        if states[file.digest] != State.HELD:
            faulty.append((file, states[file.digest]))
            log.error("the kept file %s (%s) is %s", file.digest, file.model, states[file.digest])
    return count, faulty, read


def remove_expired(keep_years: int, ports: EvidencePorts) -> int:
    """Remove the bundles that expired under the retention policy, log their removal, and return their number."""
    now = ports.clock.now()
    reason = f"kept for at least {keep_years} years (ZHUIWEN_EVIDENCE_KEEP_YEARS={keep_years}); the case is not open"
    gone = bundle_rows.expired_bundles(keep_years, now)
    for row in gone:
        ports.store.remove(Digest(row.digest), reason, now)
        bundle_rows.note_removal(row, reason, now)
        log.warning("the evidence bundle %s was removed: %s", row.digest, reason)
    return len(gone)


def _store_bundle(match: CaseMatch, ports: EvidencePorts, drawings: Mapping[int, Drawing]) -> None:
    """Bundle a match and record the bundle. With drawings, it is the second bundle of the match.

    The bytes are stored before the row, so that every row has its file.
    """
    version = matched_version(match, ports.pages)
    absent = {} if drawings else dict.fromkeys(("screenshot", "pdf"), Message("bundle.not-drawn-yet"))
    text = version.reading.text_by_digest(match.page_text_digest) or version.reading.text
    capture = page_capture(version, ports.pages, drawings, absent, text)
    found = match_finding(match, text, ports.works)
    bundle = bundles.make(capture, found, made_at=ports.clock.now())
    ports.store.put(bundle.digest, bundle.content)
    drawn = capture.parts if drawings else ()
    bundle_rows.note_bundle(match, bundle, ports.clock.now(), drawn)


def _draw_version(record: EvidenceBundle, ports: EvidencePorts, chromium: str) -> bool:
    """Render the page version of a record, and store a bundle for its match. Return False if there is no browser."""
    match, outcome = record.match, Outcome.FAILED
    try:
        drawn = draw_pages(matched_version(match, ports.pages), ports.pages, chromium)
        if drawn is NoRendering.NO_BROWSER:
            return False
        if not isinstance(drawn, NoRendering):
            _store_bundle(match, ports, drawn)
            outcome = Outcome.DRAWN
    except (BadInput, BrokenInvariant) as error:
        log.error("version %s was not drawn: %s", record.version_id, error)
    bundle_rows.note_drawing(record, outcome)
    return True


def _request_stamp(tree: DayTree, authority: Authority, clock: Clock) -> bool:
    root = Digest(tree.root)
    try:
        answer = authority.stamp(root)
        bundle_rows.note_stamp(tree, answer, verify_stamp(answer, root, authority.name), clock.now())
    except (RetryLater, DoesNotHold, ZhuiwenError) as error:
        bundle_rows.note_refusal(tree, authority.name, convert_to_message(error), clock.now())
        log.warning("the tree of %s has no stamp of %s: %s", tree.day, authority.name, error)
        return False
    return True


def _read_state(name: Digest, sha256: str, store: EvidenceStore) -> tuple[str, int]:
    """Compare a stored bundle or file with the digest in its row. Return its state and the number of bytes read."""
    try:
        content = store.get(name)
    except BrokenInvariant:
        return State.CHANGED, 0
    if content is None:
        return State.MISSING, 0
    held = digest(content) == sha256
    return State.HELD if held else State.CHANGED, len(content)
