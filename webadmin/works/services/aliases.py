"""Finds the names of authors, including pen names and other aliases."""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from core.rights import account_key
from webadmin.works.models import AuthorAlias, Work

MAX_NAMES = 50  # pairs of names in one search
MIN_CHARS = 2  # a surname finds half of all authors


def names_like(typed: Collection[str], aliases: "QuerySet[AuthorAlias]") -> set[str]:
    """Return the author and the alias of each row in `aliases` in which either contains one of the words in `typed`.

    Words with fewer than MIN_CHARS characters are ignored.
    """
    asked = Q()
    for words in typed:
        if len(words) >= MIN_CHARS:
            asked |= Q(author__icontains=words) | Q(alias__icontains=words)
    if not asked:
        return set()
    pairs = aliases.filter(asked).values_list("author", "alias")[:MAX_NAMES]
    return {name for pair in pairs for name in pair}


def names_of_author(work: Work) -> list[str]:
    """Return all names of the author of `work`, the one on the work first; [] if it has no author."""
    if not work.author:
        return []
    key = account_key(work.author)
    pairs = AuthorAlias.objects.filter(rights_holder=work.rights_holder_id).values_list("author", "alias")
    others = [name for pair in pairs if key in {account_key(each) for each in pair} for name in pair]
    return list({account_key(name): name for name in (work.author, *reversed(others), work.author)}.values())
