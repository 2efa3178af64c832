"""A certificate authority of our own: root, intermediate, and a server's certificate for a name."""

import datetime
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Chain:
    """Certificates that a server sends, its own first (DER), and where they are written down."""

    sent: tuple[bytes, ...]
    chain_file: Path
    key_file: Path

    def server_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain_file, self.key_file)
        return context


def make_chain(folder: Path, host: str = "127.0.0.1") -> Chain:
    """A server's certificate for `host` under an intermediate under a root; the server does not send the root."""
    root_key, middle_key, own_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    root = _certificate("Probe Root", root_key, "Probe Root", root_key, is_authority=True)
    middle = _certificate("Probe Intermediate", middle_key, "Probe Root", root_key, is_authority=True)
    own = _certificate(host, own_key, "Probe Intermediate", middle_key, is_authority=False)
    chain_file, key_file = folder / "chain.pem", folder / "key.pem"
    chain_file.write_bytes(b"".join(each.public_bytes(Encoding.PEM) for each in (own, middle)))
    key_file.write_bytes(own_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / "root.pem").write_bytes(root.public_bytes(Encoding.PEM))
    return Chain(tuple(each.public_bytes(Encoding.DER) for each in (own, middle)), chain_file, key_file)


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if not is_authority:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(name))]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
