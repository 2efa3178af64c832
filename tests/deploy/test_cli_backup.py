"""`zhuiwen backup` and `zhuiwen restore` as an operator runs them: one home destroyed, another made of its backup."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.home import Home, prepare
from deploy.services import down, installed, up
from tests.support.command_line import CommandLine

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900), pytest.mark.usefixtures("processes")]

PHRASE = "correct horse battery staple"
HIDDEN = "hush-hush-hush-never-in-the-clear"
_FILL = """
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Site, SiteProxy
from webadmin.sites.services.encrypted_secrets import seal
from webadmin import stores
holder = RightsHolder.objects.create(name="青梧文学")
site = Site.objects.create(rights_holder=holder, name="落霞小说网", start_urls="https://a.example/")
SiteProxy.objects.create(site=site, place="proxy.example:3128", sealed_password=seal(sys.argv[1]))
print(stores.work_store().put_text("渡口的灯是在立冬那天熄的。"))
"""
_READ = """
from webadmin.sites.models import SiteProxy
from webadmin.sites.services.encrypted_secrets import unseal
from webadmin import stores
print(stores.work_store().text(sys.argv[1]))
print(unseal(SiteProxy.objects.get().sealed_password))
"""


def silent(_: object) -> None:
    """Progress that nobody reads."""


def at_home(folder: Path) -> tuple[CommandLine, Home]:
    folder.mkdir(mode=0o700)
    return CommandLine(folder), prepare({"ZHUIWEN_HOME": str(folder)})


@pytest.fixture
def first(tmp_path: Path) -> Iterator[tuple[CommandLine, Home]]:
    command, home = at_home(tmp_path / "first")
    command.make_tables()
    up(home, silent, only=("mongo",))
    yield command, home
    if home.path.exists():
        down(home, silent)
        installed.end(installed.orphans(home))


def everything_in(folder: Path) -> Iterator[bytes]:
    import gzip

    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            yield gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def test_a_home_that_was_destroyed_is_made_again_with_its_secrets_and_settings(
    first: tuple[CommandLine, Home], tmp_path: Path
) -> None:
    zhuiwen, home = first
    assert zhuiwen("config", "set", "workers", "3").code == 0
    assert zhuiwen("config", "set", "chromium", "/bin/evil").code == 0
    assert zhuiwen("config", "set", "smtp_url", "-", stdin=f"smtps://li:{HIDDEN}@mail.example".encode()).code == 0
    text = zhuiwen.in_django(_FILL, HIDDEN)
    phrase, place = tmp_path / "phrase", tmp_path / "backups"
    phrase.write_text(PHRASE + "\n")
    made = zhuiwen("backup", place, "--passphrase-file", phrase, "--json")
    assert (made.code, made.json()["files"], made.json()["is_sealed"]) == (0, ["settings.toml"], True)
    key = home.settings.web.secret_key
    for content in everything_in(place):
        for secret in (HIDDEN, PHRASE, key):
            assert secret.encode() not in content
    unproven = zhuiwen("backup", place, "--verify")
    assert (unproven.code, "its seal was not checked" in unproven.out) == (3, True)
    seen = zhuiwen("backup", place, "--verify", "--json", "--passphrase-file", phrase)
    assert (seen.code, seen.json()["holds"], seen.json()["seal"]) == (0, True, "holds")

    refused = zhuiwen("restore", place, "--passphrase-file", phrase)
    assert refused.code == 2
    assert "this installation is not empty" in refused.err
    down(home, silent)
    shutil.rmtree(home.path)

    other, new = at_home(tmp_path / "second")
    phrase.write_text("something else altogether")
    wrong = other("restore", place, "--passphrase-file", phrase)
    assert wrong.code == 2
    assert wrong.complaints == ["zhuiwen: wrong passphrase for this backup"]
    phrase.write_text(PHRASE)
    assert other("config", "set", "crawlers", "5").code == 0
    asked = other("restore", place, "--passphrase-file", phrase)
    assert (asked.code, "(secret_key, smtp_url)" in asked.err) == (2, True)
    assert not (new.path / "admin.sqlite3").exists()
    done = other("restore", place, "--passphrase-file", phrase, "--with-settings")
    assert done.code == 0, done.err
    assert "zhuiwen config set: chromium" in done.out
    assert not [path for path in (new.path / "logs").iterdir() if path.stat().st_mode & 0o077]
    assert "was restored and verified" in done.out
    values = {row["name"]: row["value"] for row in other("config", "list", "--json").json()}
    assert (values["workers"], values["crawlers"]) == ("3", "5")
    new = prepare({"ZHUIWEN_HOME": str(new.path)})  # with the key of the backup
    up(new, silent, only=("mongo",))
    try:
        assert other.in_django(_READ, text).splitlines() == ["渡口的灯是在立冬那天熄的。", HIDDEN]
    finally:
        down(new, silent)
        installed.end(installed.orphans(new))


def test_up_refuses_what_a_restore_has_half_made(tmp_path: Path) -> None:
    zhuiwen, home = at_home(tmp_path / "home")
    (home.path / "restoring.json").write_text('{"backup": "20261127T040000Z-abcdef123456", "places": "a"}')
    refused = zhuiwen("up")
    assert refused.code == 2
    assert refused.complaints == [
        "zhuiwen: a restore of backup 20261127T040000Z-abcdef123456 was started here and has "
        "not finished; run zhuiwen restore again to continue it"
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("restore", "ftp://host/x"), "ftp://host/x is not a backup destination; use a folder, or s3://BUCKET/PREFIX"),
        (("restore", "/nowhere/at/all"), "there is no complete backup at this destination"),
        (("backup", "/tmp", "--passphrase-file", "/nowhere"), "/nowhere"),
    ],
)
def test_bad_arguments_get_one_sentence(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    zhuiwen, _ = at_home(tmp_path / "home")
    refused = zhuiwen(*arguments)
    assert refused.code == 2
    assert len(refused.complaints) == 1
    assert told in refused.complaints[0]
