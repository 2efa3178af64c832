"""One contract for the three sides of the object store; the store in S3 on a real server, with faults before it."""

import os
import random
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable
from core.ports import ObjectStore
from core.settings import S3Settings
from laboratory.ports import free_port
from pagestore.objects import s3_client
from pagestore.objects.folder import FolderObjects
from pagestore.objects.opening import open_objects
from pagestore.objects.s3 import S3Objects
from tests.support.memory_objects import MemoryObjects
from tests.support.s3_server import SECRET, Answer, S3Server

HOSTILE = [
    "", ".", "..", "/", "//", "../../etc/passwd", "/absolute", "a//b/", ".hidden", ".zhuiwen-probe",
    "空 格/第一章.html",
    "100%", "%2E", "a%2Fb", "?#&=+", "quote\"'<>", "new\nline", "nul\0", "tab\t", "\x7f\x1b", "\ud800", "back\\slash",
    "$(reboot)", "*", "~", "con", "🀄", "a" * 255, "/".join(["b" * 200] * 3),
]  # fmt: skip


class ObjectStoreContract:
    """Subclasses give `store`."""

    @pytest.mark.parametrize("length", [0, 1, 9 * 1024 * 1024])
    def test_bytes_come_back_as_they_were_put(self, store: ObjectStore, length: int) -> None:
        content = random.Random(length).randbytes(length)
        assert store.put_new("a/b.wacz", content)
        assert not store.put_new("a/b.wacz", bytes(bytearray(content)))
        assert store.get("a/b.wacz") == content
        assert store.size("a/b.wacz") == length

    def test_what_was_never_put_is_none(self, store: ObjectStore) -> None:
        assert store.get("a") is None
        assert store.size("a") is None
        assert list(store.keys()) == []
        store.remove("a")

    def test_nothing_is_written_over(self, store: ObjectStore) -> None:
        store.put_new("a", b"as it was")
        with pytest.raises(BrokenInvariant, match="never overwritten"):
            store.put_new("a", b"otherwise")
        assert store.get("a") == b"as it was"

    def test_a_removed_object_is_gone_and_may_be_put_again(self, store: ObjectStore) -> None:
        store.put_new("a/b", b"x")
        store.put_new("a/c", b"y")
        store.remove("a/b")
        store.remove("a/b")
        assert store.get("a/b") is None
        assert list(store.keys()) == ["a/c"]
        assert store.put_new("a/b", b"other")
        assert store.get("a/b") == b"other"

    def test_more_than_was_asked_for_is_not_read(self, store: ObjectStore) -> None:
        store.put_new("a", b"0123456789")
        assert store.get("a", 10) == b"0123456789"
        with pytest.raises(BrokenInvariant, match="larger than the limit of 9 bytes"):
            store.get("a", 9)

    def test_a_key_may_hold_any_characters(self, store: ObjectStore) -> None:
        for key in HOSTILE:
            assert store.put_new(key, key.encode("utf-8", "surrogatepass"))
            assert store.get(key) == key.encode("utf-8", "surrogatepass")
            assert store.size(key) is not None
            assert list(store.keys()) == [key]
            assert list(store.keys(key)) == [key]
            store.remove(key)
            assert list(store.keys()) == []

    @pytest.mark.parametrize("key", ["a" * 256, "文" * 100, "/".join(["b" * 200] * 5)])
    def test_a_key_that_is_too_long_for_one_side_is_refused_by_all(self, store: ObjectStore, key: str) -> None:
        with pytest.raises(BrokenInvariant, match="not a valid key"):
            store.put_new(key, b"x")

    def test_keys_come_in_order_and_by_prefix(self, store: ObjectStore) -> None:
        keys = ["a-b", "a.b", "a/b", "a/b.c/d", "a/bc", "a0", "b", "正/文"]
        for key in reversed(keys):
            store.put_new(key, b"")
        assert list(store.keys()) == ["正/文", *keys[:-1]]  # as %E6…
        assert list(store.keys("a/")) == ["a/b", "a/b.c/d", "a/bc"]
        assert list(store.keys("a/b")) == ["a/b", "a/b.c/d", "a/bc"]
        assert list(store.keys("a/b.c/")) == ["a/b.c/d"]
        assert list(store.keys("正")) == ["正/文"]
        assert list(store.keys("c")) == []

    def test_of_writers_at_once_one_is_the_first(self, store: ObjectStore) -> None:
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: store.put_new("one", b"same"), range(16)))
        assert made.count(True) == 1
        assert store.get("one") == b"same"


class TestMemoryObjects(ObjectStoreContract):
    @pytest.fixture
    def store(self) -> MemoryObjects:
        return MemoryObjects()


class TestFolderObjects(ObjectStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> FolderObjects:
        return FolderObjects(tmp_path / "kept")

    def test_files_can_only_be_read_and_stand_under_their_keys(self, store: FolderObjects, tmp_path: Path) -> None:
        store.put_new("3f/3f07.gz", b"content")
        path = tmp_path / "kept" / "3f" / "3f07.gz"
        assert path.read_bytes() == b"content"
        assert path.stat().st_mode & 0o777 == 0o400

    def test_what_a_killed_writer_left_is_no_object(self, store: FolderObjects, tmp_path: Path) -> None:
        store.put_new("a/b", b"x")
        (tmp_path / "kept" / "a" / ".writing-1").write_bytes(b"half")
        assert list(store.keys()) == ["a/b"]

    def test_what_is_no_plain_file_is_not_read(self, store: FolderObjects, tmp_path: Path) -> None:
        folder = tmp_path / "kept"
        (folder / "folder").mkdir(parents=True)
        (folder / "link").symlink_to("/dev/zero")
        os.mkfifo(folder / "pipe")
        for name in ("folder", "link", "pipe"):
            with pytest.raises(BrokenInvariant, match=f"{name} is not a regular file"):
                store.get(name)

    @pytest.mark.parametrize("use", [lambda s: s.put_new("a", b""), lambda s: s.get("a"), lambda s: s.size("a/b")])
    def test_a_folder_that_is_none_is_one_sentence(self, tmp_path: Path, use: Any) -> None:
        (tmp_path / "file").write_text("no folder")
        with pytest.raises(ServiceUnavailable, match="the folder of stored files"):
            use(FolderObjects(tmp_path / "file"))


def opened(url: str, access: S3Settings) -> S3Objects:
    store = open_objects(url, access, "ZHUIWEN_RAW_URL")
    assert isinstance(store, S3Objects)
    return store


class TestS3Objects(ObjectStoreContract):
    @pytest.fixture
    def store(self, s3_url: str, s3_server: S3Server) -> S3Objects:
        return opened(s3_url, s3_server.access())

    def test_the_list_goes_on_beyond_one_page(self, store: S3Objects, s3_server: S3Server, s3_url: str) -> None:
        keys = [f"{number:05d}" for number in range(2_050)]
        s3_server.fill(s3_url.split("/")[2], ["zhuiwen-of-another", *(f"zhuiwen/{key}" for key in keys)])
        s3_server.seen.clear()
        assert list(store.keys()) == keys
        assert s3_server.seen == ["GET"] * 3

    def test_an_object_that_was_changed_in_the_store_is_noticed(
        self, store: S3Objects, s3_server: S3Server, s3_url: str
    ) -> None:
        store.put_new("a", b"as it was")
        change(s3_server, s3_url, "a", b"forged it!")
        with pytest.raises(BrokenInvariant, match="differs from what was stored"):
            store.get("a")

    def test_an_object_that_another_program_copied_there_is_read_and_compared(
        self, store: S3Objects, s3_server: S3Server, s3_url: str
    ) -> None:
        bucket = s3_url.split("/")[2]
        s3_server.client.put_object(Bucket=bucket, Key="zhuiwen/a", Body=b"restored")
        assert store.get("a") == b"restored"
        assert not store.put_new("a", b"restored")
        with pytest.raises(BrokenInvariant):
            store.put_new("a", b"other")

    def test_what_arrived_damaged_is_no_success(self, store: S3Objects, s3_server: S3Server) -> None:
        assert store.refuses_overwriting
        s3_server.fault = damaged
        with pytest.raises(BrokenInvariant, match="differs from what was stored"):
            store.put_new("a", b"content")


def test_a_store_that_takes_conditions_and_writes_over_is_looked_into_first(s3_url: str, s3_server: S3Server) -> None:
    s3_server.fault = heedless
    store = opened(s3_url, s3_server.access())
    assert not store.refuses_overwriting
    assert store.put_new("a", b"as it was")
    assert not store.put_new("a", b"as it was")
    with pytest.raises(BrokenInvariant, match="never overwritten"):
        store.put_new("a", b"otherwise")
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: store.put_new("one", b"same"), range(16)))
    assert made.count(True) >= 1, "the one thing that it cannot promise: two may both be told that they were first"
    assert (store.get("a"), store.get("one")) == (b"as it was", b"same")


def test_a_store_that_answers_that_it_knows_no_conditions_is_written_to_all_the_same(
    s3_url: str, s3_server: S3Server
) -> None:
    s3_server.fault = lambda environ: ("501 No", "NotImplemented") if "HTTP_IF_NONE_MATCH" in environ else None
    store = opened(s3_url, s3_server.access())
    assert store.put_new("a", b"x")
    assert not store.put_new("a", b"x")


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (("403 Forbidden", "AccessDenied"), BadConfiguration, "rejects the key of ZHUIWEN_S3_ACCESS_KEY"),
        (("403 Forbidden", "SignatureDoesNotMatch"), BadConfiguration, r"\(SignatureDoesNotMatch\)"),
        (("400 Bad Request", "AuthorizationHeaderMalformed"), BadConfiguration, "another region"),
        (("403 Forbidden", "SecondLevelDomainForbidden"), BadConfiguration, "s3_addressing virtual"),
        (("404 Not Found", "NoSuchBucket"), BadConfiguration, "the bucket"),
        (("503 Slow Down", "SlowDown"), ServiceUnavailable, "the S3 store is not responding"),
        (("500 Fault", "InternalError"), ServiceUnavailable, "the S3 store"),
        (("405 Not Allowed", "MethodNotAllowed"), BrokenInvariant, r"rejects an operation \(MethodNotAllowed\)"),
        (("418 Teapot", f"</Code>{SECRET}"), BrokenInvariant, "rejects an operation"),
    ],
)
def test_what_a_store_answers_is_one_sentence_without_a_secret(
    s3_url: str, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch, answer: Answer, error: Any, words: str
) -> None:
    store = opened(s3_url, s3_server.impatient(monkeypatch))
    s3_server.fault = lambda _: answer
    for use in (
        lambda: store.put_new("a", b"x"), lambda: store.get("a"), lambda: list(store.keys()), lambda: store.remove("a"),
    ):  # fmt: skip
        with pytest.raises(error, match=words) as failure:
            use()
        assert "s3://kept-" in str(failure.value)
        assert SECRET not in str(failure.value)
        assert failure.value.__suppress_context__


def test_a_passing_fault_is_asked_again(s3_url: str, s3_server: S3Server) -> None:
    answers: Iterator[Answer | None] = iter([("503 Slow Down", "SlowDown")])
    store = opened(s3_url, s3_server.access())
    assert store.refuses_overwriting
    s3_server.fault = lambda _: next(answers, None)
    assert store.put_new("a", b"x")


@contextmanager
def endless_store(begin: bytes, more: bytes) -> Iterator[S3Settings]:
    """A store that answers everything with `begin`, and then for ever with `more`."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.sendall(begin)
                while True:
                    self.request.sendall(more)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        yield S3Settings(endpoint_url=url, access_key="somebody", secret_key=SECRET)
        server.shutdown()


@pytest.mark.usefixtures("loopback")
@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n<L>", b"<Contents><Key>a</Key></Contents>" * 1_000),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x" * 60_000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 10_000),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    ],
)
def test_an_answer_without_an_end_is_a_store_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, begin: bytes, more: bytes
) -> None:
    monkeypatch.setattr(s3_client, "ATTEMPTS", 1)
    monkeypatch.setattr(s3_client, "RESPONSE_TIMEOUT_S", 0.5)
    with endless_store(begin, more) as access:
        store = opened("s3://kept", access)
        with pytest.raises(ServiceUnavailable):
            list(store.keys())
        with pytest.raises((ServiceUnavailable, BrokenInvariant)):
            store.get("a", 1_000)


@pytest.mark.usefixtures("loopback")
@pytest.mark.parametrize(
    ("length", "use"),
    [
        (b"Content-Length: -5\r\n", lambda store: store.size("a")),
        (b"Content-Length: 0\r\n", lambda store: list(store.keys())),
    ],
)
def test_an_answer_that_says_nothing_is_neither_a_size_nor_an_empty_store(
    monkeypatch: pytest.MonkeyPatch, length: bytes, use: Any
) -> None:
    monkeypatch.setattr(s3_client, "ATTEMPTS", 1)
    with endless_store(b"HTTP/1.1 200 OK\r\n" + length + b"\r\n", b" ") as access, pytest.raises(ServiceUnavailable):
        use(opened("s3://kept", access))


@pytest.mark.parametrize("names", [repeat("a"), map("!{:09}".format, count())], ids=["the same", "no keys"])
def test_a_list_that_never_moves_on_comes_to_an_end(names: Iterator[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def page(**_: object) -> dict[str, object]:
        return {"Contents": [{"Key": next(names)}], "IsTruncated": True, "NextContinuationToken": "again"}

    store = S3Objects("kept", "", S3Settings(access_key="somebody", secret_key=SECRET))
    client = SimpleNamespace(list_objects_v2=page)
    monkeypatch.setattr(S3Objects, "_s3_client", client)
    with pytest.raises(ServiceUnavailable):
        list(store.keys())


def test_a_bucket_that_is_not_there_is_said_by_a_real_store(s3_server: S3Server) -> None:
    store = opened("s3://not-made", s3_server.access())
    with pytest.raises(BadConfiguration, match="the bucket s3://not-made"):
        store.put_new("a", b"x")
    with pytest.raises(BadConfiguration, match="the bucket"):
        store.get("a")


@pytest.mark.usefixtures("loopback")
def test_a_store_that_is_away_is_a_service_unavailable_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_client, "ATTEMPTS", 1)
    port = free_port()
    access = S3Settings(endpoint_url=f"http://127.0.0.1:{port}", access_key="somebody", secret_key=SECRET)
    with pytest.raises(ServiceUnavailable, match=f"127.0.0.1:{port}") as failure:
        opened("s3://kept", access).get("a")
    assert SECRET not in str(failure.value)


def test_without_a_key_it_is_said_which_settings_want_one(
    s3_server: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(BadConfiguration, match="s3_access_key"):
        opened("s3://kept", s3_server.access(access_key="", secret_key="")).get("a")
    with pytest.raises(BadConfiguration, match="s3_access_key"):
        opened("s3://kept", s3_server.access(secret_key="")).get("a")


WITHOUT_BOTO3 = """
import sys
sys.modules["boto3"] = None
sys.meta_path.insert(0, type("Missing", (), {"find_spec": staticmethod(lambda name, *_: None)}))
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "boto3" else found(name, *rest)
from core.errors import BadConfiguration
from core.settings import S3Settings
from pagestore.objects.opening import open_objects
open_objects("file:///tmp", S3Settings(), "ZHUIWEN_RAW_URL")
try:
    open_objects("s3://kept", S3Settings(), "ZHUIWEN_RAW_URL")
except BadConfiguration as error:
    print(error)
"""


@pytest.mark.usefixtures("processes")
def test_without_boto3_folders_work_and_an_s3_store_names_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_BOTO3], capture_output=True, text=True, check=True)
    assert done.stdout == "S3 support is not installed: pip install 'zhuiwen[s3]'\n"


@pytest.mark.parametrize(
    "url", ["", "s3://", "s3://A", "s3://key:hush@kept", "s3://kept/../x", "s3://kept//x", "https://kept", "kept"]
)
def test_a_url_that_cannot_be_names_the_setting(url: str) -> None:
    with pytest.raises(BadConfiguration, match="ZHUIWEN_RAW_URL") as failure:
        open_objects(url, S3Settings(), "ZHUIWEN_RAW_URL")
    assert "hush" not in str(failure.value)


def test_a_url_chooses_the_store(tmp_path: Path) -> None:
    assert isinstance(open_objects(f"file://{tmp_path}", S3Settings(), "ZHUIWEN_RAW_URL"), FolderObjects)
    assert isinstance(open_objects("s3://kept/a/b/", S3Settings(), "ZHUIWEN_RAW_URL"), S3Objects)


def change(server: S3Server, url: str, key: str, content: bytes) -> None:
    """Put other bytes in an object's place, with what is noted beside it, as who attacks the store might."""
    bucket, name = url.split("/")[2], f"zhuiwen/{key}"
    noted = server.client.head_object(Bucket=bucket, Key=name)["Metadata"]
    server.client.put_object(Bucket=bucket, Key=name, Body=content, Metadata=noted)


def heedless(environ: dict[str, Any]) -> None:
    environ.pop("HTTP_IF_NONE_MATCH", None)


def damaged(environ: dict[str, Any]) -> None:
    from io import BytesIO

    sent = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = BytesIO(sent[:-1] + bytes([sent[-1] ^ 1]) if sent else sent)
