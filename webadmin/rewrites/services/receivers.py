"""What suspected rewrites do when rights or texts change."""

from django.utils import timezone

from core.matches import RewordedState
from webadmin.cases.services.locks import locked_pages
from webadmin.cases.signals import rights_ruled, text_withdrawn
from webadmin.database import batches
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import PageRecord


def connect() -> None:
    """Hear the signals of cases."""
    rights_ruled.connect(_compare_again)
    text_withdrawn.connect(_let_lapse)


def _compare_again(holder: int, **_: object) -> None:
    """Have pages with leads that nobody decided on compared by meaning once more, which asks the rights first."""
    leads = RewordedLead.objects.filter(rights_holder=holder, state=RewordedState.WAITING)
    pages = locked_pages(PageRecord.objects.filter(page_id__in=leads.values("page_id")))
    for batch in batches(list(pages.values_list("page_id", flat=True))):
        PageRecord.objects.filter(page_id__in=batch).update(reworded_version_id="")


def _let_lapse(text: str, **_: object) -> None:
    waiting = RewordedLead.objects.filter(text_id=text, state=RewordedState.WAITING, lapsed_at__isnull=True)
    waiting.update(lapsed_at=timezone.now())
