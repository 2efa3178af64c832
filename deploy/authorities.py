"""Adds timestamp authorities to an installation.

The setting `tsa_urls` lists their URLs. The setting `tsa_roots` names the folder of their root certificates, one file
for each host. The product ships no URLs, and an authority is added only after it responded with a valid timestamp.
"""

from pathlib import Path

from bundles.authority import Authority
from bundles.certificates import MAX_PEM_BYTES, parse_certificates
from core.errors import BadConfiguration, BadInput, UnreadableFile
from core.known_settings import environment_variable
from core.private_files import write_privately
from core.settings_layers import SettingOrigin
from core.wording import Message
from crawler.fetching.authority_client import AuthorityClient
from deploy.configuration import Configuration
from webadmin.evidence.services.authorities import parse_roots, root_file

FOLDER = "authorities"  # of root certificates, in the home folder; used unless `tsa_roots` names another folder
URLS, ROOTS = "tsa_urls", "tsa_roots"


def prepare_authority(url: str, root: Path, held: Configuration) -> tuple[Authority, bytes]:
    """Return the authority at `url` for a test, and the root certificates in the file `root` as PEM.

    held: the settings of the installation. Raises UnreadableFile if the file cannot be read, and BadInput if it
    contains no certificates or if the environment sets the authorities.
    """
    _check_changeable(held)
    try:
        content = root.read_bytes()[: MAX_PEM_BYTES + 1]
    except OSError as error:
        raise UnreadableFile(root, "file.cannot-be-read", error=error.strerror or error) from error
    pem = parse_roots(content, root.name)
    client = AuthorityClient(allow_private=held.settings.evidence.allow_private_tsa)
    return Authority(url, pem, client), pem


def keep(url: str, pem: bytes, held: Configuration) -> list[Message]:
    """Store a tested authority in the settings, its root certificates first, and return the messages to report.

    Raises BadInput if `tsa_roots` is a single file that lacks a certificate, and BadConfiguration if a file cannot be
    written.
    """
    roots = held.settings.evidence.tsa_roots or str(held.home / FOLDER)
    said = _keep_root(url, pem, roots)
    if not held.settings.evidence.tsa_roots:
        said += held.set(ROOTS, roots)
    return said + held.set(URLS, ",".join(dict.fromkeys([*held.settings.evidence.tsa_urls, _escape_url(url)])))


def _check_changeable(held: Configuration) -> None:
    """Raise BadInput if the environment sets the authorities, because it would override the files."""
    for name in (URLS, ROOTS):
        if held.layers.origin(name) is SettingOrigin.ENVIRONMENT:
            raise BadInput("custody.set-in-environment", variable=environment_variable(name))


def _keep_root(url: str, pem: bytes, roots: str) -> list[Message]:
    """Store the certificates that are not stored yet, and return the messages to report.

    roots: the value of `tsa_roots`, a folder or a file.
    """
    place = Path(roots).expanduser()
    is_folder = place.is_dir() or not place.exists()
    try:
        if is_folder:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = root_file(url, roots)
        there = file.read_bytes() if file.exists() else b""
        known = parse_certificates(there)
        missing = [each for each in _pem_pieces(pem) if parse_certificates(each)[0] not in known]
        if missing and not is_folder:
            raise BadInput("custody.one-file-of-roots", file=file)
        if missing:
            write_privately(file, (there.rstrip() + b"\n" + b"".join(missing)).decode("ascii", "replace").lstrip())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadConfiguration("custody.root-not-kept", place=place, reason=reason) from error
    return [Message("custody.root-kept", file=file)] if missing else []


def _pem_pieces(pem: bytes) -> list[bytes]:
    end = b"-----END CERTIFICATE-----\n"
    return [piece + end for piece in pem.split(end) if piece.strip()]


def _escape_url(url: str) -> str:
    """Strip a URL and escape its commas for a comma-separated setting."""
    return url.strip().replace(",", "%2C")
