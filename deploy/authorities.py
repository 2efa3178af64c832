"""Adds time stamp authorities to an installation.

They are in two settings, `tsa_urls` and `tsa_roots`; the roots are in a folder, one file for each host. The product
ships no URLs, and an authority is added only after it responded with a valid stamp.
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

FOLDER = "authorities"  # in the home folder; contains the roots unless a setting names another folder
URLS, ROOTS = "tsa_urls", "tsa_roots"


def prepare_authority(url: str, root: Path, held: Configuration) -> tuple[Authority, bytes]:
    """Return the authority at `url`, ready for a trial, and the certificates of `root` as PEM.

    Raises BadConfiguration, BadInput, UnreadableFile.
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
    """Add a tested authority to the settings, its root first, and return the messages to report.

    Raises BadInput, BadConfiguration.
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
    """Add certificates to the file named by the setting, and return the messages to report."""
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
    """Escape a URL for a comma-separated list."""
    return url.strip().replace(",", "%2C")
