"""A local authority, a case of two pages of one day, and its export, each made once for all tests here."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from bundles import bundle, merkle
from bundles.authority import Authority
from bundles.records import Bundle, CaseMaterial, DayProof, ProvenBundle, TimeStamp
from core.ids import Digest
from tests.support.evidence_samples import MADE, SALT, bare_capture, capture, finding
from tests.support.time_stamp_authority import TO_LOOPBACK, LocalAuthority, serving_stamps
from webadmin.evidence.services import export


@dataclass(frozen=True)
class World:
    """Two pages with all that was made of them, and three others of the same day that are nobody's business."""

    authority: LocalAuthority
    bundles: tuple[Bundle, ...]
    others: tuple[Bundle, ...]
    digests: tuple[Digest, ...]
    stamp: TimeStamp
    material: CaseMaterial

    def proof(self, of: Bundle) -> DayProof:
        return merkle.make_day_proof(of.digest, of.day, self.digests, [self.stamp])


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory, processes: None) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def world(authority: LocalAuthority) -> World:
    bundles = (
        bundle.make(capture(), finding(), made_at=MADE, salt=SALT),
        bundle.make(bare_capture(), finding(), made_at=MADE, salt="1e" * 16),
    )
    others = tuple(
        bundle.make(bare_capture(f"http://other{n}.example/"), finding(), made_at=MADE, salt=f"{n:032x}")
        for n in range(3)
    )
    digests = tuple(each.digest for each in (*bundles, *others))
    with serving_stamps(authority) as url:
        stamp = Authority(url, authority.ca_pem, TO_LOOPBACK).stamp(merkle.day_root(digests))
    proven = [
        ProvenBundle(each.content, merkle.make_day_proof(each.digest, each.day, digests, [stamp])) for each in bundles
    ]
    history = [{"at": "2026-11-20T08:15:30Z", "event": "first_seen"}]
    material = CaseMaterial(7, {"work": "桂花开得晚", "site": "daoban.example"}, proven, history)
    return World(authority, bundles, others, digests, stamp, material)


@pytest.fixture(scope="session")
def exported(world: World, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An export, sealed."""
    path = tmp_path_factory.mktemp("export") / "case-7.zip"
    with serving_stamps(world.authority) as url:
        seal = Authority(url, world.authority.ca_pem, TO_LOOPBACK)
        export.write_case_export(path, world.material, "0.1.0", created=MADE + timedelta(days=1), seals=[seal])
    return path.read_bytes()


@pytest.fixture
def export_file(exported: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "case-7.zip"
    path.write_bytes(exported)
    return path
