"""Where what stands in an export."""

from core.ids import Digest

FORMAT, VERSION = "zhuiwen-evidence", 1
MANIFEST, SUMS, CASE, EXPLANATION, PRINTED = (
    "manifest.json",
    "SHA256SUMS",
    "case.json",
    "README.html",
    "README.pdf",
)
# In the export of a matter the folder of what programs check it by; its other files are named for people.
CHECKS = "99-核验"
MATTER_EXPLANATION, MATTER_PRINTED = "00-证据说明.html", "00-证据说明.pdf"
MATTER = "matter.json"  # in place of case.json where the export is that of a matter
LEAD = "lead.json"  # the same of a lead
PAPERS = "papers"
SEAL = "seal"  # stamps on the manifest itself: they cannot stand in it
QUERY, RESPONSE, ROOTS = "query.tsq", "response.tsr", "ca.pem"
# The file under which each rendering of a page is shown to a reader without WARC tools.
SHOWN = {"text": "text.txt", "screenshot": "screenshot.png", "pdf": "page.pdf"}

PICTURES = ("screenshot",)  # of these the export of a matter has copies: with all it would have each page twice


def in_checks(name: str) -> str:
    """Return where a file for programs stands in the export of a matter."""
    return f"{CHECKS}/{name}"


def outside_checks(name: str) -> str:
    """What such a file is called in all other exports; any other file as it is.

    >>> outside_checks(in_checks(MANIFEST)), outside_checks(MATTER_PRINTED)
    ('manifest.json', '00-证据说明.pdf')
    """
    return name.removeprefix(f"{CHECKS}/")


def copy_name(stem: str, rendering: str) -> str:
    """Return the screenshot beside a bundle whose file is called `stem`.wacz.

    >>> copy_name("03-网页取证/证据2", "screenshot-3")
    '03-网页取证/证据2-截图-3.png'
    """
    _kind, dash, number = rendering.partition("-")
    return f"{stem}-截图{dash}{number}.png"


def case_file(case: int) -> str:
    """What case.json is to the export of a case, in the export of a matter."""
    return f"cases/{case}.json"


def paper_file(digest: Digest, ending: str) -> str:
    """Return the file name of a paper, made from its content: names may have any characters, and may be the same."""
    return f"{PAPERS}/{digest}.{ending}"


def bundle_file(digest: Digest) -> str:
    return f"bundles/{digest}.wacz"


def proof_file(digest: Digest) -> str:
    return f"proofs/{digest}.json"


def stamp_folder(root: Digest, number: int) -> str:
    return f"stamps/{root}/{number}"


def seal_folder(number: int) -> str:
    return f"{SEAL}/{number}"


def shown_file(digest: Digest, rendering: str) -> str:
    """Return the copy of a rendering as `Opened.renderings` names it.

    >>> shown_file(Digest("0123456789abcdef0123456789abcdef"), "pdf-3")
    'pages/0123456789abcdef/page-3.pdf'
    """
    kind, dash, number = rendering.partition("-")
    stem, dot, ending = SHOWN[kind].partition(".")
    return f"pages/{digest[:16]}/{stem}{dash}{number}{dot}{ending}"
