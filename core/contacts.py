"""What is read of where a site can be reached: on its own pages, and in the registries of its name and address."""

from dataclasses import dataclass
from enum import StrEnum

MAX_VALUE_CHARS, MAX_LABEL_CHARS = 500, 60


class ContactKind(StrEnum):
    """What a contact is."""

    ICP = "icp"  # ICP备, the record that every site in China needs
    ICP_LICENCE = "icp_licence"  # ICP证, the licence of one that earns
    POLICE = "police"  # 公安备案, kept apart: it is another register
    EMAIL = "email"
    COMPLAINT_PAGE = "complaint_page"
    CONTACT_PAGE = "contact_page"
    FORM = "form"  # a page with a form that a complaint can be written into
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
    """One contact; label: the words beside it, as a hint of what it is for ("" for none)."""

    kind: ContactKind
    value: str
    label: str = ""
