"""Availability of character recognition in pictures, checked without loading it."""

from importlib.util import find_spec

from core.wording import Message


def is_installed() -> bool:
    """Return True if the extra `ocr` is installed."""
    return find_spec("rapidocr_onnxruntime") is not None


def missing_recognition() -> Message | None:
    """Return the message that names the missing extra for pictures of text; None if it is installed."""
    return None if is_installed() else Message("site.no-ocr")
