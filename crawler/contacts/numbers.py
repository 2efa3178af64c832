"""The numbers under which a site is registered: ICP record, ICP licence, and apart from them the police record."""

import re
from collections.abc import Iterator

from core.contacts import Contact, ContactKind
from crawler.contacts.emails import fold
from crawler.site_identifiers import PROVINCES

MAX_NUMBERS = 6  # of one page; a list of sites with their records is no imprint
_GAP = r"[\s:：]{0,3}"
_SHORT = rf"[{PROVINCES}]"
_ICP = re.compile(
    rf"({_SHORT}){_GAP}ICP{_GAP}[备備]{_GAP}(?:案)?(?:第)?{_GAP}(\d{{6,10}}){_GAP}[号號](?:-(\d{{1,3}})(?!\d))?",
    re.IGNORECASE,
)
# The older form names province and six digits, the newer one the kind of service: B2-20090059.
_LICENCE = re.compile(rf"({_SHORT}){_GAP}ICP{_GAP}[证證]{_GAP}(?:第)?(\d{{6}}){_GAP}[号號]?", re.IGNORECASE)
_SERVICES = re.compile(rf"(?<![A-Za-z0-9])({_SHORT}|合字){_GAP}(B[12]-\d{{8}})(?!\d)", re.IGNORECASE)
_POLICE = re.compile(
    rf"({_SHORT}){_GAP}公网安[备備]{_GAP}(?:第)?{_GAP}(\d{{11,14}}){_GAP}[号號]?|({_SHORT})公網安[备備]{_GAP}(\d{{11,14}})"
)


def numbers(text: str) -> list[Contact]:
    """The numbers of a text, each once; none at all where it has more than MAX_NUMBERS of a kind.

    >>> [each.value for each in numbers("京ICP備12345678號-2 京公网安备 11010502012345号 京ICP证030173号")]
    ['京ICP备12345678号-2', '京ICP证030173号', '京公网安备11010502012345号']
    """
    folded, kept = fold(text), list[Contact]()
    for kind, values in ((ContactKind.ICP, _icp), (ContactKind.ICP_LICENCE, _licences), (ContactKind.POLICE, _police)):
        found = list(dict.fromkeys(values(folded)))
        kept += [Contact(kind, value) for value in found if len(found) <= MAX_NUMBERS]
    return kept


def _icp(text: str) -> Iterator[str]:
    for match in _ICP.finditer(text):
        yield f"{match[1]}ICP备{match[2]}号{f'-{match[3]}' if match[3] else ''}"


def _licences(text: str) -> Iterator[str]:
    yield from (f"{match[1]}ICP证{match[2]}号" for match in _LICENCE.finditer(text))
    yield from (f"{match[1]}{match[2].upper()}" for match in _SERVICES.finditer(text))


def _police(text: str) -> Iterator[str]:
    yield from (f"{match[1] or match[3]}公网安备{match[2] or match[4]}号" for match in _POLICE.finditer(text))
