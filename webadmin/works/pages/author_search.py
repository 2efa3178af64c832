"""A base class for lists that are searched by any name of an author."""

from typing import ClassVar

from django.db.models import QuerySet
from django.http import HttpRequest

from webadmin.accounts.pages.isolation import HolderAdmin
from webadmin.accounts.pages.searching import written_ways
from webadmin.accounts.services.access import visible
from webadmin.works.models import AuthorAlias
from webadmin.works.services.aliases import names_like


class AuthorSearchAdmin(HolderAdmin):
    """A base class for lists whose search also finds records under the other names of an author."""

    author_path: ClassVar[str]  # the look-up from a record to the author of its work

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        names = names_like(written_ways(search_term), visible(AuthorAlias.objects.all(), request.user))
        found |= queryset.filter(**{f"{self.author_path}__in": names}) if names else queryset.none()
        return found, may_repeat
