"""Expect what the desk refuses, and the sentence that it gives for it."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import BadInput


def refused(sentence: str, act: Callable[..., object], *given: Any, **named: Any) -> None:
    """Doing this raises BadInput with words that match the sentence, a regular expression."""
    with pytest.raises(BadInput, match=sentence):
        act(*given, **named)
