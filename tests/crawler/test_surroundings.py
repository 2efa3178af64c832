"""The machine, its hosts file and its routes, as files of a test's own have them."""

import subprocess
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.program import FOLDER, PACKAGES, files_digest
from crawler.fetching.routes import HostsFile, RouteFinder, find_gateway, find_interface, without_login
from crawler.surroundings.machine import machine_of_this_process

HOSTS = (
    "127.0.0.1 localhost\n# 192.0.2.9 hidden.example\n192.0.2.7\tBook.Example  book.example www.book.example # ours\n"
)
ROUTES = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
eth0\t007100CB\t020200C0\t0003\t0\t0\t100\t00FFFFFF\t0\t0\t0
eth0\t006433C6\t030200C0\t0002\t0\t0\t0\t00FFFFFF\t0\t0\t0
tun0\t00000000\t0100000A\t0003\t0\t0\t50\t00000000\t0\t0\t0
"""
ROUTES_6 = (
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001"
    " 00000400 00000000 00000000 00000003 eth0\n"
    "20010db8000000000000000000000000 20 00000000000000000000000000000000 00 00000000000000000000000000000000"
    " 00000100 00000000 00000000 00000001 eth0\n"
)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "route").write_text(ROUTES)
    (tmp_path / "ipv6_route").write_text(ROUTES_6)
    return tmp_path


@pytest.mark.parametrize(
    ("address", "interface", "gateway"),
    [
        ("8.8.8.8", "eth0", "192.0.2.1"),
        ("192.0.2.77", "eth0", ""),  # in the same network
        ("203.0.113.5", "eth0", "192.0.2.2"),  # the longer prefix wins
        ("198.51.100.3", "eth0", "192.0.2.1"),  # a route that is down
        ("8.8.8.8", "tun0", "10.0.0.1"),
        ("8.8.8.8", "wlan0", ""),
        ("2400:3200::1", "eth0", "fe80::1"),
        ("2001:db8::9", "eth0", ""),
        ("no address", "eth0", ""),
    ],
)
def test_the_gateway_is_that_of_the_longest_fitting_route(
    address: str, interface: str, gateway: str, proc: Path
) -> None:
    assert find_gateway(address, interface, proc) == gateway


def test_an_interface_is_found_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = [SimpleNamespace(address=address) for address in ("192.0.2.5", "2001:db8::5", "fe80::5%eth0")]
    monkeypatch.setattr("psutil.net_if_addrs", lambda: {"lo": [], "eth0": addresses})
    assert find_interface("127.0.0.1") == "lo"
    for own in ("192.0.2.5", "2001:db8:0::5", "fe80::5%eth0"):
        assert find_interface(own) == "eth0"
    assert find_interface("2001:db8::6") == find_interface("203.0.113.77") == find_interface("no address") == ""


def test_a_system_without_such_files_says_nothing(tmp_path: Path) -> None:
    assert find_gateway("8.8.8.8", "eth0", tmp_path / "none") == ""


def test_the_lines_of_the_hosts_file_that_name_a_host(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    hosts = HostsFile(path)
    assert hosts.host_lines("book.example") == ("192.0.2.7 Book.Example book.example www.book.example",)
    assert hosts.host_lines("BOOK.example") == hosts.host_lines("book.example")
    assert hosts.host_lines("hidden.example") == ()
    assert (hosts.digest, hosts.bytes) == (sha256(HOSTS.encode()).hexdigest(), len(HOSTS))
    path.write_text(HOSTS + "192.0.2.8 hidden.example\n")
    assert hosts.host_lines("hidden.example") == ("192.0.2.8 hidden.example",)
    path.unlink()
    assert hosts.host_lines("book.example") == ()
    assert hosts.digest is None


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("http://10.0.0.2:3128", "http://10.0.0.2:3128"),
        ("http://user:geheim@proxy.example:8080/geheim?key=geheim#geheim", "http://proxy.example:8080"),
        ("https://geheim@[2001:db8::1]:443", "https://[2001:db8::1]:443"),
    ],
)
def test_nothing_of_a_proxys_login_is_kept(given: str, kept: str) -> None:
    assert without_login(given) == kept


def test_a_way_through_a_proxy_asks_the_hosts_file_for_the_proxy(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("192.0.2.5 proxy.example\n192.0.2.7 book.example\n")
    ways = RouteFinder(HostsFile(path))
    through = ways.find_route("book.example", "127.0.0.1", "127.0.0.1", "http://u:p@proxy.example:8080")
    assert (through.hosts_lines, through.proxy) == (("192.0.2.5 proxy.example",), "http://proxy.example:8080")
    assert (through.interface, through.gateway) == ("lo", "")
    assert ways.find_route("book.example", "", "").hosts_lines == ("192.0.2.7 book.example",)


def test_the_machine_is_noted_and_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("# made by hand\nnameserver  192.0.2.53\n; x\n\noptions edns0\n")
    machine = machine_of_this_process((), has_response_cache=False, resolver_file=resolver)
    assert machine.resolver_lines == ("nameserver 192.0.2.53", "options edns0")
    assert machine.host
    assert dict(machine.program.parts)["Python"]
    assert machine.program.files > 1_000
    none = machine_of_this_process((), has_response_cache=False, resolver_file=tmp_path / "none")
    assert none.resolver_lines is None


@pytest.mark.usefixtures("processes")
def test_anybody_can_compute_the_digest_of_the_program_again() -> None:
    found = f"find {' '.join(PACKAGES)} -type f -not -path '*/__pycache__/*' | LC_ALL=C sort"
    command = f"{found} | xargs sha256sum | sha256sum"
    done = subprocess.run(["bash", "-c", command], cwd=FOLDER, capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == files_digest()[0]


def test_a_changed_added_or_renamed_file_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "a.py").write_text("1")
    seen = {files_digest(tmp_path)[0]}
    (tmp_path / "core" / "a.py").write_text("2")
    seen.add(files_digest(tmp_path)[0])
    (tmp_path / "core" / "b.toml").write_text("")
    seen.add(files_digest(tmp_path)[0])
    (tmp_path / "core" / "b.toml").rename(tmp_path / "core" / "c.toml")
    digest, files = files_digest(tmp_path)
    assert len({*seen, digest}) == 4
    (tmp_path / "core" / "__pycache__").mkdir()
    (tmp_path / "core" / "__pycache__" / "a.pyc").write_text("x")
    assert files_digest(tmp_path) == (digest, files)
