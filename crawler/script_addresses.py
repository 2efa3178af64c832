"""Addresses that a page has outside of href: in attributes, in frames and lists to choose from, in inline scripts.

Only what stands there whole is an address; none is put together. Whatever is found is judged as any other link is.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lxml import etree
from lxml.html import HtmlElement

MAX_SCRIPT_CHARS = 300_000  # of one page; the lists of chapters that scripts carry have some 60 characters a chapter
MAX_LITERALS = 5_000  # as many as links
_MAX_ADDRESS_CHARS = 300
# A literal that may be an address: it has no blanks, and begins as one does.
_LITERAL = re.compile(
    rf"""(["'`])(?=https?:|[\\/.?]|[\w%-]+[./])([^\s"'`<>{{}}|^$]{{2,{_MAX_ADDRESS_CHARS}}}+)\1""", re.ASCII
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": "", "v": "", "\n": ""}
_FILE = r"[\w%-][\w%./-]*\.(?:s?html?|php|aspx?|jsp)(?:\?[^\s<>\"'`{}|\\^]*)?"
_ADDRESS = re.compile(
    rf"(?:https?:)?//[^\s<>\"'`{{}}|\\^]+|\.{{0,2}}/[^\s<>\"'`{{}}|\\^]*|{_FILE}|\?[\w%-]+=[^\s<>\"'`{{}}|\\^]+"
)
_ASSIGNED = re.compile(
    r"""(?:location(?:\.href)?\s*=\s*|location\.(?:assign|replace)\s*\(\s*|window\.open\s*\(\s*|(?:push|router\.push)\s*\(\s*)$"""
)
_LINK_IN_MARKUP = re.compile(
    rf"""\bhref\s*=\s*(?:\\?(["'])([^"'\\\s<>]{{1,{_MAX_ADDRESS_CHARS}}}+)\\?\1|([^"'\\\s<>]{{1,{_MAX_ADDRESS_CHARS}}}+)>)""",
    re.IGNORECASE,
)
# What is asked for by scripts, and pictures.
_ASKED = re.compile(
    r"""(?:fetch|\$\.(?:get|post|ajax|getJSON)|axios(?:\.\w+)?|open)\s*\(\s*(?:["'](?:GET|POST)["']\s*,\s*)?$"""
    r"""|\w*(?:pic|cover|img|image|avatar|thumb|icon|logo|poster)\w*["']?\s*[:=]\s*$"""
    r"""|(?:\burl|\w*ajax\w*["']?|\w*api\w*["']?)\s*:\s*$|import\s*\(?\s*$|from\s*$|require\s*\(\s*$""",
    re.IGNORECASE,
)
_NO_PAGE = re.compile(
    r"(?:^|/)(?:api|ajax|graphql|rpc|collect|track\w*|beacon|stats?|count\w*|analytics|logs?|ads?|push|static|assets?|dist|cdn-cgi"
    r"|_next|_nuxt|wp-json|wp-admin|wp-content|wp-includes|plugins?|themes?|images?|img|fonts?|css|js|scripts?|oauth\w*|auth|user|users"
    r"|comments?|favicon\w*)(?=$|[/?.])",
    re.IGNORECASE,
)
_FILE_END = re.compile(r"\.(?:s?html?|php|aspx?|jsp)(?:$|\?)|\?[\w%-]+=")
_IS_PAGE = re.compile(r"\d|\.(?:s?html?|php|aspx?|jsp)(?:$|\?)|%[0-9a-fA-F]{2}|[\u4e00-\u9fff]")
_ATTRIBUTES = ("data-href", "data-url", "data-link", "formaction")
_HANDLERS = ("onclick",)
_SCRIPTED = "javascript:"
_HANDLED = etree.XPath(
    "//*[" + " or ".join(f"@{name}" for name in (*_ATTRIBUTES, *_HANDLERS)) + " or starts-with(@href, 'javascript:')]"
)


def clicked_elements(tree: HtmlElement) -> list[tuple[HtmlElement, list[str]]]:
    """The elements that lead somewhere by other attributes than href, and where to, as it stands there."""
    return [(node, found) for node in _HANDLED(tree) if (found := attribute_addresses(node))]


def attribute_addresses(node: HtmlElement) -> list[str]:
    """What an element leads to by other attributes than href, as they stand there; what its handlers say among it."""
    found = [value for name in _ATTRIBUTES if (value := node.get(name)) and _ADDRESS.fullmatch(value.strip())]
    href = node.get("href") or ""
    if href.startswith(_SCRIPTED):
        found += _handled(href)
    for name in _HANDLERS:
        if handler := node.get(name):
            found += _handled(handler)
    return found


def frame_addresses(tree: HtmlElement) -> Iterator[str]:
    """What frames show, and where forms without fields lead."""
    for node in tree.iter("iframe", "frame", "embed", "object"):
        yield node.get("src") or node.get("data-src") or node.get("data") or ""
    for form in tree.iter("form"):
        if (form.get("method") or "get").lower() == "get" and not any(
            field.get("name") for field in form.iter("input", "select", "textarea", "button")
        ):
            yield form.get("action") or ""


def option_address(option: HtmlElement) -> str:
    """What a choice in a list leads to, "" where its value is no address."""
    value = (option.get("value") or "").strip()
    return value if _ADDRESS.fullmatch(value) else ""


def script_addresses(sources: Iterable[str]) -> list[str]:
    """The addresses of pages that stand whole in inline scripts or in JSON, each once, in their order.

    An address has a figure in it, the ending of a page or Chinese, or stands beside another one of the same folder: a
    script of an ordinary page names settings of the site, and its pages elsewhere.
    """
    found: dict[str, bool] = {}
    left = MAX_SCRIPT_CHARS
    for source in sources:
        for address, is_assigned in _literals(source[: max(0, left)]):
            found[address] = found.get(address, False) or is_assigned
            if len(found) >= MAX_LITERALS:
                break
        left -= len(source)
    folders = Counter(_folder(address) for address in found)
    return [address for address, is_assigned in found.items() if is_assigned or _may_be_page(address, folders)]


def unescaped(literal: str) -> str:
    r"""What a literal of a script means.

    >>> unescaped(r"\/read\/1.html\u0026p=2")
    '/read/1.html&p=2'
    """
    if "\\" not in literal:
        return literal
    meant = _ESCAPE.sub(_character, literal)
    return meant if meant.isascii() else meant.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(sign: re.Match[str]) -> str:
    return chr(int(sign[1] or sign[2], 16)) if sign[1] or sign[2] else _CONTROLS.get(sign[3], sign[3])


def _handled(code: str) -> list[str]:
    return [address for address, _ in _literals(code[:2_000])]


def _literals(source: str) -> Iterator[tuple[str, bool]]:
    """Addresses among the literals of a script, and whether the page is led there."""
    for match in _LITERAL.finditer(source):
        literal = unescaped(match[2])
        before, after = (
            source[max(0, match.start() - 40) : match.start()].rstrip(),
            source[match.end() : match.end() + 8].lstrip(),
        )
        if before.endswith("+") or after.startswith("+") or _NO_PAGE.search(literal):
            continue
        is_assigned = bool(_ASSIGNED.search(before))
        if not is_assigned and _ASKED.search(before):
            continue
        if (is_assigned or _ADDRESS.fullmatch(literal)) and literal.strip("/."):
            yield literal, is_assigned
    for match in _LINK_IN_MARKUP.finditer(source):
        address = match[2] or match[3]
        if _ADDRESS.fullmatch(address) and not _NO_PAGE.search(address):
            yield address, True


def _may_be_page(address: str, folders: Counter[str]) -> bool:
    if address.startswith("."):  # so modules of scripts name one another
        return bool(_FILE_END.search(address))
    return bool(_IS_PAGE.search(address)) or folders[_folder(address)] > 1


def _folder(address: str) -> str:
    return address.partition("?")[0].rpartition("/")[0]
