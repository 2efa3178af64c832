"""`zhuiwen site reach`."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from core.errors import BadInput
from core.settings_loading import load
from tests.support import admin_data
from webadmin.sites.cli import sites as site_verbs
from webadmin.sites.models import Site

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb's own session would lead to another database than the test's."""
    monkeypatch.setattr(site_verbs, "session", lambda: nullcontext(load({})))


@pytest.fixture
def sites() -> list[Site]:
    holder = admin_data.holder()
    return [admin_data.site(holder, f"站{name}", f"{name}.example") for name in "abc"]


def visits() -> list[int | None]:
    return list(Site.objects.order_by("pk").values_list("monthly_visits", flat=True))


def test_a_head_is_passed_over(sites: list[Site], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "reach.csv"
    file.write_text(f'\ufeffsite,visits\na.example,"1,200,000"\n\n站b, 300\n{sites[2].pk},0\n', encoding="utf-8")
    site_verbs.reach(file)
    assert visits() == [1_200_000, 300, 0]
    assert "3 sites" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nowhere.example,5", "line 2: .*nowhere"),
        ("a.example,many", "line 2: "),
        ("a.example,-3", "line 2: "),
        ("a.example,1,2", "line 2: "),
        (f"a.example,{10**13}", "line 2: "),
        ("a.example," + "9" * 5_000, "line 2: "),
        ("a.example," + "x" * 140_000, "line 2: "),
    ],
)
def test_an_unreadable_line_is_named(sites: list[Site], tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "reach.csv"
    file.write_text(f"b.example,7\n{line}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        site_verbs.reach(file)
    assert visits() == [None, None, None]


def test_a_file_without_sites_is_refused(sites: list[Site], tmp_path: Path) -> None:
    file = tmp_path / "reach.csv"
    file.write_text("site,visits\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no line"):
        site_verbs.reach(file)


def test_a_file_of_chinese_windows_is_read_and_no_text_refused(sites: list[Site], tmp_path: Path) -> None:
    file = tmp_path / "reach.csv"
    Site.objects.filter(pk=sites[0].pk).update(name="某书站")
    file.write_bytes("某书站,7\n".encode("gb18030"))
    site_verbs.reach(file)
    assert visits() == [7, None, None]
    for data in (bytes(range(256)), b"PK\x03\x04" + b"\x00" * 40, b"a.example,5\n\x00", b"\xff\xfe" + b"\xd8" * 9):
        file.write_bytes(data)
        with pytest.raises(BadInput, match="is not text; save the table as CSV"):
            site_verbs.reach(file)
    assert visits() == [7, None, None]
