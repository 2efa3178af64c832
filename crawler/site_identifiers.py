"""Reads the identifiers of a site's operator: accounts for analytics and advertising, ICP number, e-mail address.

Accounts are read only from scripts, because a text that mentions an account does not use it. The caller decides by the
number of pages whether an identifier belongs to the site or to a single page.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

from lxml.html import HtmlElement

if TYPE_CHECKING:
    from tldextract import TLDExtract

MAX_SCRIPT_CHARS, MAX_TEXT_CHARS = 400_000, 400_000  # per page
BAIDU, GOOGLE, CNZZ, LA51, ADSENSE, BAIDU_UNION, ICP, EMAIL = (
    *("baidu", "google", "cnzz", "51la", "adsense", "baidu_union", "icp", "email"),
)
_IN_SCRIPTS = (
    (BAIDU, re.compile(r"hm\.baidu\.com/hm?\.js\?([0-9a-f]{32})\b")),
    (
        GOOGLE,
        re.compile(r"(?:gtag/js\?id=|gtm\.js\?id=|['\"]config['\"]\s{0,9},\s{0,9}['\"])(G-[A-Z0-9]{6,14}|AW-\d{6,14})"),
    ),
    (GOOGLE, re.compile(r"['\"=](GTM-[A-Z0-9]{5,9})\b")),
    (GOOGLE, re.compile(r"['\"=](UA-\d{4,10})-\d{1,4}\b")),  # the account; its suffix is the number of the site
    (CNZZ, re.compile(r"\bcnzz\.com/[^\"'\s]{0,200}?[?&](?:web_)?id=(\d{5,12})\b")),
    (LA51, re.compile(r"js\.users\.51\.la/(\d{5,12})\.js")),
    (LA51, re.compile(r"LA\.init\(\s{0,9}\{\s{0,9}['\"]?id['\"]?\s{0,9}:\s{0,9}['\"]([A-Za-z0-9]{10,24})['\"]")),
    (ADSENSE, re.compile(r"\bca-(pub-\d{16})\b")),
    (BAIDU_UNION, re.compile(r"cpro_id\s{0,9}=\s{0,9}['\"](u\d{5,10})\b")),
)
# Short names of provinces. Four provinces have a second one: 蜀, 滇, 黔, 陇.
PROVINCES = "蜀滇黔陇京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_ICP = re.compile(rf"([{PROVINCES}])\s?ICP\s?[备備]\s?(\d{{6,10}})\s?[号號]", re.IGNORECASE)
_EMAIL = re.compile(
    r"(?<![\w.+-])([A-Za-z0-9][\w.+-]{1,40}@[A-Za-z0-9][A-Za-z0-9-]{0,40}(?:\.[A-Za-z0-9-]{2,20}){1,3})(?![\w@])"
)
_NO_PERSON = re.compile(
    r"^(?:no-?reply|postmaster|mailer-daemon|example|name|user|yourname)@|@example\.|\.(?:png|jpe?g|gif|webp|svg|js|css)$"
)


def identifiers(tree: HtmlElement) -> frozenset[tuple[str, str]]:
    """Return the kind and value of each identifier on a page.

    >>> from lxml import html
    >>> page = '<p>UA-1234567-1</p><script src="https://hm.baidu.com/hm.js?0123456789abcdef0123456789abcdef"></script>'
    >>> sorted(identifiers(html.fromstring(f"<body>{page}<p>京ICP备12345678号-2 Kefu@Pirate.example</p></body>")))
    ... # doctest: +NORMALIZE_WHITESPACE
    [('baidu', '0123456789abcdef0123456789abcdef'), ('email', 'kefu@pirate.example'), ('icp', '京ICP备12345678号')]
    """
    scripts = _script_text(tree)
    found = {(kind, match[1]) for kind, pattern in _IN_SCRIPTS for match in pattern.finditer(scripts)}
    text = _visible_text(tree)
    found |= {(ICP, f"{match[1]}ICP备{match[2]}号") for match in _ICP.finditer(text)}
    emails = {match[1].lower() for match in _EMAIL.finditer(text)}
    return frozenset(found | {(EMAIL, each) for each in emails if not _NO_PERSON.search(each)})


def registrable(host: str) -> str:
    """Return the registrable domain of a host, or the host itself if it has none. All blogs on a platform share it.

    >>> registrable("a.blog.example.com.cn"), registrable("127.0.0.1")
    ('example.com.cn', '127.0.0.1')
    """
    return _suffix_list()(host).top_domain_under_public_suffix or host


@cache
def _suffix_list() -> "TLDExtract":
    from tldextract import TLDExtract  # imports an HTTP client, which takes 0.07 s, even to name a kind of identifier

    return TLDExtract(cache_dir=None, suffix_list_urls=())  # the list that tldextract ships; nothing is fetched


def _script_text(tree: HtmlElement) -> str:
    pieces: list[str] = []
    for node in tree.iter("script", "ins"):
        pieces += [node.get("src") or "", node.get("data-ad-client") or "", node.text or ""]
    return "\n".join(pieces)[:MAX_SCRIPT_CHARS]


def _visible_text(tree: HtmlElement) -> str:
    pieces: list[str] = []
    for node in tree.iter():
        if isinstance(node.tag, str) and node.tag not in {"script", "style"}:
            pieces += [node.text or "", (node.get("href") or "").removeprefix("mailto:") if node.tag == "a" else ""]
        pieces.append(node.tail or "")
    return "\n".join(pieces)[-MAX_TEXT_CHARS:]  # a site describes itself at the end of a page
