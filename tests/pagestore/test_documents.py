"""Test what a document must not hold, so that every server of MongoDB's protocol takes it."""

import pytest

from core.errors import BrokenInvariant
from pagestore.documents import Document, required_portable


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"headers": [["a", "b"]]}, "headers.0 is a list in a list"),
        ({"parts": [{"headers": [{"value": ()}, [1]]}]}, "parts.0.headers.1 is a list in a list"),
        ({"title": "a\0b"}, "title is a string with a NUL or a lone surrogate"),
        ({"lines": ["a", "\ud800"]}, "lines.1 is a string with a NUL or a lone surrogate"),
        ({"a\0b": 1}, "the name 'a\\x00b' is a string with a NUL or a lone surrogate"),
    ],
)
def test_what_some_server_refuses_is_refused_with_its_place(document: Document, place: str) -> None:
    with pytest.raises(BrokenInvariant) as refusal:
        required_portable(document)
    assert str(refusal.value) == f"the page store rejects a document: {place}"
