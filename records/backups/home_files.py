"""The files of the home folder that a backup has: settings, roots of authorities, and, encrypted, the secrets."""

from pathlib import Path

from core.settings_layers import SECRETS_FILE, SETTINGS_FILE
from records.backups.sealing import sealed

ROOTS = "authorities"  # a folder of certificates, one file for each authority of time stamps


def files_of(home: Path, passphrase: str) -> dict[str, bytes]:
    """By name, what is kept. passphrase: opens the secrets; where it is empty they are left out."""
    plain = [home / SETTINGS_FILE, *sorted((home / ROOTS).glob("*.pem"))]
    kept = {str(path.relative_to(home)): path.read_bytes() for path in plain if path.is_file()}
    secrets = home / SECRETS_FILE
    if passphrase and secrets.is_file():
        kept[SECRETS_FILE] = sealed(secrets.read_bytes(), passphrase)
    return kept
