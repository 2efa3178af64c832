"""Pages that influenced no decision: `python -m laboratory.extraction.unseen_pages MIRRORS OUT [KIND]`.

MIRRORS contains a git copy of each repository, bare or not, as OWNER+NAME or OWNER+NAME/repo. The table beside this
module lists page, kind of page, reference, the title, author and date that a person read, and the places of comments
and teasers; the pages themselves may not be redistributed. OUT/open and OUT/closed each get a manifest: the first may
be inspected to fix errors, the second gives the figure. Each site is wholly in one of them. KIND: only pages whose kind
of reference begins with it, for example "third collection".
"""

import csv
import gzip
import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from lxml import etree, html

from core.errors import UnreadableFile, ZhuiwenError
from laboratory.extraction.saved_pages import MANIFEST

TABLE = Path(__file__).with_suffix(".tsv")
HALVES = ("open", "closed")
_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")  # some labels contain pictures in Markdown
LABELLED_ZONES = ("comment", "teaser")
_NO_TEXT = ("script", "style", "noscript", "template")
_UNPACK: Mapping[str, Callable[[bytes], bytes]] = {".xz": lzma.decompress, ".gz": gzip.decompress}


def build(mirrors: Path, out: Path, kind: str = "") -> dict[str, int]:
    """Write both folders, and return the number of pages in each. Raises UnreadableFile if a repository is missing."""
    counts = dict.fromkeys(HALVES, 0)
    for half in HALVES:
        (out / half / "pages").mkdir(parents=True, exist_ok=True)
    manifests: dict[str, list[str]] = {half: [] for half in HALVES}
    rows = list(_rows())
    halves = halves_of(rows)
    for row in (row for row in rows if row["kind"].startswith(kind)):
        body = _file(mirrors, row, row["path"])
        record = _record(row, body, _reference(mirrors, row, body))
        half = halves[row["site"]]
        (out / half / record["file"]).write_bytes(body)
        manifests[half].append(json.dumps(record, ensure_ascii=False))
        counts[half] += 1
    for half, lines in manifests.items():
        (out / half / MANIFEST).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return counts


def halves_of(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the half of each site. Sites with one kind of reference alternate, ordered by the digest of the name."""
    kinds: dict[str, str] = {}
    for row in rows:
        kinds.setdefault(row["site"], row["kind"])
    halves: dict[str, str] = {}
    for kind in sorted(set(kinds.values())):
        sites = sorted((site for site in kinds if kinds[site] == kind), key=lambda site: sha256(site.encode()).digest())
        halves |= {site: HALVES[number % 2] for number, site in enumerate(sites)}
    return halves


def _rows() -> Iterator[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)


def _file(mirrors: Path, row: Mapping[str, str], path: str) -> bytes:
    root = mirrors / row["repository"].replace("/", "+")
    places = [
        place for place in (root / "repo" / ".git", root / "repo", root / ".git", root) if (place / "objects").is_dir()
    ]
    if not places:
        raise UnreadableFile(root, "laboratory.no-repository")
    name = f"{row['commit']}:{path}"
    done = subprocess.run(["git", "--git-dir", places[0], "show", name], capture_output=True, check=False)  # noqa: S607
    if done.returncode:
        raise UnreadableFile(root, "laboratory.no-manifest", manifest=name)
    return _UNPACK.get(Path(path).suffix, bytes)(done.stdout)


def _reference(mirrors: Path, row: Mapping[str, str], body: bytes) -> str:
    kind, _, where = row["reference"].partition(":")
    if kind == "container":
        return _within(body, where, row.get("without") or "")
    data = _file(mirrors, row, where).decode("utf-8")
    if kind == "labels":
        return _PICTURE.sub("", str(json.loads(data)[Path(row["path"]).stem]["content"]))
    return _text(html.fromstring(data)) if kind == "markup" else data


def _within(body: bytes, where: str, without: str = "") -> str:
    """Return the text of the nodes of one XPath, without those of another."""
    tree = html.fromstring(body, parser=html.HTMLParser(encoding=_encoding(body)))
    for node in tree.xpath(without) if without else ():
        node.drop_tree()
    return "\n".join(map(_text, tree.xpath(where)))


def _encoding(body: bytes) -> str:
    """Return the encoding of a page, one of the two that occur in the table."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "gb18030"
    return "utf-8"


def _text(found: html.HtmlElement | str) -> str:
    if isinstance(found, str):
        return found.strip()
    etree.strip_elements(found, *_NO_TEXT, with_tail=False)
    return str(found.text_content()).strip()


def _record(row: Mapping[str, str], body: bytes, reference: str) -> dict[str, Any]:
    name = sha256(f"{row['repository']}:{row['path']}".encode()).hexdigest()[:12]
    return {
        "file": f"pages/{row['site']}_{name}.html",
        "source_repo": row["repository"],
        "source_path": row["path"],
        "encoding": _encoding(body),
        "text_kind": row["kind"],
        "page_kind": row.get("page") or "",
        "text": reference,
        "zones": {zone: _within(body, row[zone]) for zone in LABELLED_ZONES if row.get(zone)},
        **{field: row[field] for field in ("title", "author", "date")},
    }


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{build(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4])}\n")
    except ZhuiwenError as error:
        sys.exit(str(error))
