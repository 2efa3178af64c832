"""Where sockets are: in the home folder, or in a short folder of the same user."""

import socket
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from core import sockets


def test_sockets_are_in_the_home_folder_where_their_paths_fit() -> None:
    home = Path("/srv/zhuiwen")
    assert sockets.path(home, "mongo") == home / "run" / "mongo.sock"


def test_a_socket_of_any_home_folder_can_be_bound() -> None:
    homes = [Path(f"/{'h' * (chars - 1)}") for chars in range(60, 130)]
    paths = [sockets.folder(home) / "supervisor.sock.4194304" for home in homes]
    longest = max(len(str(path)) for path in paths)
    assert longest <= sockets.MAX_PATH_BYTES
    # The system's own limit, tried out on a path of the same length.
    with TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as bound:
        bound.bind(f"{folder}/{'s' * (longest - len(folder) - 1)}")


def test_two_long_home_folders_share_no_socket_and_the_path_counts_in_bytes() -> None:
    one, other = Path("/srv") / ("文" * 30), Path("/srv") / ("书" * 30)
    assert sockets.folder(one).parent == Path("/tmp")
    assert sockets.folder(one) != sockets.folder(other)


def test_a_url_holds_whatever_a_path_may_hold() -> None:
    home = Path('/srv/追文 50% ; "家" + a?b#c@d')
    assert unquote(sockets.redis_url(home)) == f"unix://{home}/run/redis.sock"
    host = sockets.mongo_url(home).removeprefix("mongodb://").removesuffix("/zhuiwen")
    assert not set(host) & set('/?#@ "+')
    assert unquote(host) == f"{home}/run/mongo.sock"
