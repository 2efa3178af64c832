"""The S3 stores that settings name, as `status` and `doctor` see them: whether they can be read, and written to."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import ServiceUnavailable, ZhuiwenError
from core.known_settings import environment_variable
from core.service_urls import bucket_and_prefix
from core.settings import S3Settings, Settings
from core.wording import Message


@dataclass(frozen=True, slots=True)
class S3Place:
    """One of them. `name`: what `status` calls it."""

    name: str
    variable: str
    bucket: str
    prefix: str
    access: S3Settings

    @property
    def address(self) -> str:
        from pagestore.objects.s3_client import place_in_words

        return place_in_words(self.bucket, self.access)

    def read_fault(self) -> ZhuiwenError | None:
        """Why it cannot be read; None where it can. One list of nothing is asked for."""
        from pagestore.objects.s3 import S3Objects

        try:
            next(S3Objects(self.bucket, self.prefix, self.access, is_brief=True).keys("probe/"), None)
        except ZhuiwenError as fault:
            return fault
        return None

    def write_fault(self) -> ZhuiwenError | None:
        """Why it cannot be written to; None where it can. The same small object is put each time, and stays."""
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
    """What to do: look at the setting where nobody answers; else what the store, which did answer, said."""
    is_silent = isinstance(fault, ServiceUnavailable)
    return Message("start.check-variable", variable=place.variable) if is_silent else fault.message
