"""Reads the files of the home folder for a backup: settings, roots of authorities, and the secrets for its seal."""

from pathlib import Path

import tomlkit

from core.known_settings import known_settings
from core.settings_layers import SECRETS_FILE, SETTINGS_FILE

ROOTS = "authorities"  # a folder of certificates, one file for each time stamp authority


def read_home_files(home: Path) -> tuple[dict[str, bytes], bytes]:
    """Return the plain files by name, and the secrets for the seal."""
    kept = {str(path.relative_to(home)): path.read_bytes() for path in sorted((home / ROOTS).glob("*.pem"))}
    plain, hidden = _parse_toml(home / SETTINGS_FILE), _parse_toml(home / SECRETS_FILE)
    known = known_settings()
    for name in [
        each for each in plain if each in known and known[each].declaration.is_secret
    ]:  # written there by hand
        value = plain.pop(name)
        hidden.setdefault(name, value)
    if (home / SETTINGS_FILE).is_file():
        kept[SETTINGS_FILE] = tomlkit.dumps(plain).encode()
    return kept, tomlkit.dumps(hidden).encode()


def has_key(home: Path) -> bool:
    """Return True if the files have the key to the secrets in the database, not only the environment."""
    return any("secret_key" in _parse_toml(home / file) for file in (SETTINGS_FILE, SECRETS_FILE))


def _parse_toml(path: Path) -> tomlkit.TOMLDocument:
    return tomlkit.parse(path.read_text("utf-8")) if path.is_file() else tomlkit.document()
