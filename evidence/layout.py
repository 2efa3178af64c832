"""Where what stands in an export."""

from core.ids import Digest

FORMAT, VERSION = "zhuiwen-evidence", 3
# 1: of a text on several pages, screenshot and PDF of the first alone; 2: no papers, no matters
READ_VERSIONS = (1, 2, 3)
MANIFEST, SUMS, CASE, EXPLANATION, PRINTED = (
    "manifest.json",
    "SHA256SUMS",
    "case.json",
    "README.html",
    "README.pdf",
)
MATTER = "matter.json"  # in place of case.json where the export is that of a matter
LEAD = "lead.json"  # the same of a lead
PAPERS, DOCUMENTS = "papers", "documents"
SEAL = "seal"  # stamps on the manifest itself: they cannot stand in it
QUERY, RESPONSE, ROOTS = "query.tsq", "response.tsr", "ca.pem"
# The file under which each rendering of a page is shown to a reader without WARC tools.
SHOWN = {"text": "text.txt", "screenshot": "screenshot.png", "pdf": "page.pdf"}

PICTURES = ("screenshot",)  # of these the export of a matter has copies: with all it would have each page twice


def case_file(case: int) -> str:
    """What case.json is to the export of a case, in the export of a matter."""
    return f"cases/{case}.json"


def document_file(name: str) -> str:
    """A list, table or sheet that the program wrote for a matter."""
    return f"{DOCUMENTS}/{name}"


def paper_file(digest: Digest, ending: str) -> str:
    """A paper is named by its content: its own name may have any characters, and may be that of another too."""
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
    """The copy of a rendering as `Opened.renderings` names it.

    >>> shown_file(Digest("0123456789abcdef0123456789abcdef"), "pdf-3")
    'pages/0123456789abcdef/page-3.pdf'
    """
    kind, dash, number = rendering.partition("-")
    stem, dot, ending = SHOWN[kind].partition(".")
    return f"pages/{digest[:16]}/{stem}{dash}{number}{dot}{ending}"
