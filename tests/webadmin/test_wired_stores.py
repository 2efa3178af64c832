"""Whoever opens a page store or a store of evidence by the settings opens the same: desk, steps, crawls."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.ids import digest
from core.settings import Settings
from core.settings_loading import load
from tests.pagestore.contracts import fetched, reading
from tests.support.s3_server import S3Server
from webadmin import stores
from webadmin.evidence.services.making import live_evidence
from webadmin.sites.services import crawl_process
from webadmin.wiring import live_ports


@pytest.fixture
def chosen(tmp_path: Path, mongo_url: str, s3_url: str, s3_server: S3Server) -> Settings:
    return load(
        {
            "ZHUIWEN_HOME": str(tmp_path),
            "ZHUIWEN_MONGO_URL": mongo_url,
            "ZHUIWEN_RAW_URL": f"{s3_url}/raw",
            "ZHUIWEN_EVIDENCE_URL": f"{s3_url}/evidence",
            **s3_server.environ(),
        }
    )


def test_what_a_step_keeps_in_an_s3_store_the_desk_and_crawls_read(
    chosen: Settings, s3_server: S3Server, s3_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, bundle = b"<p>raw</p>", b"bundle"
    live_ports(chosen).pages.put(fetched(body=body), reading())
    live_evidence(chosen).store.put(digest(bundle), bundle)
    listed = s3_server.client.list_objects_v2(Bucket=s3_url.split("/")[2])["Contents"]
    assert [each["Key"].split("/")[1] for each in listed if "probe" not in each["Key"]] == ["evidence", "raw"]
    monkeypatch.setattr("django.conf.settings.ZHUIWEN", chosen)
    desk, evidence = stores.page_store.__wrapped__(), stores.evidence_store.__wrapped__()  # none that was opened before
    assert desk.raw(digest(body)) == body
    assert evidence.get(digest(bundle)) == bundle
    monkeypatch.setattr(crawl_process, "SETTINGS", chosen)
    assert crawl_process.open_page_store(crawl_process.SETTINGS).raw(digest(body)) == body


def test_without_the_setting_everything_is_in_the_page_store(chosen: Settings, s3_server: S3Server) -> None:
    services = replace(chosen.services, raw_url="")
    plain = replace(chosen, services=services, evidence=replace(chosen.evidence, url=""))
    s3_server.seen.clear()
    live_ports(plain).pages.put(fetched(), reading())
    live_evidence(plain).store.put(digest(b"x"), b"x")
    assert s3_server.seen == []
