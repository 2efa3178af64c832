"""Searches long lists in all spellings of a search term.

In a list with millions of rows, only the first SEARCHED rows are scanned. In addition, an index finds rows anywhere in
the list by the URL of a page and by the name of a work or site. A model sets `SEARCH_PATHS` to the look-ups from its
rows to their page and site, `SEARCHED_FURTHER` to the look-up of additional pages, and `IS_SEARCHED_FIRST` if it has
few rows.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_, or_
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import Field, ForeignObject, Lookup, Model, Q, QuerySet
from django.utils.text import smart_split, unescape_string_literal

from core.ids import SiteId, page_id
from crawler.urls import canonical
from webadmin.accounts.services.access import Person, visible
from webadmin.ui.pages.paging import MAX_COUNTED

MAX_SITES = 20  # sites searched for a host name
# Half of the counted rows. A search in the titles of 10,000 rows in a table of five million takes 0.2 to 0.5 s
# (PostgreSQL, November 2026). The same limit applies to the rows of works and sites found by name.
SEARCHED = MAX_NAMED = MAX_COUNTED // 2
_ADDRESS = re.compile(r"(?:https?:)?//(?:www\.)?|www\.(?=[^/\s]+\.)", re.IGNORECASE)


@ForeignObject.register_lookup
@Field.register_lookup
class Among(Lookup):
    """A look-up for rows whose field equals one of many strings or integers, passed as one SQL parameter."""

    lookup_name = "among"

    def get_prep_lookup(self) -> list[Any]:
        return list(self.rhs)

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        if not self.rhs:
            raise EmptyResultSet
        field, values = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{field} = ANY(%s)", [*values, self.rhs]
        return f"{field} IN (SELECT value FROM json_each(%s))", [*values, json.dumps(self.rhs)]  # noqa: S608 - a column of ours


def written_ways(typed: str) -> list[str]:
    """Return the spellings of a search term: a URL without scheme and "www", or the words in both Chinese scripts.

    >>> written_ways("https://www.pirate.example/read/1"), written_ways("渡口无灯")
    (['pirate.example/read/1'], ['渡口无灯', '渡口無燈'])
    """
    words = typed.strip()
    address = _ADDRESS.match(words)
    if address is not None and len(words.split()) == 1:
        return [words[address.end() :]]
    return list(
        dict.fromkeys([words, _script_converter("t2s").convert(words), _script_converter("s2t").convert(words)])
    )


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The rows that a search found. searched_entry_count: the number of rows searched, or 0 if all were searched."""

    rows: "QuerySet[Any]"
    searched_entry_count: int


def search(rows: "QuerySet[Any]", fields: Sequence[str], typed: str, user: Person) -> SearchResult:
    """Return the rows in which every word of `typed` occurs in some field and spelling, in the order of `rows`.

    fields: look-ups from a row; related works and sites are searched first, because they are few. user: whose works and
    sites are searched. Of more than SEARCHED rows, only the first ones and those found by an index are searched.
    """
    words = [_Word.parse(rows.model, fields, word, user) for word in split_words(typed)]
    every = rows.model._default_manager  # The conditions of `rows` are dropped, because they mislead the query planner.
    has_all = every.filter(reduce(and_, (word.anywhere for word in words), Q()))
    first = list(rows.values_list("pk", flat=True)[: SEARCHED + 1])
    keys = _row_keys(has_all.filter(pk__among=first[:SEARCHED]))
    if len(first) <= SEARCHED:
        return SearchResult(rows_with_keys(rows, keys), searched_entry_count=0)
    addressed = _row_keys(rows.filter(pk__among=_row_keys(every.filter(_is_address(rows.model, typed, user)))))
    for narrowed in _narrow_rows(rows, words, typed, user) if not addressed else ():
        if len(keys) < MAX_COUNTED:
            keys |= _row_keys(has_all.filter(pk__among=list(narrowed.values_list("pk", flat=True))))
    return SearchResult(rows_with_keys(rows, keys | addressed), searched_entry_count=0 if addressed else SEARCHED)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a search. anywhere: the condition that any field contains the word.

    named: the keys of the works and sites that contain the word, by relation.
    """

    anywhere: Q
    named: dict[str, list[Any]]

    @classmethod
    def parse(cls, model: type[Model], fields: Sequence[str], word: str, user: Person) -> "_Word":
        ways, named = written_ways(word), {}
        relations = {field.partition("__")[0]: model._meta.get_field(field.partition("__")[0]) for field in fields}
        few = {
            name: field.related_model
            for name, field in relations.items()
            if field.related_model is not None and getattr(field.related_model, "IS_SEARCHED_FIRST", False)
        }
        for relation, related in few.items():
            of_it = [field.partition("__")[2] for field in fields if field.startswith(f"{relation}__")]
            named[relation] = matching_keys(related, of_it, ways, user)
        others = [field for field in fields if field.partition("__")[0] not in few]
        return cls(has_words(others, ways) | _relation_filter(named), named)


def matching_keys(model: type[Model], fields: Sequence[str], ways: Sequence[str], user: Person) -> list[Any]:
    """Return the keys of the user's records of `model` in which a field contains one of the spellings in `ways`."""
    found = visible(model._default_manager.order_by(), user).filter(has_words(fields, ways))
    return list(found.values_list("pk", flat=True))


def _relation_filter(named: dict[str, list[Any]]) -> Q:
    return reduce(or_, (Q(**{f"{relation}__among": keys}) for relation, keys in named.items()), Q())


def has_words(fields: Sequence[str], ways: Sequence[str]) -> Q:
    """Return the condition that any field contains one of the spellings in `ways`, ignoring case."""
    looked_for = [
        Q(**{f"{field}__{'contains' if way.lower() == way.upper() else 'icontains'}": way})
        for field in fields
        for way in ways
    ]
    return reduce(or_, looked_for, Q())


def _narrow_rows(rows: "QuerySet[Any]", words: Sequence[_Word], typed: str, user: Person) -> Iterator["QuerySet[Any]"]:
    """Yield parts of a long list to search: rows of works and sites that contain a word, and of sites on a typed host.

    Works and sites with MAX_NAMED or more rows are skipped.
    """
    every = rows.model._default_manager.order_by()
    for word in words:
        for relation, named in word.named.items():
            few = list(every.filter(**{f"{relation}__among": named}).values_list("pk", flat=True)[:MAX_NAMED])
            if len(few) < MAX_NAMED:
                yield rows.order_by().filter(pk__among=few)
    host, to_site = written_ways(typed)[0].partition("/")[0].lower(), _search_paths(rows.model)[1]
    if "." in host and host.isascii() and "__" not in to_site:  # An order through another table has no index.
        of_host = Q(domains__host__icontains=host) | Q(start_urls__icontains=host)
        sites = _visible_sites(rows.model, to_site, user).filter(of_host).values_list("pk", flat=True)
        for site in sites.distinct()[:MAX_SITES]:  # one query each, so that an index gives the order
            yield rows.filter(**{to_site: site})[:SEARCHED]


def _is_address(model: type[Model], typed: str, user: Person) -> Q:
    """Return the condition for rows of the page whose URL was typed, with either scheme, with or without "www"."""
    bare = written_ways(typed)[0]
    to_page, to_site = _search_paths(model)
    if not to_page or "." not in bare.partition("/")[0] or len(bare.split()) != 1:
        return Q(pk__in=[])
    spelled = [f"{scheme}://{www}{bare}" for scheme in ("http", "https") for www in ("", "www.")]
    try:
        urls = {canonical(each) for each in spelled}
    except ValueError:
        return Q(pk__in=[])
    sites = _visible_sites(model, to_site, user).values_list("pk", flat=True)
    pages = [page_id(SiteId(str(site)), url) for site in sites for url in urls]
    of_page = Q(**{f"{to_page}__among": pages})
    further = getattr(model, "SEARCHED_FURTHER", "")  # The other URLs are in a table with an index.
    if not further:
        return of_page
    at_others = model._default_manager.filter(**{f"{further}__among": pages}).values_list("pk", flat=True)
    return of_page | Q(pk__in=list(at_others))


def _search_paths(model: type[Model]) -> tuple[str, str]:
    """Return the look-ups from a row to its page, or "" if it has none, and to its site."""
    return getattr(model, "SEARCH_PATHS", ("", "site"))


def _visible_sites(model: type[Model], to_site: str, user: Person) -> "QuerySet[Any]":
    """Return the sites that the user may see. to_site: the look-up from a row to its site, which gives the model."""
    for step in to_site.split("__"):
        model = model._meta.get_field(step).related_model  # type: ignore[assignment]
    return visible(model._default_manager.order_by(), user)


def _row_keys(rows: "QuerySet[Any]") -> set[Any]:
    return set(rows.order_by().values_list("pk", flat=True))


def rows_with_keys(rows: "QuerySet[Any]", keys: set[Any]) -> "QuerySet[Any]":
    """Return the rows with these keys in the order of `rows`, without its conditions.

    The conditions would mislead the query planner, and the keys already fulfil them.
    """
    found = rows.model._default_manager.filter(pk__among=keys).order_by(*rows.query.order_by)
    found.query.select_related = rows.query.select_related
    return found


def split_words(typed: str) -> Iterator[str]:
    """Yield the words of a search term as Django splits them: at spaces outside quotation marks."""
    for bit in smart_split(typed):
        is_quoted = bit[:1] in {'"', "'"} and bit[0] == bit[-1]
        yield unescape_string_literal(bit) if is_quoted else bit


@cache
def _script_converter(way: str) -> Any:
    from opencc import OpenCC

    return OpenCC(way)
