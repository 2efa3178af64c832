"""The contacts of a site, from its own pages and from the registries of its domain name and IP address."""

from dataclasses import dataclass
from enum import StrEnum

MAX_VALUE_CHARS, MAX_LABEL_CHARS = 500, 60


class ContactKind(StrEnum):
    """The kind of a contact."""

    ICP = "icp"  # ICP备, the record that every site in China needs
    ICP_LICENCE = "icp_licence"  # ICP证, the licence of a commercial site
    POLICE = "police"  # 公安备案, another register
    EMAIL = "email"
    COMPLAINT_PAGE = "complaint_page"
    CONTACT_PAGE = "contact_page"
    FORM = "form"  # a page with a complaint form
    HOST = "host"
    HOST_ABUSE = "host_abuse"
    REGISTRAR = "registrar"
    REGISTRAR_ABUSE = "registrar_abuse"


class ContactSource(StrEnum):
    PAGE = "page"
    RDAP = "rdap"
    WHOIS = "whois"


OF_PAGES = tuple(ContactKind)[:7]
PAGES = frozenset({ContactKind.COMPLAINT_PAGE, ContactKind.CONTACT_PAGE, ContactKind.FORM})


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact of a site. label: the words before it on the page, which may state its purpose, or ""."""

    kind: ContactKind
    value: str
    label: str = ""
