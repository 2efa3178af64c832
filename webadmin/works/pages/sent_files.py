"""Validates uploaded files before they are stored."""

from collections.abc import Callable
from typing import Any

from django import forms

from core.errors import ZhuiwenError
from webadmin.ui.pages.wording import message_text
from webadmin.works.services.proofs import MAX_PROOF_BYTES, require_proof


def validate_document(file: Any) -> Any:
    """Validate an uploaded document, and return it rewound to its start.

    Raises ValidationError if it is too large, or not a PDF, PNG, JPEG or Word file.
    """
    return validate_file(file, MAX_PROOF_BYTES, require_proof)


def validate_file(file: Any, most: int, require: Callable[[bytes], object]) -> Any:
    """Validate the content of an uploaded file with `require`, and return the file rewound to its start.

    `require` gets at most `most` + 1 bytes and should reject more than `most`. Raises ValidationError with its error.
    """
    try:
        require(file.read(most + 1))
    except ZhuiwenError as error:
        raise forms.ValidationError(message_text(error)) from error
    file.seek(0)
    return file
