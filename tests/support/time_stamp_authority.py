"""A time stamp authority of one's own: certificates and answers made by openssl, served on a loopback port."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256, sha512
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from pyasn1.codec.der.decoder import decode
from pyasn1.codec.der.encoder import encode
from pyasn1.type import univ
from pyasn1_modules import rfc3161, rfc5652

from crawler.fetching.authority_client import AuthorityClient

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
{usage}
keyUsage = critical, digitalSignature
{lists}
[scribe]
extendedKeyUsage = critical, timeStamping
keyUsage = critical, digitalSignature
"""
_ENCLOSED = ("signer", "between")
_TST_INFO = "1.2.840.113549.1.9.16.1.4"
# How an authority is asked: one on loopback, and one of whom nothing private is to be reached.
TO_LOOPBACK, TO_PUBLIC = AuthorityClient(allow_private=True), AuthorityClient()
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
        signature: str = "",
        lists_at: str = "",
    ) -> None:
        """signature: "cms" has `openssl cms` sign what `openssl ts` cannot: "cms", or "cms pss" for RSA.

        usage: "" for none. lists_at: the URL that the signer's certificate names for revoked ones. days: of the
        signer; negative for one that has expired.
        """
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder, ess=ess))
        said = f"extendedKeyUsage = {usage}" if usage else ""
        lists = f"crlDistributionPoints = URI:{lists_at}" if lists_at else ""
        (folder / "extensions.cnf").write_text(_EXTENSIONS.format(usage=said, lists=lists))
        self._signature, self._key = signature, key
        self._issue("root", "root", "Local Time Root", "RSA", 3650)
        self._issue("between", "root", "Local Time Authority", "RSA", 3650)
        self._issue("signer", "between", "Local Time Stamps", key, days)
        if signature:
            self._issue("scribe", "between", "Local Time Scribe", "RSA", 30)
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
            name = "scribe" if self._signature else "signer"
            self._openssl(
                "ts", "-reply", "-config", "tsa.cnf", "-queryfile", str(asked), "-signer", f"{name}.pem",
                "-inkey", f"{name}.key", "-chain", "between.pem", "-out", str(said),
            )  # fmt: skip
            return self._signed_anew(said.read_bytes(), Path(place)) if self._signature else said.read_bytes()

    def revoking(self, reason: str | None, at: datetime, *, issuer: str = "between", serial: int = 0) -> bytes:
        """The issuer's list, DER, with the signer on it; reason None: the list says none, "" leaves it off the list."""
        name = x509.load_pem_x509_certificate((self.folder / f"{issuer}.pem").read_bytes()).subject
        made = x509.CertificateRevocationListBuilder().issuer_name(name)
        now = datetime.now(UTC)
        made = made.last_update(now - timedelta(hours=1)).next_update(now + timedelta(days=7))
        if reason != "":
            signer = x509.load_pem_x509_certificate((self.folder / "signer.pem").read_bytes())
            entry = x509.RevokedCertificateBuilder().serial_number(serial or signer.serial_number).revocation_date(at)
            entry = entry.add_extension(x509.CRLReason(x509.ReasonFlags(reason)), critical=False) if reason else entry
            made = made.add_revoked_certificate(entry.build())
        key = load_pem_private_key((self.folder / f"{issuer}.key").read_bytes(), None)
        assert isinstance(key, rsa.RSAPrivateKey)
        return made.sign(key, SHA256()).public_bytes(Encoding.DER)

    def _signed_anew(self, response: bytes, place: Path) -> bytes:
        """The same statement, signed by `openssl cms` with the signer's key."""
        info = decode(response, asn1Spec=rfc3161.TimeStampResp())[0]
        signed = decode(bytes(info["timeStampToken"]["content"]), asn1Spec=rfc5652.SignedData())[0]
        info_der = bytes(signed["encapContentInfo"]["eContent"])
        if self._key == "ED25519":
            return _granted(self._signed_by_ed25519(info_der))
        (place / "info").write_bytes(info_der)
        padded = ["-keyopt", "rsa_padding_mode:pss"] if self._signature == "cms pss" else []
        self._openssl(
            "cms", "-sign", "-binary", "-nodetach", "-in", str(place / "info"), "-econtent_type", _TST_INFO, "-cades",
            "-md", "sha256", "-signer", "signer.pem", "-inkey", "signer.key", *padded, "-certfile", "between.pem",
            "-outform", "DER", "-out", str(place / "token"),
        )  # fmt: skip
        return _granted((place / "token").read_bytes())

    def _signed_by_ed25519(self, info: bytes) -> bytes:
        """The same by hand (RFC 8419): openssl 3.0 signs no CMS with such keys."""
        certificates = [x509.load_pem_x509_certificate((self.folder / f"{n}.pem").read_bytes()) for n in _ENCLOSED]
        own = certificates[0].public_bytes(Encoding.DER)
        key = load_pem_private_key((self.folder / "signer.key").read_bytes(), None)
        assert isinstance(key, ed25519.Ed25519PrivateKey)
        sha512_id = _element(0x30, _oid("2.16.840.1.101.3.4.2.3"))
        named = _element(0x30, _element(0x30, _element(0x30, _element(0x04, sha256(own).digest()))))
        attributes = sorted(
            _element(0x30, _oid(kind), _element(0x31, value))
            for kind, value in (
                ("1.2.840.113549.1.9.3", _oid(_TST_INFO)),
                ("1.2.840.113549.1.9.4", _element(0x04, sha512(info).digest())),
                ("1.2.840.113549.1.9.16.2.47", named),
            )
        )
        issuer = certificates[0].issuer.public_bytes()
        serial = encode(univ.Integer(certificates[0].serial_number))
        signer = _element(
            0x30, _element(0x02, b"\x01"), _element(0x30, issuer, serial), sha512_id, _element(0xA0, *attributes),
            _element(0x30, _oid("1.3.101.112")), _element(0x04, key.sign(_element(0x31, *attributes))),
        )  # fmt: skip
        content = _element(0x30, _oid(_TST_INFO), _element(0xA0, _element(0x04, info)))
        enclosed = _element(0xA0, *(each.public_bytes(Encoding.DER) for each in certificates))
        data = _element(
            0x30, _element(0x02, b"\x03"), _element(0x31, sha512_id), content, enclosed, _element(0x31, signer)
        )
        return _element(0x30, _oid("1.2.840.113549.1.7.2"), _element(0xA0, data))

    def _issue(self, name: str, issuer: str, subject: str, key: str, days: int) -> None:
        # Who signs certificates or lists has a key of its own: no other authority vouches for what it signed.
        made = _new_key(key) if name in ("root", "between") else _key_of(name, key)
        (self.folder / f"{name}.key").write_bytes(made)
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


def _new_key(kind: str) -> bytes:
    algorithm = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"] if kind == "EC" else ["-algorithm", kind]
    return subprocess.run(["openssl", "genpkey", *algorithm], check=True, capture_output=True).stdout


@cache
def _key_of(name: str, kind: str) -> bytes:
    """Made once: to find primes takes a third of a second."""
    return _new_key(kind)


def _granted(token: bytes) -> bytes:
    """A TimeStampResp with a token."""
    return _element(0x30, bytes.fromhex("3003020100"), token)


def _element(tag: int, *contents: bytes) -> bytes:
    """A DER element."""
    content = b"".join(contents)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 + len(size)]) + size + content


def _oid(dotted: str) -> bytes:
    return bytes(encode(univ.ObjectIdentifier(dotted)))


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

    def do_GET(self) -> None:
        self.server.seen.append(dict(self.headers))  # type: ignore[attr-defined]
        content = self.server.files.get(self.path)  # type: ignore[attr-defined]
        self.send_response(200 if content is not None else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the base class has
        pass


@contextmanager
def serving(reply: object) -> Iterator[ThreadingHTTPServer]:
    """A server whose `reply(query)` gives status, content type and body; `seen` keeps the headers of requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.reply, server.seen, server.files = reply, [], {}  # type: ignore[attr-defined]
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
