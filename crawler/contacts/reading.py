"""What one page says of where its site can be reached. Precision first: what a visitor wrote is not the site's."""

from dataclasses import dataclass

from lxml.html import HtmlElement

from core.contacts import MAX_VALUE_CHARS, Contact, ContactKind
from crawler.contacts.emails import email_of, emails
from crawler.contacts.numbers import numbers
from crawler.contacts.regions import LinkOfPage, regions
from crawler.contacts.telling_pages import has_form, kind_of_page, linked_pages
from crawler.page_addresses import base_of

MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class PageContacts:
    """The contacts of a page. is_telling: it speaks of the site itself, and needs no other page that says the same."""

    contacts: tuple[Contact, ...] = ()
    is_telling: bool = False


def page_contacts(tree: HtmlElement, url: str) -> PageContacts:
    """What a page says, each once; the tree stays as it is.

    On a page that speaks of the site, all of it but remarks counts; on any other its foot, and links to write to. Where
    no foot is named so, the numbers that stand at the end count.
    """
    kind = kind_of_page(url, _title(tree))
    found = regions(tree, is_telling=kind is not None)
    where = found.page if kind is not None else found.footer
    spoken = [*emails(where), *_mailed(found.links, is_telling=kind is not None)]
    spoken += numbers(where or found.tail)
    spoken += linked_pages(found.links, base_of(tree, url), url)
    if kind is not None and len(url) <= MAX_VALUE_CHARS:
        spoken += [Contact(kind, url)]
        spoken += [Contact(ContactKind.FORM, url)] if has_form(found.forms) else []
    once = {(each.kind, each.value): each for each in reversed(spoken)}
    return PageContacts(tuple(reversed(once.values())), kind is not None)


def _mailed(links: list[LinkOfPage], *, is_telling: bool) -> list[Contact]:
    """Addresses of links to write to. A page with many of them lists people."""
    found = {}
    for link in links:
        scheme, _, rest = link.href.strip().partition(":")
        if scheme.lower() == "mailto" and (address := email_of(rest.replace("%40", "@"))):
            label = "" if address in link.words.lower() else link.words[:60]
            found[address] = Contact(ContactKind.EMAIL, address, label)
    return list(found.values()) if len(found) <= (12 if is_telling else 3) else []


def _title(tree: HtmlElement) -> str:
    title = next(tree.iter("title"), None)
    return " ".join((title.text or "").split())[:MAX_TITLE_CHARS] if title is not None else ""
