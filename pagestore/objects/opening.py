"""Opens the object store at a URL."""

from pathlib import Path

from core import service_urls
from core.errors import BadConfiguration
from core.ports import ObjectStore
from core.wording import Message
from pagestore.objects.folder import FolderObjects
from pagestore.objects.s3 import S3Objects
from pagestore.objects.s3_client import S3Access

FILE_SCHEME = "file://"
ALLOWED = ("file:///FOLDER", "s3://BUCKET/PREFIX")


def open_objects(url: str, access: S3Access, variable: str, folder: Message | None = None) -> ObjectStore:
    """Return the store at `file:///FOLDER` or `s3://BUCKET/PREFIX`. Nothing is created, written or sent.

    access: `Settings.s3`. variable: the setting that contains the URL, for errors. folder: the name of a folder store
    in errors. Raises BadConfiguration if the URL has another form or boto3 is not installed.
    """
    if url.startswith(FILE_SCHEME):
        return FolderObjects(Path(url.removeprefix(FILE_SCHEME)), folder)
    place = service_urls.bucket_and_prefix(url)
    if place is None:
        raise BadConfiguration("store.no-url", variable=variable, allowed=ALLOWED)
    return S3Objects(*place, access)
