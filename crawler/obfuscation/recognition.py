"""Whether this machine can recognise characters in pictures, asked without loading any of it."""

from importlib.util import find_spec

from core.wording import Message


def is_installed() -> bool:
    """Whether the extra `ocr` is there."""
    return find_spec("rapidocr_onnxruntime") is not None


def missing_recognition() -> Message | None:
    """What is to be installed before pictures of text can be read; None where it is there."""
    return None if is_installed() else Message("site.no-ocr")
