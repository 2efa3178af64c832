"""What the spider hands to the pipeline."""

from dataclasses import dataclass

from core.pages import Fetched, Reading
from crawler.frontier import Target


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page to keep; `target` is what the frontier calls it."""

    target: Target
    fetched: Fetched
    reading: Reading
