"""Checks for `status` and `doctor` that the configured S3 stores can be read and written to."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import ServiceUnavailable, ZhuiwenError
from core.known_settings import environment_variable
from core.service_urls import bucket_and_prefix
from core.settings import S3Settings, Settings
from core.wording import Message


@dataclass(frozen=True, slots=True)
class S3Place:
    """A configured S3 store. name: its name in `status`."""

    name: str
    variable: str
    bucket: str
    prefix: str
    access: S3Settings

    @property
    def address(self) -> str:
        from pagestore.objects.s3_client import describe_place

        return describe_place(self.bucket, self.access)

    def read_fault(self) -> ZhuiwenError | None:
        """List the keys of an empty prefix, and return the error, or None if the store can be read."""
        from pagestore.objects.s3 import S3Objects

        try:
            next(S3Objects(self.bucket, self.prefix, self.access, is_brief=True).keys("probe/"), None)
        except ZhuiwenError as fault:
            return fault
        return None

    def write_fault(self) -> ZhuiwenError | None:
        """Write a small object, and return the error, or None if the store can be written to.

        The object has the same key each time and is not deleted.
        """
        from pagestore.objects.s3 import S3Objects

        try:
            S3Objects(self.bucket, self.prefix, self.access, is_brief=True).refuses_overwriting  # noqa: B018, it asks
        except ZhuiwenError as fault:
            return fault
        return None


def s3_places(settings: Settings) -> Iterator[S3Place]:
    """Yield the S3 stores of the settings, evidence first."""
    urls = {"evidence": settings.evidence.url, "raw": settings.services.raw_url}
    for name, url in urls.items():
        place = bucket_and_prefix(url)
        if place is not None:
            yield S3Place(name, environment_variable(f"{name}_url"), *place, settings.s3)


def choose_remedy(place: S3Place, fault: ZhuiwenError) -> Message:
    """Return the remedy: check the setting if the store does not respond, otherwise the store's own message."""
    is_silent = isinstance(fault, ServiceUnavailable)
    return Message("start.check-variable", variable=place.variable) if is_silent else fault.message
