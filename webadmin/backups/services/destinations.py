"""A destination as people write it -> the store that it names."""

from pathlib import Path

from core.errors import BadInput
from core.ports import ObjectStore
from core.settings import Settings
from core.wording import Message
from pagestore.objects.opening import FILE_SCHEME, open_objects

S3_SCHEME = "s3://"


def destination_url(destination: str) -> str:
    """Return the URL of a destination: a folder may be named by its path. Raises BadInput."""
    given = destination.strip()
    if given.startswith(S3_SCHEME):
        return given
    path = given.removeprefix(FILE_SCHEME)
    if not path or "://" in path:
        raise BadInput("backup.no-destination", given=given)
    return f"{FILE_SCHEME}{Path(path).expanduser().absolute()}"


def open_destination(destination: str, settings: Settings) -> ObjectStore:
    """Raises BadInput, BadConfiguration where what S3 needs is missing."""
    folder = Message("service.backup-folder")
    return open_objects(destination_url(destination), settings.s3, "DEST", folder)
