"""A real S3 server (moto's) on loopback, and what stands before it: a store that has faults of its own."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from core.settings import S3Settings
from pagestore.objects import s3_client
from pagestore.objects.s3_client import shared_client

SECRET = "hush-hush-hush"
Answer = tuple[str, str]  # status and S3's code


@dataclass
class S3Server:
    """`fault` may answer in place of the store, or change what it is asked; None lets the request through."""

    endpoint_url: str = ""
    fault: Callable[[dict[str, Any]], Answer | None] | None = None
    seen: list[str] = field(default_factory=list)

    def access(self, **changed: str) -> S3Settings:
        given = {"endpoint_url": self.endpoint_url, "access_key": "somebody", "secret_key": SECRET}
        return S3Settings(**{**given, **changed})  # type: ignore[arg-type]

    def fill(self, bucket: str, names: Iterable[str]) -> None:
        """Empty objects, too many to be asked for one by one."""
        from moto.s3.models import s3_backends

        backend = next(iter(s3_backends.values()))["aws"]
        for name in names:
            backend.put_object(bucket, name, b"")

    def impatient(self, monkeypatch: pytest.MonkeyPatch) -> S3Settings:
        """For a client that tries once, and is nobody else's."""
        monkeypatch.setattr(s3_client, "ATTEMPTS", 1)
        return self.access(region="once")

    def environ(self) -> Mapping[str, str]:
        """The settings by which a process reaches it."""
        return {
            "ZHUIWEN_S3_ENDPOINT_URL": self.endpoint_url,
            "ZHUIWEN_S3_ACCESS_KEY": "somebody",
            "ZHUIWEN_S3_SECRET_KEY": SECRET,
        }

    @property
    def client(self) -> Any:
        """boto3's client of it."""
        return shared_client(self.access(), "the test's")


@pytest.fixture(scope="session")
def s3_process() -> Iterator[S3Server]:
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log(self, *_: Any) -> None:
            pass

    server, moto = S3Server(), DomainDispatcherApplication(create_backend_app)

    def before(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        server.seen.append(environ["REQUEST_METHOD"])
        answer = server.fault(environ) if server.fault is not None else None
        if answer is None:
            return moto(environ, start_response)  # type: ignore[no-any-return]
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response(answer[0], [("Content-Type", "application/xml")])
        body = f"<?xml version='1.0'?><Error><Code>{answer[1]}</Code><Message>{SECRET}</Message></Error>"
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body.encode()]

    listening = make_server("127.0.0.1", 0, before, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    server.endpoint_url = f"http://127.0.0.1:{listening.server_port}"
    yield server
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture
def s3_server(s3_process: S3Server) -> Iterator[S3Server]:
    s3_process.seen.clear()
    yield s3_process
    s3_process.fault = None


@pytest.fixture
def s3_url(s3_server: S3Server) -> str:
    """A prefix in a bucket of the test's own."""
    bucket = f"kept-{uuid4().hex[:12]}"
    s3_server.client.create_bucket(Bucket=bucket)
    return f"s3://{bucket}/zhuiwen"
