"""Verifies an export and reports in English and Chinese: `python -m bundles.verify FILE`."""

import contextlib
import json
import sys
import unicodedata
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from bundles import layout
from bundles.certificates import parse_certificates
from bundles.comparison import CAUTION
from bundles.faults import DoesNotHold
from bundles.shapes import moment
from bundles.stamps import StampFacts
from bundles.verification import CheckedBundle, VerificationReport, check_file
from core.errors import UnreadableFile

HOLDS, BROKEN, UNREADABLE, NOT_STAMPED = 0, 1, 2, 3
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")


def report_verification(path: Path, trusted: Path | None = None, *, is_json: bool = False) -> int:
    """Verify the export at `path`, print the report on stdout or the error on stderr, and return the exit code.

    trusted: a PEM file of root certificates, or None for those in the export. is_json: whether to print JSON.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # replaced streams in tests have no `reconfigure`
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        report = check_file(path, b"" if trusted is None else _read_roots(trusted))
    except UnreadableFile as error:
        sys.stderr.write(
            "".join(f"{clean_terminal_line(error.message.in_language(language))}\n" for language in ("en", "zh"))
        )
        return UNREADABLE
    except DoesNotHold as fault:
        _write_fault(fault, is_json)
        return BROKEN
    if is_json:
        sys.stdout.write(_terminal_json(as_json(report)))
    else:
        sys.stdout.write("".join(f"{clean_terminal_line(line)}\n" for line in lines(report)))
    return HOLDS if report.is_stamped else NOT_STAMPED


def lines(report: VerificationReport) -> list[str]:
    """Return the lines of a report in English and Chinese."""
    pages, files, size = len(report.bundles), f"{report.files:,}", f"{report.bytes:,}"
    (en, zh), name = _export_kind(report), layout.CASE if report.lead is None else layout.LEAD
    said = [
        f"HOLDS: {en} {report.created}; {pages} bundle(s), {files} files, {size} bytes",
        f"核验通过：{zh} {report.created}；证据包 {pages} 个，文件 {files} 个，{size} 字节",
    ]
    if report.lead is not None:
        said += [f"  {CAUTION.in_language(language)}" for language in ("en", "zh")]
    for bundle in report.bundles:
        said += _bundle_lines(bundle, is_of_lead=report.lead is not None)
    for facts in report.seals:
        said += [f"  whole export stamped {_stamp_line(facts)}", f"  整份导出文件加盖时间戳 {_stamp_line(facts)}"]
    if report.papers:
        said += [
            f"  papers that go with it: {report.papers}; unchanged since the export, what they say was not checked",
            f"  所附材料 {report.papers} 份：自导出后未变，其内容未经核验",
        ]
    if not report.seals:
        said += [
            f"  facts and explanation ({name}, README) are the exporter's word: they bear no stamp of their own",
            f"  概要与说明（{name}、README）为导出方陈述，未单独加盖时间戳",
        ]
    if report.is_stamped:
        said += [
            "Compare the root certificate's SHA-256 above with what the authority publishes.",
            "请将上列根证书 SHA-256 与时间戳机构公布的值核对。",
        ]
    elif report.seals:
        said += [
            "PAGES NOT STAMPED: the whole export existed, as it is now, when it was stamped; when its pages were "
            "fetched is the exporter's word until its day is over and stamped. Export the case again then.",
            "网页尚未加盖时间戳：整份导出文件在加盖时间戳时即已存在且此后未变；各网页的抓取时间在当日结束并加盖时间戳之前，"
            "仅为导出方陈述。届时请重新导出。",
        ]
    else:
        said += [
            "NOT STAMPED: nothing was changed in this file since it was written, but whoever had it could have written "
            "it anew; it proves no time.",
            "未加盖时间戳：文件写成后未被改动，但持有者可以重新制作；不能证明其形成时间。",
        ]
    return said


def as_json(report: VerificationReport) -> dict[str, Any]:
    """Return a report as JSON values."""
    return {
        "holds": True,
        "stamped": report.is_stamped,
        "case": report.case,
        "matter": report.matter,
        "lead": report.lead,
        "papers": report.papers,
        "created": report.created,
        "files": report.files,
        "bytes": report.bytes,
        "bundles": [
            {
                "digest": bundle.digest,
                "url": bundle.url,
                "title": bundle.title,
                "fetched_at": moment(bundle.fetched_at),
                "stamps": [_json_stamp(facts) for facts in bundle.stamps],
            }
            for bundle in report.bundles
        ],
        "seals": [_json_stamp(facts) for facts in report.seals],
    }


def clean_terminal_line(text: str) -> str:
    """Return `text` with a dot in place of characters that control a terminal, break the line or reorder text."""
    return "".join("·" if unicodedata.category(char) in _ACTING else char for char in text)


def _terminal_json(value: object) -> str:
    """Return `value` as JSON in which characters that control a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    acting = {char for char in text if char != "\n" and unicodedata.category(char) in _ACTING}
    return text.translate({ord(char): json.dumps(char)[1:-1] for char in acting}) + "\n"


def _write_fault(fault: DoesNotHold, is_json: bool) -> None:
    if is_json:
        said = {"holds": False, "part": fault.part, "fault": fault.fault.name.lower()}
        sys.stdout.write(_terminal_json(said | {"en": str(fault), "zh": fault.message.in_language("zh")}))
    sys.stderr.write(
        f"DOES NOT HOLD: {clean_terminal_line(str(fault))}\n"
        f"核验不通过：{clean_terminal_line(fault.message.in_language('zh'))}\n"
    )


def _export_kind(report: VerificationReport) -> tuple[str, str]:
    """Return the kind and number of the export and what its time means, in English and Chinese."""
    if report.lead is not None:
        return f"lead {report.lead}, confirmed", f"线索 {report.lead}，确认于"
    if report.case is not None:
        return f"case {report.case}, exported", f"案件编号 {report.case}，导出于"
    return f"matter {report.matter}, exported", f"事项 {report.matter}，导出于"


def _bundle_lines(bundle: CheckedBundle, *, is_of_lead: bool) -> list[str]:
    at = moment(bundle.fetched_at)
    said = [f"  {bundle.url}", f"    fetched/取得 {at}  SHA-256 {bundle.digest}"]
    said += [f"    stamped/时间戳 {_stamp_line(facts)}" for facts in bundle.stamps]
    return said if bundle.stamps or is_of_lead else [*said, "    no time stamp / 无时间戳"]


def _stamp_line(facts: StampFacts) -> str:
    at = facts.not_revoked_at
    revoked = f"not revoked as of/吊销列表截至 {moment(at)}" if at else "revocation not checked/未查吊销"
    return f"{moment(facts.at)}  {facts.signer}  root/根证书 {facts.root} SHA-256 {facts.root_sha256}  {revoked}"


def _json_stamp(facts: StampFacts) -> dict[str, Any]:
    return {
        "at": moment(facts.at),
        "policy": facts.policy,
        "serial": str(facts.serial),  # up to 160 bits: too large for JSON numbers in other programs
        "signer": facts.signer,
        "root": facts.root,
        "root_sha256": facts.root_sha256,
        "not_revoked_at": moment(facts.not_revoked_at) if facts.not_revoked_at else None,
    }


def _read_roots(path: Path) -> bytes:
    try:
        pem = path.read_bytes()
        if not parse_certificates(pem):
            raise UnreadableFile(path, "file.no-certificate")
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    except ValueError as error:
        raise UnreadableFile(path, "file.bad-certificate") from error
    return pem


def main(arguments: list[str]) -> int:
    """Verify an export and return the exit code: 0 valid, 1 invalid, 2 unreadable, 3 valid but without timestamps."""
    options = ArgumentParser(prog="python -m bundles.verify", description="Verify an export of evidence, offline.")
    options.add_argument("file", metavar="FILE", type=Path)
    options.add_argument("--ca", metavar="PEM", type=Path, help="roots that you got from the authorities yourself")
    options.add_argument("--json", action="store_true", help="for programs")
    given = options.parse_args(arguments)
    return report_verification(given.file, given.ca, is_json=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
