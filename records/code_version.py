"""Which code made a finding."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def code_version() -> str:
    """The installed version of the product; evidence quotes it."""
    try:
        return version("zhuiwen")
    except PackageNotFoundError:
        return "source"
