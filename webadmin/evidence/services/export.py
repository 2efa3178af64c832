"""Writes the export of a case: one self-contained file with bundles, proofs, timestamps, facts and an explanation.

It verifies each export before it moves the file into place, so that a file that `bundles.verify` rejects never appears.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bundles import container, layout, statements
from bundles.opened import OpenedBundle, open_bundle
from bundles.ports import Stamper
from bundles.records import CaseMaterial, DayProof
from bundles.verification import VerificationReport, check_file, check_proof
from core.errors import BadInput, UnreadableFile
from core.ids import digest
from webadmin.evidence.services.explanation import explanation


def write_case_export(
    path: Path,
    material: CaseMaterial,
    code_version: str,
    *,
    created: datetime | None = None,
    seals: Sequence[Stamper] = (),
) -> VerificationReport:
    """Write the export of a case to `path` atomically, and return the verification report.

    created: the time in the export, by default now. seals: authorities that timestamp the whole export. Raises BadInput
    for a case without evidence, DoesNotHold for a changed bundle or timestamp, UnreadableFile if `path` cannot be
    written.
    """
    return write_verified(path, export_files(material, code_version, created=created, seals=seals))


def write_verified(path: Path, files: Mapping[str, bytes]) -> VerificationReport:
    """Verify the files of an export, write them to `path` atomically, and return the verification report.

    Raises DoesNotHold if the verification fails, and UnreadableFile if `path` cannot be written.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("wb") as out:
            container.write_container(out, files)
        report = check_file(partial)
        partial.replace(path)
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-written", error=error.strerror or error) from error
    finally:
        partial.unlink(missing_ok=True)
    return report


def export_files(
    material: CaseMaterial, code_version: str, *, created: datetime | None = None, seals: Sequence[Stamper] = ()
) -> dict[str, bytes]:
    """Return the files of an export by name. The parameters and errors are those of `write_case_export`."""
    if not material.bundles:
        raise BadInput("evidence.nothing-to-export", case=material.case)
    at = created or datetime.now(UTC)
    files: dict[str, bytes] = {}
    taken: list[tuple[OpenedBundle, DayProof | None]] = []
    for each in material.bundles:
        bundle = open_bundle(each.content, "bundle")
        if each.proof is not None:
            check_proof(bundle, each.proof, layout.proof_file(bundle.digest))
        files |= bundle_files(each.content, bundle, each.proof)
        taken.append((bundle, each.proof))
    files[layout.CASE] = statements.case(material, [bundle for bundle, _ in taken])
    files |= {layout.paper_file(each.digest, each.ending): each.content for each in material.papers}
    files |= explanation(material, taken, at, code_version, is_sealed=bool(seals))
    return add_manifest(files, {"case": material.case}, at, code_version, seals)


def add_manifest(
    files: Mapping[str, bytes],
    about: Mapping[str, int],
    created: datetime,
    code_version: str,
    seals: Sequence[Stamper],
) -> dict[str, bytes]:
    """Return the files of an export together with the manifest, its seals and the checksums.

    about: the subject of the export in the manifest, such as {"case": 7}. seals: authorities that timestamp the
    manifest.
    """
    made = dict(files)
    made[layout.MANIFEST] = statements.manifest(statements.list_files(made), about, created, code_version)
    sealed = digest(made[layout.MANIFEST])
    for number, authority in enumerate(seals, 1):
        made |= statements.stamp_files(layout.seal_folder(number), authority.stamp(sealed))
    made[layout.SUMS] = statements.sums(statements.list_files(made))
    return made


def bundle_files(content: bytes, bundle: OpenedBundle, proof: DayProof | None) -> dict[str, bytes]:
    """Return the files for one bundle: the bundle, its renderings, its audit path and timestamps."""
    files = {layout.bundle_file(bundle.digest): content}
    shown = {name: each for name, each in bundle.renderings.items() if name.partition("-")[0] in layout.SHOWN}
    files |= {layout.shown_file(bundle.digest, name): each for name, each in shown.items()}
    if proof is not None:
        files[layout.proof_file(bundle.digest)] = statements.proof(bundle.digest, proof)
        for number, stamp in enumerate(proof.stamps, 1):
            files |= statements.stamp_files(layout.stamp_folder(proof.root, number), stamp)
    return files
