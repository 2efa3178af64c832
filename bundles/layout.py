"""The paths of files in an export."""

from core.ids import Digest

FORMAT, VERSION = "zhuiwen-evidence", 1
MANIFEST, SUMS, CASE, EXPLANATION, PRINTED = (
    "manifest.json",
    "SHA256SUMS",
    "case.json",
    "README.html",
    "README.pdf",
)
# The folder in the export of a matter for files that programs read; the other files have Chinese names for people.
CHECKS = "99-核验"
MATTER_EXPLANATION, MATTER_PRINTED = "00-证据说明.html", "00-证据说明.pdf"
MATTER = "matter.json"  # replaces case.json in the export of a matter
LEAD = "lead.json"  # replaces case.json in the export of a lead
PAPERS = "papers"
SEAL = "seal"  # timestamps on the manifest itself, which cannot list them
QUERY, RESPONSE, ROOTS = "query.tsq", "response.tsr", "ca.pem"
# The file name of each rendering of a page, for readers without WARC tools.
SHOWN = {"text": "text.txt", "screenshot": "screenshot.png", "pdf": "page.pdf"}

PICTURES = ("screenshot",)  # copied in the export of a matter; copies of PDFs would show each page twice


def checks_path(name: str) -> str:
    """Return the path in the export of a matter for a file that programs read."""
    return f"{CHECKS}/{name}"


def case_export_name(name: str) -> str:
    """Return the file name in the export of a case for a path from `checks_path`, or any other name unchanged.

    >>> case_export_name(checks_path(MANIFEST)), case_export_name(MATTER_PRINTED)
    ('manifest.json', '00-证据说明.pdf')
    """
    return name.removeprefix(f"{CHECKS}/")


def copy_name(stem: str, rendering: str) -> str:
    """Return the file name for the copy of a screenshot next to the bundle `stem`.wacz.

    >>> copy_name("03-网页取证/证据2", "screenshot-3")
    '03-网页取证/证据2-截图-3.png'
    """
    _kind, dash, number = rendering.partition("-")
    return f"{stem}-截图{dash}{number}.png"


def case_file(case: int) -> str:
    """Return the path in the export of a matter that corresponds to case.json in the export of a case."""
    return f"cases/{case}.json"


def paper_file(digest: Digest, ending: str) -> str:
    """Return the path of an enclosed document. Its digest names it, because original names may be equal or unsafe."""
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
    """Return the path of the copy of a rendering. rendering: a key of `OpenedBundle.renderings`.

    >>> shown_file(Digest("0123456789abcdef0123456789abcdef"), "pdf-3")
    'pages/0123456789abcdef/page-3.pdf'
    """
    kind, dash, number = rendering.partition("-")
    stem, dot, ending = SHOWN[kind].partition(".")
    return f"pages/{digest[:16]}/{stem}{dash}{number}{dot}{ending}"
