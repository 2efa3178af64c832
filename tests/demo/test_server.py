"""The demo's servers over real HTTP."""

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from core.errors import PortTaken
from core.settings import CrawlSettings
from deploy.demo.plan import load_plan
from deploy.demo.server import DemoServers, main
from tests.support.demo_sites import content as stored
from tests.support.demo_sites import pages, site_named

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def servers(loopback: None) -> Iterator[DemoServers]:
    with DemoServers() as running:
        yield running


def request(servers: DemoServers, site: str, path: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """One request whose path goes over the wire exactly as given."""
    connection = http.client.HTTPConnection(urlsplit(servers.origins[site]).netloc, timeout=DEADLINE_S)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def test_every_page_is_served_as_it_was_written_with_the_declared_charset(servers: DemoServers) -> None:
    declared = {"zhuanwen": "gb2312", "hanmo": "big5"}
    for site, page in pages():
        status, headers, content = request(servers, site.key, page.path)
        assert status == 200, (site.key, page.path)
        assert content == stored(site, page.path)
        assert headers["content-type"] == f"text/html; charset={declared.get(site.key, 'utf-8')}"


def test_every_page_can_be_reached_from_the_start_page() -> None:
    for site in load_plan():
        by_path = {page.path: page for page in site.pages}
        seen, waiting = set(), [site.start_path]
        while waiting:
            path = waiting.pop()
            if path in by_path and path not in seen:
                seen.add(path)
                html = stored(site, path).decode(by_path[path].encoding)
                waiting += [part.split('"')[0] for part in html.split('href="')[1:]]
        assert seen == set(by_path), site.key


def test_sitemaps_name_the_address_that_the_site_is_served_at(servers: DemoServers) -> None:
    for key in ("moxiang", "kuaiwen"):
        _, headers, content = request(servers, key, "/sitemap.xml")
        text = content.decode()
        assert headers["content-type"].startswith("application/xml")
        assert text.count(f"<loc>{servers.origins[key]}/") == len(site_named(key).pages)
        assert f"Sitemap: {servers.origins[key]}/sitemap.xml" in request(servers, key, "/robots.txt")[2].decode()


def test_a_head_request_gets_the_headers_and_no_body(servers: DemoServers) -> None:
    status, headers, content = request(servers, "qingwu", "/dukou/1", "HEAD")

    assert (status, content) == (200, b"")
    assert int(headers["content-length"]) > 3_000


def test_what_the_plan_does_not_know_is_not_found_wherever_it_points(servers: DemoServers) -> None:
    (missing,) = site_named("moxiang").missing_paths
    outside = ("/../../expected.json", "/..%2f..%2fexpected.json", "//etc/passwd", "/etc/passwd", "/book")
    for path in (missing, *outside):
        assert request(servers, "moxiang", path)[0] == 404, path


def test_the_redirects_lead_in_a_circle(servers: DemoServers) -> None:
    path, seen = "/go/1", []
    while path not in seen:
        seen.append(path)
        status, headers, _ = request(servers, "zhuanwen", path)
        assert status == 302
        path = headers["location"]

    assert path == seen[0]


def test_the_oversized_page_sends_more_than_the_limit_without_a_length(
    servers: DemoServers,
) -> None:
    (path,) = site_named("huaishu").oversized_paths
    status, headers, content = request(servers, "huaishu", path)

    assert status == 200
    assert "content-length" not in headers
    assert len(content) > CrawlSettings().max_body_bytes


@pytest.mark.usefixtures("loopback")
def test_a_port_in_use_is_named_and_nothing_stays_open() -> None:
    with socket.socket() as holder, socket.socket() as probe:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
        probe.close()

        with pytest.raises(PortTaken, match=str(taken)), DemoServers({"moxiang": free, "qingwu": taken}):
            pass

        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", free), timeout=DEADLINE_S)


@pytest.mark.parametrize(
    ("ports", "said"), [("8801,8802", "names 2 ports; the demo has 7 sites"), ("a,b", "allowed: numbers up to 65535")]
)
def test_wrong_ports_are_one_sentence_and_exit_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ports: str, said: str
) -> None:
    assert main(["--log", str(tmp_path / "server.log"), "--ports", ports]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("processes")
def test_the_server_runs_as_a_program_and_ends_when_told(tmp_path: Path) -> None:
    ports, log = [str(port) for port in _free_ports(len(load_plan()))], tmp_path / "server.log"
    command = [sys.executable, "-m", "deploy.demo.server", "--log", str(log), "--ports", ",".join(ports)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert _answers(int(ports[-1]))
        process.terminate()
        output = process.communicate(timeout=DEADLINE_S)
    finally:
        process.kill()

    assert (process.returncode, *output) == (0, b"", b"")
    assert "qingwu" in log.read_text(encoding="utf-8")


def _free_ports(count: int) -> list[int]:
    holders = [socket.socket() for _ in range(count)]
    for holder in holders:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


def _answers(port: int) -> bool:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == 200
        except ConnectionRefusedError:
            time.sleep(0.05)
        finally:
            connection.close()
    return False
