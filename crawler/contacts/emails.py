"""Finds e-mail addresses in a text, including those that are written so that programs do not recognise them."""

import re
import unicodedata
from collections.abc import Iterator

from core.contacts import MAX_LABEL_CHARS, Contact, ContactKind

MAX_EMAILS = 12  # per page; a page with more than MAX_LISTED lists people, so that only addresses for complaints count
MAX_LISTED, MAX_SEEN = 20, 1_000
MAX_NAME_CHARS = 64  # RFC 5321, 4.5.3.1.1
# Replacements for "@" and ".", in brackets or in Chinese. A plain "#" counts only if the text mentions e-mail.
_AT = r"(?:\s?@\s?|\s?[\[(【{<]\s?(?:at|@|#|艾特|圈)\s?[\])】}>]\s?|\s?艾特\s?)"
_HASH = r"\s?[#＃*]\s?"
_DOT = r"(?:\.|\s?[\[(【{<]\s?(?:dot|点|\.)\s?[\])】}>]\s?)"
_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,40}[A-Za-z0-9])?"
_NAME = r"(?<![A-Za-z0-9._+@-])([A-Za-z0-9](?:[A-Za-z0-9_+-]|\.(?=[A-Za-z0-9])){0,62})"
_DOMAIN = rf"({_WORD}(?:{_DOT}{_WORD}){{0,3}}{_DOT}[A-Za-z]{{2,18}})(?![A-Za-z0-9@])"
_PLAIN = re.compile(_NAME + _AT + _DOMAIN, re.IGNORECASE)
_HASHED = re.compile(_NAME + _HASH + _DOMAIN, re.IGNORECASE)
_MAIL_WORDS = re.compile(r"邮箱|邮件|郵箱|郵件|邮址|e-?mail|mail|换成|改成|改为|替换|替換|換成|@", re.IGNORECASE)
_FOR_COMPLAINTS = re.compile(
    r"投诉|投訴|侵权|侵權|举报|舉報|版权|版權|著作权|法务|法務|维权|copyright|dmca|abuse|legal|infring", re.IGNORECASE
)
_NEAR = 40  # characters before and after the address
_NO_ADDRESS = re.compile(
    r"^(?:no-?reply|do-?not-?reply|postmaster|mailer-daemon|example|name|user|username|yourname|your|xxx+|abc|test)@"
    r"|@(?:example|domain|email|yourdomain|xxx+)\."
    r"|\.(?:png|jpe?g|gif|webp|svg|js|css|html?|php|aspx?|jsp|json|xml|mp[34]|woff2?)$",
    re.IGNORECASE,
)
# Addresses of authorities that receive reports of unlawful content; every site has them in its footer.
_OF_THE_STATE = re.compile(r"@(?:[\w-]+\.)*(?:12377\.cn|12321\.cn|12318\.cn|gov\.cn|cyberpolice\.cn)$", re.IGNORECASE)
_FORMAT_SIGNS = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def emails(text: str) -> list[Contact]:
    """Return the e-mail addresses in a text, each once, at most MAX_EMAILS. Addresses for complaints come first.

    >>> [each.value for each in emails("版权投诉：Fawu[at]pirate.example，邮箱 kefu#pirate.example（把#换成@）")]
    ['fawu@pirate.example', 'kefu@pirate.example']
    """
    folded = fold(text)
    found: dict[str, Contact] = {}
    wanted: dict[str, Contact] = {}
    for number, (address, label, is_wanted) in enumerate(_find_addresses(folded)):
        if number >= MAX_SEEN:
            break
        contact = Contact(ContactKind.EMAIL, address, label)
        found.setdefault(address, contact)
        if is_wanted:
            wanted.setdefault(address, contact)
    listed = {**wanted, **(found if len(found) <= MAX_LISTED else {})}
    return list(listed.values())[:MAX_EMAILS]


def parse_email(text: str) -> str:
    """Return the e-mail address of which a text consists, in lower case, or "" for any other text.

    >>> parse_email("Kefu@Pirate.example?subject=a"), parse_email("nobody"), parse_email("jubao@12377.cn")
    ('kefu@pirate.example', '', '')
    """
    match = _PLAIN.match(fold(text[:400]).strip().partition("?")[0])
    return _valid_address(match) if match is not None else ""


def is_for_complaints(address: str, label: str) -> bool:
    """Return True if an address, or the words before it, mention complaints, copyright or law.

    >>> is_for_complaints("dmca@a.example", ""), is_for_complaints("kefu@a.example", "客服")
    (True, False)
    """
    return bool(_FOR_COMPLAINTS.search(label) or _FOR_COMPLAINTS.search(address))


def fold(text: str) -> str:
    """Replace the full-width characters of a text by ASCII characters, and remove the invisible ones."""
    return _FORMAT_SIGNS.sub("", unicodedata.normalize("NFKC", text)).replace("。com", ".com").replace("。cn", ".cn")


def _find_addresses(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each address, its label, and whether the address or the words before it mention complaints."""
    for pattern in (_PLAIN, _HASHED):
        for match in pattern.finditer(text):
            before, behind = (
                text[max(0, match.start() - _NEAR) : match.start()],
                text[match.end() : match.end() + _NEAR],
            )
            if pattern is _HASHED and not _MAIL_WORDS.search(before + behind):
                continue
            address = _valid_address(match)
            if address:
                # The words before an address on its line describe it; a following address has its own words.
                line = before.rpartition("\n")[2]
                yield address, _address_label(line), is_for_complaints(address, line)


def _valid_address(match: "re.Match[str]") -> str:
    domain = re.sub(_DOT, ".", match[2], flags=re.IGNORECASE).lower()
    address = f"{match[1].lower()}@{domain}"
    is_address = len(match[1]) <= MAX_NAME_CHARS and len(address) <= 200
    return address if is_address and not _NO_ADDRESS.search(address) and not _OF_THE_STATE.search(address) else ""


def _address_label(line: str) -> str:
    """Return the last words of a line that precede an address, without separators."""
    words = re.split(r"[，,。;；|｜、\s]{1,9}", line.strip(" \t:：-—"))
    return words[-1][-MAX_LABEL_CHARS:].strip(" :：") if words else ""
