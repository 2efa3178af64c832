"""Opens a bundle and checks its consistency: all digests, and all statements that appear in several parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bundles import bundle, comparison, container
from bundles.canonical import parse_canonical, sha256
from bundles.circumstances import cache_headers, request_validators
from bundles.container import required_file
from bundles.faults import DoesNotHold, Fault, require
from bundles.shapes import READ_IN_RESPONSE
from bundles.warc import FULL_PAGE, PDF, TEXT
from bundles.warc_reading import ByteBudget, Expanded, records
from core.captures import parse_head
from core.ids import Digest, digest
from core.marks import Mark, rebuild_text
from core.wording import Message

_SHOWN = (TEXT, FULL_PAGE, PDF)
_HEAD_END = b"\r\n\r\n"
MAX_PAGES = 1_000  # in one text; the crawler follows 60

# The fields that every reader of a bundle requires.
PAGE_FIELDS = frozenset({"url", "title", "fetched_at", "body_digest", "text_digest", "screenshot", "pdf", "absent"})
FINDING_FIELDS = frozenset(
    {"work", "page_text_digest", "class", "similarity", "matched_chars", "longest_equal_run_chars", "passages"}
    | {"algorithm_id", "code_version"}
)


@dataclass(frozen=True, slots=True)
class OpenedBundle:
    """The content of a bundle that was checked and is consistent.

    renderings: "text" and, if present, "screenshot" and "pdf" of the first page, "screenshot-N" and "pdf-N" of the Nth
    page of the text. finding: evidence/comparison.json for a suspected rewrite.
    """

    digest: Digest
    files: Mapping[str, memoryview]
    page: Mapping[str, Any]
    connection: Mapping[str, Any]
    finding: Mapping[str, Any]
    renderings: Mapping[str, bytes]
    fetched_at: datetime
    made_at: datetime
    circumstances: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _CheckedRecord:
    kind: str
    url: str
    digest: Digest  # of its payload
    payload: bytes  # of a rendering; other payloads are checked but not stored here
    head: bytes  # the HTTP head with its first line


def open_bundle(content: bytes | memoryview, part: str, said_in: str = bundle.FINDING) -> OpenedBundle:
    """Open a WACZ and check its consistency.

    part: the file's name in the export. said_in: the file with the finding; bundle.COMPARISON for a suspected rewrite.
    Raises DoesNotHold, naming `part` and the first invalid file or record in it.
    """
    try:
        return _open_bundle(memoryview(content), said_in)
    except DoesNotHold as fault:
        raise fault.nest(part) from fault


def _open_bundle(content: memoryview, said_in: str) -> OpenedBundle:
    files = container.read(content, "")
    package = parse_canonical(required_file(files, bundle.PACKAGE), bundle.PACKAGE)
    _check_listed(files, package)
    if required_file(files, bundle.PACKAGE_DIGEST) != bundle.package_digest(bytes(files[bundle.PACKAGE])):
        raise DoesNotHold(Fault.DIGEST, bundle.PACKAGE_DIGEST)
    names = bundle.PAGE, bundle.CONNECTION, bundle.CIRCUMSTANCES, said_in
    page, connection, around, finding = (parse_canonical(required_file(files, name), name) for name in names)
    _check_fields(page, PAGE_FIELDS, bundle.PAGE)
    _check_fields(finding, FINDING_FIELDS if said_in == bundle.FINDING else comparison.FIELDS, said_in)
    budget = ByteBudget()
    archived = list(_checked_records(required_file(files, bundle.ARCHIVE), budget))
    try:
        renderings = _page_renderings(archived, page)
        text = renderings["text"].decode("utf-8", "surrogatepass")
        _check_statements(archived, page, text)
        require(finding["page_text_digest"] == page["text_digest"], said_in, "flaw.page-text")
        if said_in == bundle.FINDING:
            _check_passages(finding, text)
        else:
            comparison.check(finding, text, said_in)
        _check_exchanges(archived, connection)
        _check_originals(files, page, budget)
        _check_circumstances(archived, around)
        fetched, made = datetime.fromisoformat(page["fetched_at"]), datetime.fromisoformat(package["created"])
        require(fetched.tzinfo is not None and made.tzinfo is not None, bundle.PAGE, "flaw.moments")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DoesNotHold(Fault.UNREADABLE, bundle.PAGE, why=Message("flaw.fields")) from error
    named = digest(bytes(files[bundle.PACKAGE]))
    return OpenedBundle(named, files, page, connection, finding, renderings, fetched, made, around)


def _check_listed(files: Mapping[str, memoryview], package: Mapping[str, Any]) -> None:
    """Check that datapackage.json lists exactly these files, with their sizes and SHA-256."""
    listed = _listed_files(package)
    for name, (hashed, size) in listed.items():
        if name not in files:
            raise DoesNotHold(Fault.MISSING, name)
        if len(files[name]) != size or f"sha256:{sha256(files[name])}" != hashed:
            raise DoesNotHold(Fault.DIGEST, name)
    for name in files:
        if name not in listed and name not in (bundle.PACKAGE, bundle.PACKAGE_DIGEST):
            raise DoesNotHold(Fault.UNLISTED, name)


def _listed_files(package: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    try:
        return {str(item["path"]): (str(item["hash"]), int(item["bytes"])) for item in package["resources"]}
    except (KeyError, TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, bundle.PACKAGE, why=Message("flaw.list-files")) from error


def _checked_records(compressed: bytes, budget: ByteBudget) -> Iterator[_CheckedRecord]:
    """Yield the records of data.warc.gz, each after checking its digests."""
    for fields, block in records(compressed, bundle.ARCHIVE, budget):
        yield _check_record(fields, block)


def _check_record(fields: Mapping[str, str], block: bytes) -> _CheckedRecord:
    """Check the digests of a record and return it.

    Raises DoesNotHold if a digest differs. Only renderings are returned with their payload.
    """
    name, kind, url = (fields.get(field, "") for field in ("warc-record-id", "warc-type", "warc-target-uri"))
    is_http = fields.get("content-type", "").startswith("application/http")
    end = block.find(_HEAD_END)
    start = 0 if not is_http else len(block) if end < 0 else end + len(_HEAD_END)
    payload_digest = sha256(memoryview(block)[start:])
    if fields.get("warc-block-digest") != f"sha256:{sha256(block)}" or (
        kind != "warcinfo" and fields.get("warc-payload-digest") != f"sha256:{payload_digest}"
    ):
        raise DoesNotHold(Fault.WARC_DIGEST, bundle.ARCHIVE, record=name)
    head = block[: end if end >= 0 else None] if is_http else b""
    return _CheckedRecord(kind, url, payload_digest, block[start:] if url.startswith(_SHOWN) else b"", head)


def _page_renderings(archived: list[_CheckedRecord], page: Mapping[str, Any]) -> dict[str, bytes]:
    """Check that page.json lists exactly the renderings in the archive, and return them by name."""
    pages = [page, *page["following"]]
    _check_drawn(pages)
    said = {TEXT: [("text", page["url"], page["text_digest"])]}
    for kind, prefix in (("screenshot", FULL_PAGE), ("pdf", PDF)):
        drawn = [each for each in pages if each.get(kind) is not None]
        said[prefix] = [(_rendering_name(kind, each), each["url"], each[kind]["digest"]) for each in drawn]
    found: dict[str, bytes] = {}
    for prefix, expected in said.items():
        records = [record for record in archived if record.url.startswith(prefix)]
        for record, (name, url, hashed) in zip(records, expected, strict=False):
            require(
                record.url == prefix + url and record.digest == hashed,
                bundle.PAGE,
                "flaw.rendering",
                name=name,
            )
            found[name] = record.payload
        kind = prefix.split(":")[1]
        require(len(records) == len(expected), bundle.PAGE, "flaw.rendering", name=kind)
    return found


def _rendering_name(kind: str, said: Mapping[str, Any]) -> str:
    """Return the name of a page's rendering, as in `OpenedBundle.renderings`."""
    return kind if said["number"] == 1 else f"{kind}-{said['number']}"


def _check_drawn(pages: list[Mapping[str, Any]]) -> None:
    """Check that page numbers increase. If a page has a screenshot, every other page must have one or a reason."""
    numbers: list[Any] = [said.get("number") for said in pages]
    are_numbers = all(type(number) is int and number <= MAX_PAGES for number in numbers)
    in_order = are_numbers and numbers[0] == 1 and numbers == sorted(set(numbers))
    require(in_order, bundle.PAGE, "flaw.page-numbers")
    if any(said["screenshot"] is not None for said in pages):
        is_told = all((said["screenshot"] is None) != (said["undrawn"] is None) for said in pages)
        require(is_told, bundle.PAGE, "flaw.drawn-pages")


def _check_statements(archived: list[_CheckedRecord], page: Mapping[str, Any], text: str) -> None:
    responses = [record for record in archived if record.kind == "response"]
    for said in (page, *page["following"]):
        _check_part(said, responses, archived)
    for said in page["page_resources"]:
        require(_is_there(archived, "resource", said["url"], said["digest"]), bundle.PAGE, "flaw.resource")
    if "marks" in page:
        marks = list(map(Mark.from_record, page["marks"]))
        require(rebuild_text(page["raw_text"], text, marks) == text, bundle.PAGE, "flaw.marks")


def _check_passages(finding: Mapping[str, Any], text: str) -> None:
    for passage in finding["passages"]:
        start, end = passage["page"]
        require(text[start:end] == passage["page_excerpt"], bundle.FINDING, "flaw.passage")


def _check_part(said: Mapping[str, Any], responses: list[_CheckedRecord], archived: list[_CheckedRecord]) -> None:
    """Check that the response and the source of the text that page.json states for a page are in the archive."""
    number = said["exchange"]
    is_there = isinstance(number, int) and 1 <= number <= len(responses)
    response = responses[number - 1] if is_there else None
    is_page = response is not None and response.digest == said["body_digest"] and response.url == said["url"]
    require(is_page, bundle.PAGE, "flaw.response")
    read_from = said["read_from"]
    if read_from["record"] == READ_IN_RESPONSE:
        is_read = read_from["digest"] == said["body_digest"]
    else:
        is_read = _is_there(archived, "conversion", read_from["record"], read_from["digest"])
    require(is_read, bundle.PAGE, "flaw.source-of-text")


def _check_exchanges(archived: list[_CheckedRecord], connection: Mapping[str, Any]) -> None:
    """Check that connection.json lists the responses in the archive, in order."""
    responses = [record for record in archived if record.kind == "response"]
    said = connection["exchanges"]
    are_same = len(said) == len(responses) and all(
        each["url"] == record.url and each["body_digest"] == record.digest
        for each, record in zip(said, responses, strict=False)
    )
    require(are_same, bundle.CONNECTION, "flaw.exchange")


def _check_circumstances(archived: list[_CheckedRecord], said: Mapping[str, Any]) -> None:
    """Check that each exchange names a described machine, and that validators and caches agree with the headers."""
    exchanges = list(_archived_exchanges(archived))
    require(len(exchanges) == len(said["exchanges"]), bundle.CIRCUMSTANCES, "flaw.exchange")
    for (request, response), each in zip(exchanges, said["exchanges"], strict=True):
        machine = each["machine"]
        is_described = machine is None or (type(machine) is int and 0 <= machine < len(said["machines"]))
        require(is_described, bundle.CIRCUMSTANCES, "flaw.machine")
        sent = None if request is None else request_validators(parse_head(request.head).headers)
        are_same = each["validators"] == sent and each["caches"] == cache_headers(parse_head(response.head).headers)
        require(are_same, bundle.CIRCUMSTANCES, "flaw.heads")
    require(
        all({"en", "zh"} <= each["why"].keys() for each in said["not_recorded"]), bundle.CIRCUMSTANCES, "flaw.fields"
    )


def _archived_exchanges(archived: list[_CheckedRecord]) -> Iterator[tuple[_CheckedRecord | None, _CheckedRecord]]:
    """Yield each response with its request, which is the preceding record, or with None if there is no request."""
    for before, record in zip([None, *archived], archived, strict=False):
        if record.kind == "response":
            yield (before if before is not None and before.kind == "request" else None), record


def _check_originals(files: Mapping[str, memoryview], page: Mapping[str, Any], budget: ByteBudget) -> None:
    """Check the offset and digest of each original record of another archive. They are listed in order of offset."""
    expanded: dict[str, tuple[Expanded, int]] = {}
    for part in (page, *page["following"]):
        for said in part["originals"]:
            name, at, size = said["file"], said["at"], said["bytes"]
            archive, end = expanded.get(name) or (Expanded(required_file(files, name), name, budget), 0)
            require(0 <= end <= at and size >= 0, bundle.PAGE, "flaw.original-record")
            archive.digest(at - end)
            require(archive.digest(size) == said["digest"], bundle.PAGE, "flaw.original-record")
            expanded[name] = archive, at + size


def _is_there(archived: list[_CheckedRecord], kind: str, url: str, hashed: str) -> bool:
    return any(each.kind == kind and each.url == url and each.digest == hashed for each in archived)


def _check_fields(said: Mapping[str, Any], fields: frozenset[str], part: str) -> None:
    missing = sorted(fields - said.keys())
    if missing:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.lacks", field=missing[0]))
