"""The headers of a response as plain text."""

from scrapy.http import Response


def decode_headers(response: Response) -> dict[str, str]:
    """Return names and values; those of repeated headers are joined."""
    return {name.decode("latin-1"): b", ".join(values).decode("latin-1") for name, values in response.headers.items()}
