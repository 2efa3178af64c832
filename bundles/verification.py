"""Verifies an export offline; the command is `bundles.verify`.

Order: the container's bytes, the list of files, the consistency of each bundle, its audit path to the root of its day,
the timestamps on that root, the copies outside the bundles, and the seal.
"""

import mmap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bundles import container, layout, statements
from bundles.bundle import COMPARISON, FINDING
from bundles.canonical import parse_canonical, sha256
from bundles.container import required_file
from bundles.faults import DoesNotHold, Fault
from bundles.merkle import compute_root
from bundles.opened import OpenedBundle, open_bundle
from bundles.records import DayProof
from bundles.shapes import moment
from bundles.stamps import StampFacts, verify_stamp
from bundles.statements import BundlePlace
from core.errors import UnreadableFile
from core.ids import Digest
from core.wording import Message

# Clocks set over the network agree within a second; a larger difference makes all times doubtful.
MAX_CLOCK_DIFFERENCE = timedelta(minutes=10)
MAX_BUNDLES = 1_000

Files = Mapping[str, memoryview]
_EXPLAINED = frozenset({layout.EXPLANATION, layout.PRINTED})


@dataclass(frozen=True, slots=True)
class CheckedBundle:
    """A valid bundle. stamps: the timestamps on its day; empty if nothing proves its date."""

    digest: Digest
    url: str
    title: str
    fetched_at: datetime
    stamps: tuple[StampFacts, ...]


@dataclass(slots=True)
class _CheckedFiles:
    """The files checked so far. papers: the statements on enclosed documents, each after the file that contains it.

    documents: files that the program wrote about a matter; bundles: files that contain bundles.
    """

    names: set[str]
    papers: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    bundles: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Case:
    """The file with the statements on a case or suspected rewrite, and the number that it must state.

    copies: the kinds of renderings that the export copies from its bundles.
    """

    name: str
    number: int
    copies: Sequence[str]
    is_lead: bool = False


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The facts of a valid export. Either case, matter or lead is a number; the others are None."""

    case: int | None
    matter: int | None
    lead: int | None
    created: str
    bundles: tuple[CheckedBundle, ...]
    seals: tuple[StampFacts, ...]
    papers: int  # enclosed files, of which only the digest was checked
    files: int
    bytes: int

    @property
    def is_stamped(self) -> bool:
        """True if every bundle has a timestamp; a bundle without one could have been made at any time.

        The bundle of a suspected rewrite is made for the export; for it, a timestamp on the whole export counts.
        """
        return bool(self.seals) if self.lead is not None else all(bundle.stamps for bundle in self.bundles)


def check_file(path: Path, trusted_pem: bytes = b"") -> VerificationReport:
    """Verify the export in a file.

    trusted_pem: root certificates that the verifier obtained from the authorities; if empty, those in the export are
    trusted. Raises DoesNotHold, naming the first invalid part, and UnreadableFile if the file cannot be read.
    """
    try:
        if not path.is_file():
            raise UnreadableFile(path, "file.none")
        size = path.stat().st_size
        if size > container.MAX_BYTES:
            raise DoesNotHold(Fault.TOO_LARGE, path.name, limit=Message("flaw.bytes", bytes=container.MAX_BYTES))
        if size == 0:
            raise DoesNotHold(Fault.NOT_A_CONTAINER, path.name, why=Message("flaw.empty"))
        with path.open("rb") as file:
            # Not closed here, because an exception may refer to views of it; it is closed with the last view.
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    return check(container.read(data, path.name), trusted_pem)


def check(files: Files, trusted_pem: bytes = b"") -> VerificationReport:
    """Verify the files of an export by name. Raises DoesNotHold, naming the first invalid part."""
    hashed = statements.list_files(files)
    files, is_for_people = _case_export_names(files)
    manifest = parse_canonical(required_file(files, layout.MANIFEST), layout.MANIFEST)
    _check_kind(manifest, is_for_people=is_for_people)
    listed = {layout.case_export_name(name): each for name, each in hashed.items()}
    _check_listed(listed, manifest)
    if required_file(files, layout.SUMS) != statements.sums(hashed):
        raise DoesNotHold(Fault.DIGEST, layout.SUMS)
    explained = {layout.MATTER_EXPLANATION, layout.MATTER_PRINTED} if is_for_people else _EXPLAINED
    looked_at = _CheckedFiles({layout.MANIFEST, layout.SUMS, *explained})
    cases = _case_statements(files, manifest, looked_at)
    checked = tuple(each for case in cases for each in _checked_case(files, case, looked_at, trusted_pem))
    _check_apart(hashed, looked_at, is_for_people=is_for_people)
    papers = _check_papers(listed, looked_at)
    _check_expected(files, looked_at)
    seals = _verify_seals(files, trusted_pem)
    total = sum(map(len, files.values()))
    numbers = manifest.get("case"), manifest.get("matter"), manifest.get("lead")
    return VerificationReport(*numbers, str(manifest["created"]), checked, seals, papers, len(files), total)


def check_proof(bundle: OpenedBundle, proof: DayProof, part: str, trusted_pem: bytes = b"") -> tuple[StampFacts, ...]:
    """Check the audit path of a bundle, verify the timestamps on its root, and return their facts.

    Raises DoesNotHold if the path, the day or a timestamp is invalid, or if a timestamp is older than the bundle.
    """
    if compute_root(bundle.digest, proof.leaf_index, proof.tree_size, proof.path) != proof.root:
        raise DoesNotHold(Fault.AUDIT_PATH, part)
    if proof.day != bundle.fetched_at.date():
        raise DoesNotHold(Fault.CONTRADICTS, part, why=Message("flaw.day"))
    latest = max(bundle.fetched_at, bundle.made_at)
    facts = []
    for number, stamp in enumerate(proof.stamps, 1):
        place = f"{layout.stamp_folder(proof.root, number)}/{layout.RESPONSE}"
        said = verify_stamp(stamp, proof.root, place, trusted_pem)
        if said.at + MAX_CLOCK_DIFFERENCE < latest:
            raise DoesNotHold(Fault.STAMP_TIME, place, stamped=moment(said.at), said=moment(latest))
        facts.append(said)
    return tuple(facts)


def _check_kind(manifest: Mapping[str, Any], *, is_for_people: bool) -> None:
    is_known = manifest.get("format") == layout.FORMAT and is_for_people == ("matter" in manifest)
    numbers = [manifest[name] for name in ("case", "matter", "lead") if name in manifest]
    is_one = len(numbers) == 1 and type(numbers[0]) is int
    if not (is_known and is_one and isinstance(manifest.get("created"), str)):
        raise DoesNotHold(Fault.UNREADABLE, layout.MANIFEST, why=Message("flaw.another-format"))
    if manifest.get("version") != layout.VERSION:
        why = Message("flaw.later-version")
        raise DoesNotHold(Fault.UNREADABLE, layout.MANIFEST, why=why)


def _case_export_names(files: Files) -> tuple[Files, bool]:
    """Return the files by their names in the export of a case, and whether this is the export of a matter.

    Raises DoesNotHold if two files would have the same name.
    """
    if layout.checks_path(layout.MANIFEST) not in files:
        return files, False
    named = {layout.case_export_name(name): content for name, content in files.items()}
    if len(named) < len(files):
        twice = next(name for name in files if layout.checks_path(name) in files)
        raise DoesNotHold(Fault.UNLISTED, twice)
    return named, True


def _check_listed(files: Mapping[str, statements.ListedFile], manifest: Mapping[str, Any]) -> None:
    try:
        named = {
            layout.case_export_name(str(item["path"])): (str(item["sha256"]), int(item["bytes"]))
            for item in manifest["files"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, layout.MANIFEST, why=Message("flaw.list-files")) from error
    for name, (hashed, size) in named.items():
        if name not in files:
            raise DoesNotHold(Fault.MISSING, name)
        if files[name].size != size or files[name].sha256 != hashed:
            raise DoesNotHold(Fault.DIGEST, name)
    for name in files:
        if name not in named and name not in (layout.MANIFEST, layout.SUMS) and not name.startswith(f"{layout.SEAL}/"):
            raise DoesNotHold(Fault.UNLISTED, name)


def _case_statements(files: Files, manifest: Mapping[str, Any], looked_at: _CheckedFiles) -> list[_Case]:
    """Return the case or lead of an export, or all cases that its matter names."""
    if "case" in manifest:
        return [_Case(layout.CASE, manifest["case"], list(layout.SHOWN))]
    if "lead" in manifest:
        return [_Case(layout.LEAD, manifest["lead"], list(layout.SHOWN), is_lead=True)]
    said = parse_canonical(required_file(files, layout.MATTER), layout.MATTER)
    try:
        numbers, documents = [int(each) for each in said["cases"]], [str(each) for each in said["documents"]]
        looked_at.papers += [(layout.MATTER, dict(each)) for each in said["papers"]]
    except (KeyError, TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, layout.MATTER, why=Message("flaw.fields")) from error
    if said.get("matter") != manifest["matter"]:
        raise DoesNotHold(Fault.CONTRADICTS, layout.MATTER, why=Message("flaw.case-number"))
    if not numbers or len(set(numbers)) < len(numbers):
        raise DoesNotHold(Fault.UNREADABLE, layout.MATTER, why=Message("flaw.fields"))
    for name in documents:
        required_file(files, name)
    looked_at.documents = documents
    looked_at.names |= {layout.MATTER, *documents}
    return [_Case(layout.case_file(number), number, layout.PICTURES) for number in numbers]


def _checked_case(files: Files, case: _Case, looked_at: _CheckedFiles, trusted_pem: bytes) -> Iterator[CheckedBundle]:
    """Yield the bundles of a case or suspected rewrite after checking each against its copies and statements."""
    said = parse_canonical(required_file(files, case.name), case.name)
    looked_at.names.add(case.name)
    if said.get("lead" if case.is_lead else "case") != case.number:
        why = Message("flaw.lead-number" if case.is_lead else "flaw.case-number")
        raise DoesNotHold(Fault.CONTRADICTS, case.name, why=why)
    for item in _bundle_statements(said, case.name):
        placed = _bundle_place(item, case.name)
        file = placed.file if placed else layout.bundle_file(Digest(str(item["digest"])))
        bundle = _open_named(files, file, str(item["digest"]), COMPARISON if case.is_lead else FINDING)
        checked = _check_bundle(files, bundle, trusted_pem)
        looked_at.names |= {file, layout.proof_file(bundle.digest), *_check_repeated(files, case, item, bundle, placed)}
        looked_at.names |= _stamp_files(files, bundle)
        looked_at.bundles.add(file)
        yield checked
    try:
        looked_at.papers += [(case.name, dict(each)) for each in said.get("papers", ())]
    except (TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, case.name, why=Message("flaw.fields")) from error


def _bundle_statements(case: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    """Return the entries of bundles in the file of a case. Raises DoesNotHold if there are none or too many."""
    try:
        items: list[Mapping[str, Any]] = [dict(item) for item in case["bundles"]]
        named = [item["digest"] for item in items]
    except (KeyError, TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.list-bundles")) from error
    if not named or len(named) > MAX_BUNDLES:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.number-of-bundles"))
    return items


def _bundle_place(said: Mapping[str, Any], part: str) -> BundlePlace | None:
    """Return the paths of a bundle and its copies, or None if they follow from its digest."""
    if "shown" not in said:
        return None
    try:
        return BundlePlace(str(said["file"]), {str(name): str(file) for name, file in dict(said["shown"]).items()})
    except (KeyError, TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.list-bundles")) from error


def _open_named(files: Files, name: str, named: str, said_in: str) -> OpenedBundle:
    if name not in files:
        raise DoesNotHold(Fault.MISSING, name)
    bundle = open_bundle(files[name], name, said_in)
    if bundle.digest != named:
        raise DoesNotHold(Fault.DIGEST, name)
    return bundle


def _check_bundle(files: Files, bundle: OpenedBundle, trusted_pem: bytes) -> CheckedBundle:
    name = layout.proof_file(bundle.digest)
    stamps: tuple[StampFacts, ...] = ()
    if name in files:
        said = parse_canonical(bytes(files[name]), name)
        proof = statements.read_proof(said, files, name)
        stamps = check_proof(bundle, proof, name, trusted_pem)
        if statements.proof(bundle.digest, proof) != files[name]:
            raise DoesNotHold(Fault.CONTRADICTS, name, why=Message("flaw.another-bundle"))
    return CheckedBundle(bundle.digest, str(bundle.page["url"]), str(bundle.page["title"]), bundle.fetched_at, stamps)


def _check_repeated(
    files: Files, case: _Case, said: Mapping[str, Any], bundle: OpenedBundle, placed: BundlePlace | None
) -> set[str]:
    """Check that the entry and the copies of a bundle agree with its content, and return the paths of the copies."""
    if said != (statements.lead_bundle_entry(bundle) if case.is_lead else statements.bundle_entry(bundle, placed)):
        raise DoesNotHold(Fault.CONTRADICTS, case.name, why=Message("flaw.statement"))
    copied = _copied_renderings(bundle, case.copies)
    shown = placed.shown if placed else {each: layout.shown_file(bundle.digest, each) for each in copied}
    if set(shown) != set(copied):
        raise DoesNotHold(Fault.CONTRADICTS, case.name, why=Message("flaw.statement"))
    for rendering, name in shown.items():
        if required_file(files, name) != bundle.renderings[rendering]:
            raise DoesNotHold(Fault.CONTRADICTS, name, why=Message("flaw.bundle-differs"))
    return set(shown.values())


def _copied_renderings(bundle: OpenedBundle, kinds: Sequence[str]) -> list[str]:
    """Return the names of a bundle's renderings that are of these kinds."""
    return [name for name in bundle.renderings if name.partition("-")[0] in kinds]


def _check_papers(listed: Mapping[str, statements.ListedFile], looked_at: _CheckedFiles) -> int:
    """Check the digest of each enclosed document, and return the number of documents."""
    for part, said in looked_at.papers:
        name = str(said.get("file"))
        if name not in listed:
            raise DoesNotHold(Fault.MISSING, name)
        if listed[name].sha256 != said.get("sha256"):
            raise DoesNotHold(Fault.CONTRADICTS, part, why=Message("flaw.paper", name=name))
    names = {str(said["file"]) for _, said in looked_at.papers}
    looked_at.names |= names
    return len(names)


def _check_apart(files: Collection[str], looked_at: _CheckedFiles, *, is_for_people: bool) -> None:
    """Check that no document is in a folder of bundles or proofs, where readers would mistake it for evidence."""
    folders = {name.rpartition("/")[0] for name in looked_at.bundles}

    def is_apart(name: str) -> bool:
        if not is_for_people:
            return name.startswith(f"{layout.PAPERS}/")
        return name in files and name.rpartition("/")[0] not in folders

    for name in looked_at.documents:
        if not is_apart(name):
            raise DoesNotHold(Fault.UNLISTED, name)
    for part, said in looked_at.papers:
        if not is_apart(str(said.get("file"))):
            raise DoesNotHold(Fault.CONTRADICTS, part, why=Message("flaw.paper", name=str(said.get("file"))))


def _check_expected(files: Files, looked_at: _CheckedFiles) -> None:
    """Check that every file was checked, because readers would believe any other file to be verified."""
    for name in files:
        if name not in looked_at.names and not name.startswith(f"{layout.SEAL}/"):
            raise DoesNotHold(Fault.UNLISTED, name)


def _stamp_files(files: Files, bundle: OpenedBundle) -> set[str]:
    """Return the paths of the files of all timestamps that the proof of a bundle names."""
    name = layout.proof_file(bundle.digest)
    said = parse_canonical(bytes(files[name]), name)["stamps"] if name in files else []
    return {f"{each['folder']}/{file}" for each in said for file in (layout.QUERY, layout.RESPONSE, layout.ROOTS)}


def _verify_seals(files: Files, trusted_pem: bytes) -> tuple[StampFacts, ...]:
    sealed = sha256(files[layout.MANIFEST])
    found_in = {name.rpartition("/")[0] for name in files if name.startswith(f"{layout.SEAL}/")}
    folders = sorted(found_in, key=lambda name: (len(name), name))
    if len(folders) > statements.MAX_STAMPS:
        raise DoesNotHold(Fault.TOO_LARGE, layout.SEAL, limit=Message("flaw.stamps", stamps=statements.MAX_STAMPS))
    found = []
    for number, folder in enumerate(folders, 1):
        named = {f"{folder}/{name}" for name in (layout.QUERY, layout.RESPONSE, layout.ROOTS)}
        extra = [name for name in files if name.startswith(f"{folder}/") and name not in named]
        if folder != layout.seal_folder(number) or extra:
            raise DoesNotHold(Fault.UNLISTED, (extra or [folder])[0])
        stamp = statements.read_folder_stamp(files, folder, "")
        found.append(verify_stamp(stamp, sealed, f"{folder}/{layout.RESPONSE}", trusted_pem))
    return tuple(found)
