"""Buttons above a record that ask for confirmation, and the redirect after them."""

from collections.abc import Callable
from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.decorators import action
from unfold.enums import ActionVariant


def confirmed_action(
    url_path: str, icon: str, button: Any, question: Any, explanation: Any, *, is_primary: bool = False
) -> Callable[[Any], Any]:
    """Return the decorator of a button for managers, which asks a question before it acts."""
    return action(
        description=button,
        url_path=url_path,
        icon=icon,
        variant=ActionVariant.PRIMARY if is_primary else ActionVariant.DEFAULT,
        permissions=["manage"],
        dialog={"title": question, "description": explanation, "form_class": None, "form_submit_text": button},
    )


def redirect_to_record(request: HttpRequest, record: Model) -> HttpResponse:
    """Redirect from a dialog to a record's page; htmx, which sends dialogs, needs its own redirect header."""
    address = reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_change", args=[record.pk])
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)
