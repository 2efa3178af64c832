"""Proofs by third parties are kept as they came, say what they cover and how surely, and are withdrawn, not removed."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from bundles.authority import make_query
from core.errors import BadInput, BrokenInvariant
from core.ids import Digest
from tests.support import admin_data
from tests.support.books import pdf_of, pdf_of_pictures
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.time_stamp_authority import LocalAuthority
from webadmin.accounts.models import Membership
from webadmin.cases.models import Matter
from webadmin.evidence.models import ThirdPartyProof, ThirdPartyTask
from webadmin.evidence.services import third_party
from webadmin.evidence.services.subject import Subject
from webadmin.evidence.services.third_party import ProofDetails, add_proof, describe_checks, withdraw_proof
from webadmin.evidence.services.third_party_tasks import (
    complete_task,
    give_up,
    open_tasks,
    propose_captures,
    request_capture,
)

pytestmark = pytest.mark.django_db
NOW = admin_data.NOW
DEED = ProofDetails("notarial", "某某市公证处", "（2026）沪证字第 1 号", date(2026, 3, 9))
PDF = b"%PDF-1.7\n"


class Office:
    """A confirmed case with a bundle, and who works on it."""

    def __init__(self) -> None:
        self.holder = admin_data.holder()
        self.manager = admin_data.user("manager", self.holder, Membership.Role.MANAGER)
        self.reviewer = admin_data.user("reviewer", self.holder)
        self.site, self.work = admin_data.site(self.holder), admin_data.work(self.holder)
        opened = admin_data.case(admin_data.page(self.site, 1), self.work)
        self.case = admin_data.decided(opened, self.reviewer)
        self.bundle = admin_data.evidence_bundle(self.case)

    @property
    def of_case(self) -> Subject:
        return Subject(case=self.case)

    @property
    def of_matter(self) -> Subject:
        return Subject(matter=self.case.matter)

    def add(
        self, content: bytes, name: str = "公证书.pdf", paper: ProofDetails = DEED, of: Subject | None = None
    ) -> ThirdPartyProof:
        return add_proof(of or self.of_case, paper, (name, content), by=self.manager, now=NOW)


@pytest.fixture
def office(evidence_store: object) -> Office:
    return Office()


def text(content: str) -> bytes:
    return content.encode()


def codes(proof: ThirdPartyProof) -> list[str]:
    return [each.code for each in describe_checks(proof)]


def test_a_file_is_kept_as_it_came_under_its_digest(office: Office, evidence_store: MemoryEvidenceStore) -> None:
    proof = office.add(text("没有哈希值"), "C:\\材料\\存证.txt")
    assert evidence_store.get(Digest(proof.digest)) == text("没有哈希值")
    assert (proof.name, proof.ending, proof.size_bytes) == ("存证.txt", "txt", 15)
    assert codes(proof) == ["proof.says-nothing"]
    for number, (sent, kept) in enumerate(
        (("答复.eml", "答复.eml"), ("扫描件", "扫描件.txt"), ("a.html", "a.html.txt"))
    ):
        assert office.add(text(f"From: {number}@site.example"), sent).name == kept


@pytest.mark.usefixtures("processes")
def test_a_form_that_is_sent_twice_is_kept_once(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second comes while the first is still being read."""
    reading = third_party._read_content

    def meanwhile(*given: Any) -> Any:
        monkeypatch.setattr(third_party, "_read_content", reading)
        office.add(PDF)
        return reading(*given)

    monkeypatch.setattr(third_party, "_read_content", meanwhile)
    with pytest.raises(BadInput, match="already been added"):
        office.add(PDF)
    until = timezone.localdate(NOW) + timedelta(days=9)
    for _ in range(2):
        request_capture(office.of_case, "某公证处", until, by=office.reviewer, now=NOW)
    assert (ThirdPartyProof.objects.count(), open_tasks(office.of_case).count()) == (1, 1)


def test_a_text_that_has_the_digest_names_the_bundle_and_says_that_this_is_weak(office: Office) -> None:
    for content in (office.bundle.digest, office.bundle.sha256.upper()):
        proof = office.add(text(f"存证哈希 {content}"), "存证.json")
        assert [(each.bundle_id, each.how) for each in proof.covered.all()] == [(office.bundle.pk, "named")]
        [said] = describe_checks(proof)
        assert "未经核实" in said.in_language("zh")
        assert "not checked" in said.in_language("en")


@pytest.mark.usefixtures("processes")
def test_a_time_stamp_on_the_digest_covers_the_bundle(office: Office, tmp_path: Path) -> None:
    authority = LocalAuthority(tmp_path)
    response = authority.answer(make_query(Digest(office.bundle.sha256), 1, ""))
    proof = office.add(response, "证书.tsr", ProofDetails("time-stamp", "某时间戳服务中心", "TSA-1", date(2026, 3, 9)))
    [covered] = proof.covered.all()
    assert (covered.bundle_id, covered.how, covered.what) == (office.bundle.pk, "stamped", "file")
    assert codes(proof) == ["proof.stamped", "proof.signed-by"]
    assert "CN=Local Time Stamps" in describe_checks(proof)[1].in_language("zh")
    other = office.add(authority.answer(make_query(Digest("ab" * 32), 2, "")), "证书.tsr")
    assert not other.covered.exists()
    assert codes(other)[0] == "proof.of-no-bundle"
    forged = authority.answer(make_query(Digest("cd" * 32), 3, "")).replace(
        b"\xcd" * 32, bytes.fromhex(office.bundle.digest)
    )
    assert [each.how for each in office.add(forged, "证书.tsr").covered.all()] == ["unsigned"]


def test_a_stamp_on_the_root_of_the_day_covers_the_bundles_of_that_day(office: Office) -> None:
    from webadmin.evidence.services.bundles import close_days

    [tree] = close_days(office.bundle.day + timedelta(days=1), NOW)
    whole = office.add(text(tree.root), "存证.txt", of=office.of_matter)
    [covered] = whole.covered.all()
    own, other = office.add(text("甲")), admin_data.case(admin_data.page(office.site, 2), office.work)
    assert set(office.of_case.proofs()) == set(office.of_matter.proofs()) == {own, whole}
    assert set(Subject(case=other).proofs()) == {whole}
    assert (covered.bundle_id, covered.what) == (office.bundle.pk, "root")


@pytest.mark.usefixtures("processes")
def test_a_pdf_is_looked_through_and_a_damaged_one_says_why_not(office: Office) -> None:
    written = pdf_of("存证证书", {"哈希值": [office.bundle.digest]})
    assert [each.how for each in office.add(written).covered.all()] == ["named"]
    assert codes(office.add(pdf_of_pictures())) == ["proof.says-nothing"]
    assert codes(office.add(PDF + b"\x00\xff")) == ["proof.unread"]


def test_who_may_enter_and_what(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="manager"):
        add_proof(office.of_case, DEED, ("a.pdf", PDF), by=office.reviewer, now=NOW)
    chain = ProofDetails("chain", "某平台", "0x1", date(2026, 3, 9))
    for paper, said in (
        (ProofDetails("other", "某处", "1", date(2026, 3, 9)), "choose"),
        (ProofDetails("notarial", " ", "1", date(2026, 3, 9)), "enter the issuer"),
        (chain, "platform"),
        (ProofDetails("notarial", "某处", "1", date(2026, 3, 12)), "future"),
        (ProofDetails("notarial", "处" * 201, "1", date(2026, 3, 9)), "200"),
    ):
        with pytest.raises(BadInput, match=said):
            office.add(PDF, paper=paper)
    for content, said in ((b"", "empty"), (b"MZ\x00", "not a PDF"), (PDF + b" " * third_party.MAX_BYTES, "20 MB")):
        with pytest.raises(BadInput, match=said):
            office.add(content)
    office.add(text("甲"), "a.txt")
    with pytest.raises(BadInput, match="already been added"):
        office.add(text("甲"), "b.txt")
    monkeypatch.setattr(third_party, "MAX_PROOFS", 1)
    with pytest.raises(BadInput, match="1 files"):
        office.add(text("乙"), "b.txt")


def test_a_proof_is_withdrawn_with_a_reason_never_changed_and_its_task_is_open_again(office: Office) -> None:
    proof = office.add(text("甲"), "a.txt")
    task = request_capture(office.of_case, "公证处", date(2026, 3, 20), by=office.reviewer, now=NOW)
    complete_task(task, proof, office.reviewer, NOW)
    with pytest.raises(BadInput, match="sentence"):
        withdraw_proof(proof, " ", office.manager, NOW)
    with pytest.raises(BadInput, match="manager"):
        withdraw_proof(proof, "误传", office.reviewer, NOW)
    withdraw_proof(proof, "误传", office.manager, NOW)
    task.refresh_from_db()
    assert (task.done_by, task.ended_at) == (None, None)
    assert due(office) == date(2026, 3, 20)
    with pytest.raises(BadInput, match="already"):
        withdraw_proof(proof, "误传", office.manager, NOW)
    again = office.add(text("甲"), "a.txt")
    assert again.withdrawn_at is None  # once more, as another row
    again.number = "2"
    for act in (again.save, again.delete):
        with pytest.raises(BrokenInvariant):
            act()


def due(office: Office) -> date | None:
    return Matter.objects.get(pk=office.case.matter_id).proof_due


def test_the_matter_knows_the_earliest_day_of_its_open_tasks(office: Office) -> None:
    late = request_capture(office.of_matter, "公证处", date(2026, 4, 1), by=office.reviewer, now=NOW)
    soon = request_capture(office.of_case, "存证平台", date(2026, 3, 20), by=office.reviewer, now=NOW)
    assert due(office) == date(2026, 3, 20)
    give_up(soon, "网页已删除", office.reviewer, NOW)
    assert due(office) == date(2026, 4, 1)
    complete_task(late, office.add(text("甲"), "a.txt", of=office.of_case), office.reviewer, NOW)
    assert due(office) is None
    assert not open_tasks(office.of_matter).exists()
    with pytest.raises(BadInput, match="already ended"):
        give_up(late, "晚了", office.reviewer, NOW)


def test_a_task_has_somebody_and_a_day_within_a_year(office: Office) -> None:
    for asked, until, said in (
        ("", date(2026, 3, 20), "the institution"),
        ("公证处", date(2026, 3, 9), "2026-03-10"),
        ("公证处", date(2028, 3, 9), "366"),
    ):
        with pytest.raises(BadInput, match=said):
            request_capture(office.of_case, asked, until, by=office.reviewer, now=NOW)
    stranger = admin_data.user("stranger", admin_data.holder("别家"))
    with pytest.raises(BadInput, match="no role"):
        request_capture(office.of_case, "公证处", date(2026, 3, 20), by=stranger, now=NOW)


def test_a_task_is_done_by_a_proof_of_its_own_case_or_matter(office: Office) -> None:
    other = admin_data.case(admin_data.page(office.site, 2), office.work)
    task = request_capture(office.of_case, "公证处", date(2026, 3, 20), by=office.reviewer, now=NOW)
    for of in (Subject(case=other),):
        with pytest.raises(BadInput, match="this case"):
            complete_task(task, office.add(text("甲"), "a.txt", of=of), office.reviewer, NOW)
    complete_task(task, office.add(text("乙"), "b.txt", of=office.of_matter), office.reviewer, NOW)
    assert ThirdPartyTask.objects.get(pk=task.pk).done_by is not None


def test_a_capture_by_others_is_proposed_for_confirmed_cases_that_have_none(office: Office) -> None:
    later = admin_data.page(office.site, 2, seen=NOW + timedelta(days=3))
    second = admin_data.decided(admin_data.case(later, office.work), office.reviewer)
    admin_data.case(admin_data.page(office.site, 3), office.work)  # nobody decided on it
    matter = Matter.objects.get(pk=office.case.matter_id)

    def proposed() -> list[tuple[int, bool]]:
        return [(each.case.pk, each.task is not None) for each in propose_captures(matter)]

    assert proposed() == [(office.case.pk, False), (second.pk, False)]
    request_capture(office.of_case, "公证处", date(2026, 3, 20), by=office.reviewer, now=NOW)
    assert proposed() == [(office.case.pk, True), (second.pk, False)]
    proof = office.add(
        text("甲"), "a.txt", ProofDetails("notarial", "公证处", "1", date(2026, 3, 11)), office.of_matter
    )
    assert proposed() == [(second.pk, False)]  # it was opened after the deed was made
    withdraw_proof(proof, "误传", office.manager, NOW)
    office.add(text("乙"), "b.txt", of=Subject(case=second))
    assert proposed() == [(office.case.pk, True)]
