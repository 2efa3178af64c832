"""Test what a restore takes of the files of a backup, and how it knows the half of itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput
from core.known_settings import known_settings
from deploy import restoration
from deploy.home import prepare
from webadmin.backups.services.runs import has_key, read_home_files


def test_a_mark_holds_for_its_backup_and_its_places_alone(tmp_path: Path) -> None:
    home = prepare({"ZHUIWEN_HOME": str(tmp_path / "home")})
    settings = home.settings
    places = restoration.digest_places(settings)
    restoration.begin(home.path, "20261127T040000Z-abcdef123456", places)
    half = restoration.unfinished_restore(home.path)
    assert half == restoration.Begun("20261127T040000Z-abcdef123456", places)
    restoration.require_no_other(half, "20261127T04")
    with pytest.raises(BadInput, match="but you chose 20261126"):
        restoration.require_no_other(half, "20261126")
    living = replace(settings.services, database_url="postgresql://db.example/living")
    assert restoration.digest_places(replace(settings, services=living)) != places
    for garbled in ("{", "[]", '{"backup": "20261127T040000Z-abcdef123456"}'):
        (home.path / "restoring.json").write_text(garbled)
        with pytest.raises(BadInput, match="cannot be read; empty this installation"):
            restoration.unfinished_restore(home.path)


def test_a_root_goes_into_its_folder_and_the_setting_names_the_new_one(tmp_path: Path) -> None:
    roots = {"authorities/a.example.pem": "# Wurzel für Zeitstempel\n".encode("latin-1")}
    files = restoration.BackupFiles({"tsa_roots": "/old/home/authorities", "workers": 3}, {}, roots)
    restoration.put_files(tmp_path, files, ["workers"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["settings.toml"]
    restoration.put_files(tmp_path, files, [*roots, "tsa_roots"])
    assert (tmp_path / "authorities" / "a.example.pem").read_text().startswith("# Wurzel")
    assert str(tmp_path / "authorities") in (tmp_path / "settings.toml").read_text()


def test_folders_hosts_and_keys_are_confirmed_and_programs_never_restored(
    tmp_path: Path,
) -> None:
    (tmp_path / "settings.toml").write_text("crawlers = 5\n")
    settings = {
        "workers": 3, "time_zone": "Asia/Tokyo", "evidence_keep_years": 1, "crawlers": 1,
        "user_agent": "Zhuiwen", "search_url": "https://searx.example/", "tsa_urls": ["https://tsa.example/"],
        "chromium": "/tmp/evil", "allow_private_hosts": ["10.0.0.1:80"], "allowed_hosts": ["evil.example"],
        "https": False,
        "web_host": "0.0.0.0", "mongo_url": "mongodb://db.example/zw", "raw_url": "file:///etc", "web_port": "none",
        "no_such_setting": 1,
    }  # fmt: skip
    files = restoration.BackupFiles(settings, {"secret_key": "abcde" * 12}, {"authorities/a.pem": b""})
    offer = restoration.offer(tmp_path, files, is_proven=True)
    assert set(offer.plain) == {"workers", "time_zone", "evidence_keep_years"}
    assert set(offer.asked) == {"user_agent", "search_url", "tsa_urls", "secret_key", "authorities/a.pem"}
    assert set(offer.refused) == {"chromium", "allow_private_hosts", "allowed_hosts", "https", "web_host"}
    assert set(offer.left) == {"crawlers", "mongo_url", "raw_url", "web_port", "no_such_setting"}
    assert "secret_key = ***" in restoration.describe_settings(files, offer.asked)
    assert restoration.offer(tmp_path, files, is_proven=False).plain == ()


def test_every_setting_that_names_a_program_or_guards_something_is_known_as_one() -> None:
    """A new one that is a number or a choice is taken from a backup without a question: is it harmless?"""
    plain = {name for name, known in known_settings().items() if known.allowed.code in restoration.HARMLESS}
    assert plain - restoration.PROGRAMS_AND_GUARDS == {
        "web_port", "demo_port", "crawl_timeout_s", "max_body_bytes", "max_files", "browser_pages", "browser_minutes",
        "search_delay_s", "search_queries_a_day", "smtp_timeout_s", "workers", "crawlers", "max_retries",
        "retry_backoff_s", "sweep_interval_s", "evidence_keep_years", "screenshots", "s3_addressing", "time_zone",
        "language",
    }  # fmt: skip


def test_a_secret_in_the_file_of_settings_goes_out_sealed_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('workers = 3\ns3_secret_key = "hush"\n')
    assert read_home_files(tmp_path) == ({"settings.toml": b"workers = 3\n"}, b's3_secret_key = "hush"\n')
    assert not has_key(tmp_path)
    (tmp_path / "secrets.toml").write_text('secret_key = "a"\n')
    assert has_key(tmp_path)
