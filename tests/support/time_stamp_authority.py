"""A time stamp authority of one's own: certificates and answers made by openssl, served on a loopback port."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

_CONFIG = """\
[tsa]
default_tsa = local
[local]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
other_policies = 1.3.6.1.4.1.99999.2
digests = sha256, sha384, sha512
accuracy = secs:1
tsa_name = yes
ess_cert_id_alg = {ess}
"""
_EXTENSIONS = """\
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[between]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[signer]
extendedKeyUsage = {usage}
keyUsage = critical, digitalSignature
"""
DEFAULT_POLICY = "1.3.6.1.4.1.99999.1"


class LocalAuthority:
    """Root, intermediate and signer, and what `openssl ts -reply` says with them."""

    def __init__(
        self,
        folder: Path,
        *,
        key: str = "RSA",
        days: int = 30,
        usage: str = "critical, timeStamping",
        ess: str = "sha256",
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder, ess=ess))
        (folder / "extensions.cnf").write_text(_EXTENSIONS.format(usage=usage))
        self._issue("root", "root", "Local Time Root", "RSA", 3650)
        self._issue("between", "root", "Local Time Authority", "RSA", 3650)
        self._issue("signer", "between", "Local Time Stamps", key, days)
        self._lock = threading.Lock()

    @property
    def ca_pem(self) -> bytes:
        """The root alone: the intermediate comes with each answer."""
        return (self.folder / "root.pem").read_bytes()

    def answer(self, query: bytes) -> bytes:
        """A TimeStampResp, also where it says no."""
        with self._lock, TemporaryDirectory() as place:
            asked, said = Path(place) / "query", Path(place) / "response"
            asked.write_bytes(query)
            self._openssl(
                "ts", "-reply", "-config", "tsa.cnf", "-queryfile", str(asked), "-signer", "signer.pem",
                "-inkey", "signer.key", "-chain", "between.pem", "-out", str(said),
            )  # fmt: skip
            return said.read_bytes()

    def _issue(self, name: str, issuer: str, subject: str, key: str, days: int) -> None:
        algorithm = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"] if key == "EC" else ["-algorithm", key]
        self._openssl("genpkey", *algorithm, "-out", f"{name}.key")
        self._openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/CN={subject}", "-out", f"{name}.csr")
        signed_by = (
            ["-signkey", f"{name}.key"] if name == issuer else ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key"]
        )
        self._openssl(
            "x509", "-req", "-in", f"{name}.csr", *signed_by, "-days", str(days), "-set_serial", str(len(name) + 40),
            "-extfile", "extensions.cnf", "-extensions", name, "-out", f"{name}.pem",
        )  # fmt: skip

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        query = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append(dict(self.headers))  # type: ignore[attr-defined]
        status, kind, answer = self.server.reply(query)  # type: ignore[attr-defined]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the base class has
        pass


@contextmanager
def serving(reply: object) -> Iterator[ThreadingHTTPServer]:
    """A server whose `reply(query)` gives status, content type and body; `seen` keeps the headers of requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.reply, server.seen = reply, []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving_stamps(authority: LocalAuthority) -> Iterator[str]:
    """The URL at which `authority` answers."""
    with serving(lambda query: (200, "application/timestamp-reply", authority.answer(query))) as server:
        yield f"http://127.0.0.1:{server.server_port}/tsa"
