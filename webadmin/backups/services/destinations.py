"""Opens the store at a destination that a user enters."""

from pathlib import Path

from core.errors import BadInput
from core.ports import ObjectStore
from core.settings import Settings
from core.wording import Message
from pagestore.objects.opening import FILE_SCHEME, open_objects

S3_SCHEME = "s3://"


def destination_url(destination: str) -> str:
    """Return the URL of a destination. A folder may be given as a path. Raises BadInput for any other text."""
    given = destination.strip()
    if given.startswith(S3_SCHEME):
        return given
    path = given.removeprefix(FILE_SCHEME)
    if not path or "://" in path:
        raise BadInput("backup.no-destination", given=given)
    return f"{FILE_SCHEME}{Path(path).expanduser().absolute()}"


def open_destination(destination: str, settings: Settings) -> ObjectStore:
    """Open the store at a destination.

    Raises BadInput for an invalid destination, BadConfiguration if settings for S3 are missing.
    """
    folder = Message("service.backup-folder")
    return open_objects(destination_url(destination), settings.s3, "DEST", folder)
