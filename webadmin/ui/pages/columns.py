"""Columns for single values in lists: percentages, obfuscations, states, links.

Django escapes text from crawled pages, and this module spells out its hidden characters: a title that reverses the
reading direction (U+202E) would reverse the rest of the line too.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import wraps
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.hidden_characters import clip_text, spell_hidden
from core.wording import Message
from webadmin.ui.models.phrases import name_of_obfuscation
from webadmin.ui.pages.web_addresses import is_web_address
from webadmin.ui.pages.wording import message_text

NOTHING = "—"
MAX_SITE_CHARS = 30  # characters of a site's name in a list
Column = Callable[[Any, Any], object]  # a function of a model admin and a record


def obfuscation_names(obfuscations: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the labels of kinds of obfuscation. A kind from a later version keeps its stored name."""
    return [name_of_obfuscation(str(item.get("kind"))) for item in obfuscations]


def obfuscation_line(obfuscations: Iterable[Mapping[str, Any]]) -> str:
    """Return the labels of kinds of obfuscation in one line, with the separator of the user's language."""
    separator = "、" if (get_language() or "").startswith("zh") else ", "
    return separator.join(obfuscation_names(obfuscations)) or NOTHING


def moment(at: datetime | None) -> str:
    """Format a time for a table in the user's time zone, or return a dash for None."""
    return localtime(at).strftime("%Y-%m-%d %H:%M") if at else NOTHING


def day_and_time(at: datetime | None) -> list[str]:
    """Format a time as two lines, day and time, for Unfold's header column, or return a dash and "" for None."""
    return moment(at).split(" ") if at else [NOTHING, ""]


def html_list(row: str, cells: Iterable[tuple[object, ...]]) -> SafeString | str:
    """Return an HTML list with an item for each tuple of cells, or a dash if there are none.

    row: the markup of an item.
    """
    items = format_html_join("", f"<li>{row}</li>", cells)
    return format_html('<ul class="list-disc pl-4">{}</ul>', items) if items else NOTHING


def obfuscation_table(obfuscations: Iterable[Mapping[str, Any]]) -> SafeString | str:
    """Return an HTML list of the kinds of obfuscation with their counts and examples, for a record's page."""
    rows = (
        (name_of_obfuscation(str(item.get("kind"))), item.get("count", 0), spell_hidden(str(item.get("example", ""))))
        for item in obfuscations
    )
    return html_list("{} × {} <code>{}</code>", rows)


def sentence_list(sentences: Iterable[str]) -> SafeString | str:
    return html_list("{}", ((spell_hidden(str(sentence)),) for sentence in sentences))


def change_link(record: Model | None, text: str = "") -> SafeString | str:
    """Return a link to a record's page, or a dash for None. text: by default, the record's name."""
    if record is None:
        return NOTHING
    address = reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_change", args=[record.pk])
    return format_html('<a class="text-link" href="{}">{}</a>', address, text or str(record))


def list_link(model: type[Model], text: object, **filters: object) -> SafeString:
    """Return a link to a list with these filters."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return format_html('<a class="text-link" href="{}?{}">{}</a>', address, urlencode(filters), text)


def outside_link(url: str, text: str = "") -> SafeString | str:
    """Return a link to a crawled page, or only the text if the URL's scheme is not http or https.

    text: by default, the URL.
    """
    shown = spell_hidden(text or url)
    if not is_web_address(url):
        return shown
    return format_html(
        '<a class="text-link" href="{}" target="_blank" rel="noopener noreferrer nofollow">{}</a>', url, shown
    )


def two_lines(first: object, second: object, most: int = 60) -> list[str]:
    """Return two lines for Unfold's header column, each cut to `most` characters.

    A hostile title would otherwise widen the table.
    """
    return [clip_text(str(first), most), clip_text(str(second), most)]


@display(description=_("site"), ordering="site__name")
def site_name(record: Any) -> str:
    """Return the name of a record's site, cut, because a long name would push other columns off the list."""
    return clip_text(record.site.name, MAX_SITE_CHARS) if record.site else NOTHING


def moment_column(field: str, description: Any, *, is_ordered: bool = False, header: bool = False) -> Column:
    """Return a column with a time of each record.

    is_ordered: whether the list can be sorted by it. header: whether it takes two lines.
    """

    @display(description=description, ordering=field if is_ordered else None, header=header)
    def column(model_admin: object, record: Any) -> object:
        at = getattr(record, field)
        return day_and_time(at) if header else moment(at)

    return column


def text_column(path: str, description: Any, most: int = 60, *, is_ordered: bool = False) -> Column:
    """Return a column with a text of each record or of a related record, cut to `most` characters.

    is_ordered: whether the list can be sorted by it.
    """
    text_of = attrgetter(path)

    @display(description=description, ordering=path.replace(".", "__") if is_ordered else None)
    def column(model_admin: object, record: Any) -> str:
        return clip_text(text_of(record), most) or NOTHING

    return column


def address_column(field: str, description: Any) -> Column:
    """Return a column with the URL of a crawled page, as a link."""

    @display(description=description)
    def column(model_admin: object, record: Any) -> object:
        url = getattr(record, field)
        return outside_link(url) if url else NOTHING

    return column


def count_column(name: str, description: Any) -> Column:
    """Return a column with the count of this name of each crawl or import."""

    @display(description=description)
    def column(model_admin: object, record: Any) -> int:
        return int(record.counts.get(name, 0))

    return column


def case_column(path: str) -> Column:
    """Return a column that links to the case of each record. path: the attribute that contains the case."""
    case_of = attrgetter(path)

    @display(description=_("case"))
    def column(model_admin: object, record: Any) -> object:
        case = case_of(record)
        return change_link(case, clip_text(str(case)))

    return column


@display(description=_("faults"))
def stored_faults(model_admin: object, record: Any) -> SafeString | str:
    """Return the errors stored with a record, as a list."""
    return sentence_list(stored_sentence(fault) for fault in record.faults)


def size_column(field: str, description: Any) -> Column:
    """Return a column with a number of bytes of each record."""

    @display(description=description)
    def column(model_admin: object, record: Any) -> str:
        return filesizeformat(getattr(record, field))

    return column


def sentence_column(field: str, description: Any, most: int = 0) -> Column:
    """Return a column with a stored message of each record, cut to `most` characters if `most` is not 0."""

    @display(description=description)
    def column(model_admin: object, record: Any) -> str:
        sentence = stored_sentence(getattr(record, field))
        return clip_text(sentence, most) if most else sentence

    return column


def state_column(colors: Mapping[Any, str]) -> Column:
    """Return a column with the state of each record in its colour."""

    @display(description=_("state"), ordering="state", label=colors)
    def column(model_admin: object, record: Any) -> tuple[str, str]:
        return record.state, record.get_state_display()

    return column


def label_text(labelled: Any) -> Column:
    """Return a column with only the text of the coloured column `labelled`, for a record's page."""

    @display(description=labelled.short_description)
    def column(model_admin: object, record: Any) -> object:
        return labelled(model_admin, record)[1]

    return column


def draw_once(column: Column) -> Column:
    """Cache the values of a column, because a form reads each field several times."""

    @wraps(column)
    def draw(model_admin: Any, record: Any) -> object:
        kept, name = vars(record), f"drawn_{column.__name__}"
        if name not in kept:
            kept[name] = column(model_admin, record)
        return kept[name]

    return draw


def stored_sentence(message: Message | None) -> str:
    """Return a stored message in the user's language, with hidden characters spelled out, or a dash for None."""
    return spell_hidden(message_text(message)) if message else NOTHING
