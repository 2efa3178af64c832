"""The passwords of the demo's accounts: made once, kept in the home folder for its owner alone."""

import json
import secrets
from pathlib import Path

from deploy.private_files import write_privately

FILE = "accounts.json"
PASSWORD_BYTES = 12  # 96 random bits


def passwords(folder: Path, usernames: tuple[str, ...]) -> dict[str, str]:
    """The password of each user; those that the file in `folder` does not have yet are made and kept."""
    path = folder / FILE
    try:
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):  # absent, or cut short by a power loss
        known = {}
    if any(name not in known for name in usernames):
        known |= {name: secrets.token_urlsafe(PASSWORD_BYTES) for name in usernames if name not in known}
        write_privately(path, json.dumps(known, indent=1) + "\n")
    return {name: known[name] for name in usernames}
