"""Template tags for the pages of the reviewer."""

from django import template

from core.matches import ChangeKind
from webadmin.cases.models import Case
from webadmin.review.pages.case_page import comparison_html
from webadmin.ui.models import phrases

register = template.Library()


@register.simple_tag
def case_name(case: Case) -> str:
    """Return the name of a case with its number, by its state."""
    return phrases.case_name(case.pk, case.state)


@register.filter
def change_tag(kind: str) -> str:
    """Return the letters shown above a change of this kind in the text."""
    return comparison_html.tag(ChangeKind(kind))
