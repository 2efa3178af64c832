"""Opens the page store that the settings name."""

from pagestore.blobs import INLINE_BYTES, Blobs
from pagestore.connection import MongoDatabase
from pagestore.mongo import MongoPageStore
from pagestore.mongo_history import RAW_BODIES
from pagestore.objects.opening import open_objects
from pagestore.objects.s3_client import S3Access
from pagestore.raw_bodies import MovedBodies, ObjectBodies, RawBodies


def open_page_store(database: MongoDatabase, raw_url: str, access: S3Access) -> MongoPageStore:
    """Return the page store in `database`, with response bodies at `raw_url` unless it is empty. Nothing is sent.

    Raises BadConfiguration if the URL is invalid.
    """
    return MongoPageStore(database, open_raw_bodies(database, raw_url, access))


def open_raw_bodies(database: MongoDatabase, raw_url: str, access: S3Access) -> RawBodies | None:
    """Return the store of response bodies at `raw_url`, or None if it is empty and they are in the database.

    Raises BadConfiguration if the URL is invalid.
    """
    if not raw_url:
        return None
    bodies = ObjectBodies(open_objects(raw_url, access, "ZHUIWEN_RAW_URL"))
    return MovedBodies(bodies, Blobs(database, RAW_BODIES, INLINE_BYTES))
