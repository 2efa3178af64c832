"""Template tags for the reviewers' pages."""

from django import template

from core.matches import ChangeKind
from webadmin.cases.models import Case
from webadmin.review.pages.case_page import comparison_html
from webadmin.ui.models import phrases

register = template.Library()


@register.simple_tag
def case_name(case: Case) -> str:
    """Return the name of a case with its number, which depends on its state."""
    return phrases.case_name(case.pk, case.state)


@register.filter
def change_tag(kind: str) -> str:
    """Return the short label displayed above a change of this kind."""
    return comparison_html.tag(ChangeKind(kind))
