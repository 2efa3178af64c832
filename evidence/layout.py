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
SEAL = "seal"  # stamps on the manifest itself: they cannot stand in it
QUERY, RESPONSE, ROOTS = "query.tsq", "response.tsr", "ca.pem"
# The file under which each rendering of a page is shown to a reader without WARC tools.
SHOWN = {"screenshot": "screenshot.png", "pdf": "page.pdf", "text": "text.txt"}


def bundle_file(digest: Digest) -> str:
    return f"bundles/{digest}.wacz"


def proof_file(digest: Digest) -> str:
    return f"proofs/{digest}.json"


def stamp_folder(root: Digest, number: int) -> str:
    return f"stamps/{root}/{number}"


def seal_folder(number: int) -> str:
    return f"{SEAL}/{number}"


def shown_file(digest: Digest, rendering: str) -> str:
    return f"pages/{digest[:16]}/{SHOWN[rendering]}"
