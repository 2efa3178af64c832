"""How much of pages is copied: what copies its page for the most part is not compared by meaning."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import F

from webadmin.cases.models import Case, CaseAddress, Exclusion
from webadmin.rewrites.services.owed import OwingPage


def copied_shares(pages: Sequence[OwingPage]) -> Mapping[str, float]:
    """The share of each page that cases, and findings that are none, say is copied in the version it shows."""
    shares: dict[str, float] = defaultdict(float)
    keys = [str(each.page) for each in pages]
    cases = Case.objects.filter(page__in=keys, version_id=F("page__version_id"))
    for page, share in cases.values_list("page_id", "page_containment"):
        shares[page] += share
    addresses = CaseAddress.objects.filter(page__in=keys).exclude(page=F("case__page"))
    for page, share in addresses.values_list("page_id", "case__page_containment"):
        shares[page] += share
    # Of a finding that is no case no share is kept.
    excluded = Exclusion.objects.filter(page__in=keys, page__chars__gt=0)
    for page, chars, of in excluded.values_list("page_id", "matched_chars", "page__chars"):
        shares[page] += chars / of
    return shares
