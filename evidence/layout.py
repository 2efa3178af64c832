"""Where what stands in an export."""

from core.ids import Digest

FORMAT, VERSION = "zhuiwen-evidence", 2
READ_VERSIONS = (1, 2)  # 1: of a text on several pages, screenshot and PDF of the first alone
MANIFEST, SUMS, CASE, EXPLANATION, PRINTED = (
    "manifest.json",
    "SHA256SUMS",
    "case.json",
    "README.html",
    "README.pdf",
)
SEAL = "seal"  # stamps on the manifest itself: they cannot stand in it
QUERY, RESPONSE, ROOTS = "query.tsq", "response.tsr", "ca.pem"
# The file under which each rendering of a page is shown to a reader without WARC tools.
SHOWN = {"text": "text.txt", "screenshot": "screenshot.png", "pdf": "page.pdf"}


def bundle_file(digest: Digest) -> str:
    return f"bundles/{digest}.wacz"


def proof_file(digest: Digest) -> str:
    return f"proofs/{digest}.json"


def stamp_folder(root: Digest, number: int) -> str:
    return f"stamps/{root}/{number}"


def seal_folder(number: int) -> str:
    return f"{SEAL}/{number}"


def shown_file(digest: Digest, rendering: str) -> str:
    """The copy of a rendering as `Opened.renderings` names it.

    >>> shown_file(Digest("0123456789abcdef0123456789abcdef"), "pdf-3")
    'pages/0123456789abcdef/page-3.pdf'
    """
    kind, dash, number = rendering.partition("-")
    stem, dot, ending = SHOWN[kind].partition(".")
    return f"pages/{digest[:16]}/{stem}{dash}{number}{dot}{ending}"
