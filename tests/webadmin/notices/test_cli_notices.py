"""`zhuiwen notice`: a notice on its whole way by the command line."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import pytest

from core.errors import NotFound, UnreadableFile
from deploy.cli.app import run
from tests.support import admin_data
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.refusals import refused
from tests.support.spoken_verbs import spoken
from webadmin import stores
from webadmin.accounts.models import Membership
from webadmin.cases.models import Matter
from webadmin.notices.cli import notices
from webadmin.notices.models import HolderIdentity, Notice

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def language(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    kept = MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    with spoken(monkeypatch, notices) as speak:
        yield speak


@pytest.fixture
def matter() -> Matter:
    holder = admin_data.holder()
    manager = admin_data.user("manager", holder, Membership.Role.MANAGER)
    admin_data.user("reviewer", holder)
    HolderIdentity.objects.create(rights_holder=holder, **admin_data.IDENTITY)
    admin_data.author_alias(holder, "林栖", admin_data.IDENTITY["legal_name"])
    case = admin_data.decided(
        admin_data.case(admin_data.page(admin_data.site(holder)), admin_data.work(holder)), manager
    )
    return Matter.objects.get(pk=case.matter_id)


@pytest.mark.usefixtures("processes")
def test_a_notice_goes_its_whole_way(matter: Matter, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    notices.draft(str(matter.pk), "article_14", "reviewer")
    notice = Notice.objects.get()
    said = capsys.readouterr().out
    assert f"notice {notice.pk} was drafted with 1 pages" in said
    assert "still to be filled in: addressee name" in said
    notices.write_fields(str(notice.pk), ["收件方名称=墨香云=公司", "demands=立即删除"], "reviewer")
    assert "still to be filled in" not in capsys.readouterr().out
    assert Notice.objects.get().values["addressee_name"] == "墨香云=公司"
    notices.write_files(str(notice.pk), tmp_path / "draft")
    assert {path.suffix for path in (tmp_path / "draft").iterdir()} == {".docx", ".pdf"}
    refused("only a manager", notices.confirm, str(notice.pk), "reviewer")
    notices.confirm(str(notice.pk), "manager")
    notices.write_files(str(notice.pk), tmp_path / "kept")
    (paper,) = (tmp_path / "kept").glob("*通知.docx")
    texts = [each.text for each in docx.Document(io.BytesIO(paper.read_bytes())).paragraphs]
    assert "立即删除" in texts
    notices.show_notice(str(notice.pk))
    assert matter.cases.get().page_url in capsys.readouterr().out
    notices.withdraw(str(notice.pk), "manager", "对方已删除")
    assert "withdrawn" in capsys.readouterr().out
    notices.list_notices(is_json=True)
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["state"], len(shown["files"])) == ("withdrawn", 4)


def test_an_addressee_is_named_and_what_is_none_is_said(matter: Matter, tmp_path: Path) -> None:
    admin_data.addressee(matter.rights_holder, "墨香云", matter.site)
    notices.draft(str(matter.pk), "墨香云", "reviewer")
    assert Notice.objects.get().values["addressee_name"] == "墨香云"
    refused("the site has no addressee “nobody”", notices.draft, str(matter.pk), "nobody", "reviewer")
    refused("999", notices.draft, "999", "letter", "reviewer")
    for field in ("天气=晴", "works=x"):
        refused(f"“{field}” is not a field", notices.write_fields, "1", [field], "reviewer")
    refused("there is no notice 999", notices.show_notice, "999")
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "none" / "deeper"):
        with pytest.raises(UnreadableFile):
            notices.write_files(str(Notice.objects.get().pk), place)
    with pytest.raises(NotFound):
        notices.confirm(str(Notice.objects.get().pk), "stranger")


def test_the_verbs_are_read_in_both_languages(
    matter: Matter, capsys: pytest.CaptureFixture[str], language: Callable[[str], None]
) -> None:
    language("zh")
    notices.draft(str(matter.pk), "letter", "reviewer")
    said = capsys.readouterr().out
    assert "已起草通知" in said
    assert "还须填写：收件方名称" in said
    notices.list_notices()
    assert "停止侵权告知函" in capsys.readouterr().out
    assert run(["notice", "--help"]) == 0
    assert "就某事项已认定侵权的网页起草通知" in capsys.readouterr().out
