"""The navigation of the desk's own pages: what the sidebar of Unfold's pages holds."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.module_loading import import_string

from webadmin.next_steps import NEXT_STEPS, NextStep
from webadmin.theme import navigation

register = template.Library()


@register.simple_tag(takes_context=True)
def desk_navigation(context: Context) -> list[dict[str, Any]]:
    """Give the groups of entries that the user may open, with the one that is open marked."""
    request = context["request"]
    groups = []
    for group in navigation(request):
        entries = [
            {"title": each["title"], "link": each["link"], "is_open": _is_open(request.path, each["link"])}
            for each in group["items"]
            if _is_permitted(request, each["permission"])
        ]
        if entries:
            is_open = not group["collapsible"] or any(each["is_open"] for each in entries)
            groups.append({**group, "items": entries, "is_open": is_open})
    return groups


@register.simple_tag
def next_step(model_name: str) -> NextStep | None:
    """What to do where a list is empty; None where nothing more can be said."""
    return NEXT_STEPS.get(model_name)


def _is_open(path: str, link: str) -> bool:
    return path == link or (link != reverse("admin:index") and path.startswith(link))


def _is_permitted(request: Any, permission: Any) -> bool:
    if permission is None:
        return True
    return bool((import_string(permission) if isinstance(permission, str) else permission)(request))
