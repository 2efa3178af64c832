"""Third-party material, the sheet of factors and the damages in the desk: entered, shown, handed out, and to whom."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from core.errors import ServiceUnavailable
from core.wording import Message
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import forms_with_files, signed_in
from webadmin import stores
from webadmin.cases.models import Matter
from webadmin.evidence.models import ThirdPartyProof, ThirdPartyTask
from webadmin.works.models import LicenceFee

CASES = 2

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store")]
HOSTILE = "<script>alert(1)</script>\u202e=1+1"


def case_page(world: World, page: str = "proofs") -> str:
    return reverse(f"admin:cases_case_{page}", args=[world.ours.cases[1].pk])


def matter_page(world: World, page: str = "proofs") -> str:
    return reverse(f"webadmin_matter_{page}", args=[world.ours.cases[1].matter_id])


def upload(content: bytes = b"deed", name: str = "公证书.txt", **given: Any) -> dict[str, Any]:
    paper = {"kind": "notarial", "issuer": "某公证处", "number": "沪证字 1 号", "made_on": "2026-03-09"}
    return {"do": "add", **paper, "file": SimpleUploadedFile(name, content), **given}


def added(world: World, address: str = "", **given: Any) -> ThirdPartyProof:
    response = signed_in(world.ours.manager).post(address or case_page(world), upload(**given))
    assert response.status_code == 302, response.content.decode()
    return ThirdPartyProof.objects.latest("pk")


def read(world: World, address: str, person: Any = None, language: str = "zh-hans") -> str:
    client = signed_in(person or world.ours.reviewer, language)
    response = client.get(address)
    assert response.status_code == 200
    assert "default-src 'none'" in response["Content-Security-Policy"]
    return response.content.decode()


def test_a_manager_keeps_a_file_and_anybody_of_the_holder_gets_it_as_a_file(world: World) -> None:
    bundle = admin_data.evidence_bundle(world.ours.cases[1])
    forms = forms_with_files(read(world, case_page(world), world.ours.manager))
    assert ["multipart/form-data" in form for form in forms] == [True]
    proof = added(world, content=f"哈希值 {bundle.digest}".encode())
    for address in (case_page(world), matter_page(world)):
        page = read(world, address)
        assert proof.digest in page
        assert "文中写有其哈希值" in page
        assert "未经核实" in page
    response = signed_in(world.ours.reviewer).get(case_page(world), {"file": proof.pk})
    assert response.content == f"哈希值 {bundle.digest}".encode()
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_a_reviewer_enters_and_withdraws_no_paper(world: World) -> None:
    client = signed_in(world.ours.reviewer)
    assert 'type="file"' not in read(world, case_page(world))
    assert client.post(case_page(world), upload()).status_code == 400
    proof = added(world)
    assert client.post(case_page(world), {"do": "withdraw", "key": proof.pk, "reason": "误"}).status_code == 400
    assert ThirdPartyProof.objects.get(pk=proof.pk).withdrawn_at is None


def test_what_is_refused_is_said_and_what_was_written_is_kept(world: World) -> None:
    client = signed_in(world.ours.manager)
    for given, words in (
        ({"file": SimpleUploadedFile("a.exe", b"MZ\x00")}, "PDF"),
        ({"file": ""}, "请选择文件"),
        ({"made_on": "昨天"}, "2026-03-09"),
        ({"kind": ""}, "请选择种类"),
        ({"kind": "chain"}, "平台"),
    ):
        response = client.post(case_page(world), upload(issuer="留下的机构", **given) | given)
        page = response.content.decode()
        assert response.status_code == 400
        assert words in page
        assert "留下的机构" in page
    assert client.post(case_page(world), {"do": "nothing"}).status_code == 400
    assert not ThirdPartyProof.objects.exists()


def test_a_withdrawn_paper_stays_to_be_seen_with_its_reason(world: World) -> None:
    proof = added(world)
    client = signed_in(world.ours.manager)
    client.post(case_page(world), {"do": "withdraw", "key": proof.pk, "reason": "上传错误"})
    page = read(world, case_page(world))
    assert "上传错误" in page
    assert world.ours.manager.get_username() in page
    assert client.get(case_page(world), {"file": proof.pk}).status_code == 200


def test_nothing_of_another_holder_is_reached(world: World) -> None:
    proof = added(world)
    stranger = signed_in(world.theirs.manager)
    for page in ("proofs", "factors", "damages"):
        assert stranger.get(matter_page(world, page)).status_code == 404
        assert stranger.post(matter_page(world, page), upload()).status_code == 404
    own = reverse("admin:cases_case_proofs", args=[world.theirs.cases[1].pk])
    assert stranger.get(own, {"file": proof.pk}).status_code == 404
    assert stranger.post(own, {"do": "withdraw", "key": proof.pk, "reason": "x"}).status_code == 404


def test_hostile_words_act_nowhere(world: World) -> None:
    added(world, issuer=HOSTILE, number=HOSTILE, note=HOSTILE, name=f"{HOSTILE}.txt")
    client = signed_in(world.ours.reviewer)
    until = timezone.localdate() + timedelta(days=3)
    client.post(case_page(world), {"do": "ask", "asked": HOSTILE, "until": until, "note": HOSTILE})
    inbox = f"{reverse('admin:index')}?queue=papers"
    for address in (case_page(world), matter_page(world), case_page(world, "change"), inbox):
        page = read(world, address)
        assert "<script>alert" not in page
        assert "\u202e" not in page


def test_a_capture_by_others_is_asked_for_shown_in_the_inbox_and_done(world: World) -> None:
    client, today = signed_in(world.ours.reviewer), timezone.localdate()
    inbox = f"{reverse('admin:index')}?queue=papers"
    assert "第三方取证" not in read(world, inbox)
    client.post(case_page(world), {"do": "ask", "asked": "某公证处", "until": today + timedelta(days=3)})
    task = ThirdPartyTask.objects.get()
    assert f"第三方取证期限 {task.until.isoformat()}" in read(world, inbox)
    ThirdPartyTask.objects.filter(pk=task.pk).update(until=today - timedelta(days=1))
    Matter.objects.filter(pk=world.ours.cases[1].matter_id).update(proof_due=today - timedelta(days=1))
    assert "第三方取证逾期" in read(world, inbox)
    assert "已逾期" in read(world, case_page(world, "change"))
    proof = added(world)
    client.post(case_page(world), {"do": "done", "key": task.pk, "proof": proof.pk})
    assert ThirdPartyTask.objects.get().done_by == proof
    assert "第三方取证逾期" not in read(world, inbox)
    assert client.post(case_page(world), {"do": "give-up", "key": task.pk, "reason": "x"}).status_code == 400
    client.post(matter_page(world), {"do": "ask", "asked": "某平台", "until": today + timedelta(days=3)})
    client.post(matter_page(world), {"do": "give-up", "key": ThirdPartyTask.objects.latest("pk").pk, "reason": "已删"})
    assert "已删" in read(world, matter_page(world))


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh-hans", ("第十一条第（一）项", "取证方是有利害关系的当事人", "由法院判断", "欠缺或待补")),
        ("en", ("article 11 (1)", "it is a party with an interest", "The court decides", "Missing or open items")),
    ],
)
def test_the_sheet_of_case_and_matter_is_bilingual(world: World, language: str, words: tuple[str, ...]) -> None:
    admin_data.evidence_bundle(world.ours.cases[1])
    for address in (case_page(world, "factors"), matter_page(world, "factors")):
        page = read(world, address, language=language)
        assert [each for each in words if each not in page] == []
        assert world.ours.holder.name in page
        assert page.count('class="tp-factor"') == 13


def test_a_store_that_is_away_is_said_and_nothing_is_half_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = added(world)
    admin_data.evidence_bundle(world.ours.cases[1])

    class Away:
        def get(self, name: object) -> bytes:
            raise ServiceUnavailable(Message("service.evidence-folder"), "/srv", Message("service.make-writable"))

        def put(self, name: object, content: bytes) -> bool:
            self.get(name)
            return False

    monkeypatch.setattr(stores, "evidence_store", Away)
    client = signed_in(world.ours.manager)
    for address in (case_page(world, "factors"), matter_page(world, "factors")):
        response = client.get(address)
        assert response.status_code == 503
        assert 'role="alert"' in response.content.decode()
    assert client.get(case_page(world), {"file": proof.pk}).status_code == 409
    assert client.post(case_page(world), upload(content=b"another")).status_code == 503
    assert ThirdPartyProof.objects.count() == 1


def test_the_damages_are_reckoned_once_a_manager_enters_the_fee(world: World) -> None:
    address = matter_page(world, "damages")
    page = read(world, address)
    assert "权利人自行计算，仅供参考" in page
    assert "尚未录入许可费" in page
    form = {"per_thousand": "120", "source": "许可合同 HT-9"}
    assert signed_in(world.ours.reviewer).post(address, form).status_code == 400
    assert not LicenceFee.objects.exists()
    manager = signed_in(world.ours.manager)
    assert manager.post(address, {"per_thousand": "很多", "source": "合同"}).status_code == 400
    assert manager.post(address, form).status_code == 302
    page = read(world, address)
    assert "0.19 千字 × 120.00 元 = 22.80 元" in page
    assert "许可合同 HT-9" in page
