"""What a restore takes of the files of a backup, and how it knows the half of itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput
from deploy import restoration
from deploy.home import prepare
from records.backups.home_files import files_of, has_key
from records.backups.sealing import opened

PHRASE = "correct horse battery staple"


def test_a_mark_holds_for_its_backup_and_its_places_alone(tmp_path: Path) -> None:
    home = prepare({"ZHUIWEN_HOME": str(tmp_path / "home")})
    settings = home.settings
    places = restoration.places_of(settings)
    restoration.begin(home.path, "20261127T040000Z-abcdef123456", places)
    half = restoration.begun(home.path)
    assert half == restoration.Begun("20261127T040000Z-abcdef123456", places)
    restoration.require_no_other(half, "20261127T04")
    with pytest.raises(BadInput, match="20261126 is another"):
        restoration.require_no_other(half, "20261126")
    living = replace(settings.services, database_url="postgresql://db.example/living")
    assert restoration.places_of(replace(settings, services=living)) != places
    for garbled in ("{", "[]", '{"backup": "20261127T040000Z-abcdef123456"}'):
        (home.path / "restoring.json").write_text(garbled)
        with pytest.raises(BadInput, match="cannot be read; empty the databases"):
            restoration.begun(home.path)


def test_of_roots_only_those_in_their_folder_are_written_and_the_setting_names_the_new_one(tmp_path: Path) -> None:
    root = "# Wurzel für Zeitstempel\n-----BEGIN CERTIFICATE-----\n".encode("latin-1")
    kept = {
        "settings.toml": b'tsa_roots = "/old/home/authorities"\n',
        "authorities/a.example.pem": root,
        "run/b.pem": root,
        "../c.pem": root,
    }
    home = tmp_path / "home"
    home.mkdir()
    restoration.put_files(home, kept)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.pem")) == [
        "home/authorities/a.example.pem"
    ]
    assert str(home / "authorities") in (home / "settings.toml").read_text()


def test_a_secret_in_the_file_of_settings_goes_out_sealed_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('workers = 3\ns3_secret_key = "hush"\n')
    assert files_of(tmp_path, "") == {"settings.toml": b"workers = 3\n"}
    kept = files_of(tmp_path, PHRASE)
    assert kept["settings.toml"] == b"workers = 3\n"
    assert opened(kept["secrets.toml"], PHRASE) == b's3_secret_key = "hush"\n'
    assert not has_key(tmp_path)
    (tmp_path / "secrets.toml").write_text('secret_key = "a"\n')
    assert has_key(tmp_path)
