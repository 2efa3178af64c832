"""Actions on lists and records: buttons that ask for confirmation, error messages, and redirects."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.decorators import action
from unfold.enums import ActionVariant

from core.errors import ZhuiwenError
from webadmin.ui.pages.wording import message_text

R = TypeVar("R")


def confirmed_action(
    url_path: str, icon: str, button: Any, question: Any, explanation: Any, *, is_primary: bool = False
) -> Callable[[Any], Any]:
    """Return a decorator for a manager's button that asks for confirmation before it acts.

    button: the label. question, explanation: the title and text of the dialog. is_primary: whether the button is
    highlighted.
    """
    return action(
        description=button,
        url_path=url_path,
        icon=icon,
        variant=ActionVariant.PRIMARY if is_primary else ActionVariant.DEFAULT,
        permissions=["manage"],
        dialog={"title": question, "description": explanation, "form_class": None, "form_submit_text": button},
    )


def redirect_to_record(request: HttpRequest, record: Model) -> HttpResponse:
    """Redirect from a dialog to a record's page. htmx, which sends dialogs, requires its own redirect header."""
    address = reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_change", args=[record.pk])
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def carry_out_each(
    request: HttpRequest, records: Iterable[R], act: Callable[[R], object], name: Callable[[R], str] = str
) -> int:
    """Call `act` on each record, and return the number of successes.

    An error is displayed as a message that begins with the record's `name`.
    """
    done = 0
    for record in records:
        try:
            act(record)
            done += 1
        except ZhuiwenError as error:
            messages.error(request, f"{name(record)}: {message_text(error)}")
    return done
