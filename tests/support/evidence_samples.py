"""A page that copied a work, as the crawler and the matcher would hand it over. All texts are our own."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bundles.records import CapturedPage, Drawing, Finding, Part, Passage, Rendering
from core.captures import Capture, NameAnswer, TlsSession, WireExchange
from core.circumstances import ClockFault, ClockReading, Machine, NetworkRoute, Program
from core.ids import Digest, digest
from core.wording import Message

FETCHED = datetime(2026, 11, 20, 8, 15, 30, 250_000, tzinfo=UTC)
MADE = FETCHED + timedelta(minutes=5)
SALT = "0f" * 16
WORK = "雨停的时候，巷口的灯先亮了。卖豆花的老人把木桶盖好，慢慢推着车往回走。他说今年的桂花开得晚，要等到霜降以后。"
PASSAGE = "卖豆花的老人把木桶盖好，慢慢推着车往回走。"
PAGE_TEXT = f"第七章 雨停\n{PASSAGE}\n本站首发，请勿转载。"
MACHINE = Machine(
    noted_at=FETCHED - timedelta(minutes=1),
    host="crawl-1",
    system="Debian GNU/Linux 12 (bookworm)",
    kernel="Linux 6.1.0-18-amd64 x86_64",
    program=Program("0.1.0", Digest("cd" * 32), 1_225, (("Python", "3.11.7"), ("Scrapy", "2.19.0"))),
    resolver_lines=("nameserver 192.0.2.53",),
    hosts_digest=Digest("ef" * 32),
    hosts_bytes=49,
    has_response_cache=False,
    clock=(
        ClockReading("time.example", FETCHED - timedelta(minutes=1), "192.0.2.123", 0.012, 0.003, 2),
        ClockReading("away.example", FETCHED - timedelta(minutes=1), "192.0.2.124", fault=ClockFault.NO_ANSWER),
    ),
)
WAY = NetworkRoute("192.0.2.2", "eth0", "192.0.2.1", ("203.0.113.9 m.daoban.example",))
HTML = f"<html><head><title>第七章 雨停</title></head><body><p>{PASSAGE}</p></body></html>".encode()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
PDF = b"%PDF-1.7\n" + b"drawn " * 500 + b"\n%%EOF\n"


def capture(**changes: object) -> CapturedPage:
    """A page behind one redirect, with everything that a capture can have.

    changes: fields of the capture, of its first part and of that part's drawing; following: further parts.
    """
    dns = NameAnswer("m.daoban.example", ("203.0.113.9", "2001:db8::9"), FETCHED, "192.0.2.53")
    tls = TlsSession("TLSv1.3", "TLS_AES_256_GCM_SHA384", 256, "m.daoban.example", (certificate_der(),))
    redirect = WireExchange(
        url="http://daoban.example/7.html",
        status=301,
        **make_instant_times(FETCHED - timedelta(seconds=1)),
        request_head=head("GET /7.html HTTP/1.1", ("Host", "daoban.example"), ("User-Agent", "zhuiwen")),
        response_head=head("HTTP/1.1 301 Moved Permanently", ("Location", "https://m.daoban.example/7.html")),
        server_address="203.0.113.8",
        is_decoded=True,
    )
    page = WireExchange(
        url="https://m.daoban.example/7.html",
        status=200,
        **make_instant_times(FETCHED),
        request_head=head(
            "GET /7.html HTTP/1.1",
            ("Host", "m.daoban.example"),
            ("Cookie", "session=geheim-4711"),
            ("Accept", "text/html"),
        ),
        response_head=head(
            "HTTP/1.1 200 OK",
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Encoding", "gzip"),
            ("Set-Cookie", "session=geheim-4712"),
            ("Age", "31"),
            ("Via", "1.1 b\xfccher\r\n X: y"),
        ),
        server_address="203.0.113.9",
        body=HTML,
        is_decoded=True,
        name_answer=dns,
        tls=tls,
        way=WAY,
    )
    first = Part(
        Capture((redirect, page), machine=MACHINE),
        drawing=Drawing(
            Rendering(PNG, "image/png", FETCHED + timedelta(minutes=1), "Chromium 142", page.url),
            Rendering(PDF, "application/pdf", FETCHED + timedelta(minutes=2), "Chromium 142", page.url),
        ),
    )
    made = CapturedPage(
        parts=(first,),
        title="第七章 雨停",
        text=PAGE_TEXT,
        extractor="density",
        encoding="utf-8",
        obfuscations=({"kind": "zero_width", "count": 3, "example": "老\u200b人"},),
    )
    return with_fields(made, **changes)


def head(line: str, *headers: tuple[str, str]) -> bytes:
    """The head of a request or response."""
    return "".join(f"{each}\r\n" for each in (line, *map(": ".join, headers), "")).encode("latin-1")


def make_instant_times(at: datetime) -> dict[str, datetime]:
    """The moments of an exchange that took no time."""
    return {"sent_at": at, "answered_at": at, "ended_at": at}


def with_fields(made: CapturedPage, *, following: tuple[Part, ...] = (), **changes: object) -> CapturedPage:
    """A capture with these fields, be they its own, of its first part, its exchanges or its drawing."""

    def of(each: object) -> dict[str, Any]:
        return {name: changes.pop(name) for name in {field.name for field in fields(each)} & changes.keys()}  # type: ignore[arg-type]

    first, *others = made.parts
    own = of(made)
    drawn, fetched = replace(first.drawing, **of(first.drawing)), replace(first.capture, **of(first.capture))
    first = replace(first, drawing=drawn, capture=fetched, **of(first))
    assert not changes
    return replace(made, parts=(first, *(following or others)), **own)


def part(number: int, **changes: object) -> Part:
    """A further page of the chapter, behind a redirect."""
    page = replace(
        capture().page,
        url=f"https://m.daoban.example/7_{number}.html",
        body=f"<p>第{number}页</p>".encode(),
        ended_at=FETCHED + timedelta(seconds=number),
    )
    hop = replace(page, url=f"https://m.daoban.example/go?{number}", status=302, body=b"")
    made = Part(Capture((hop, page)), drawing=drawing(number, page.url), number=number)
    return replace(made, **changes)  # type: ignore[arg-type]


def drawing(number: int, url: str) -> Drawing:
    """How the page of this number looks."""
    at, content = FETCHED + timedelta(minutes=number), b" of page %d" % number
    return Drawing(
        Rendering(PNG + content, "image/png", at, "Chromium 142", url),
        Rendering(PDF + content, "application/pdf", at, "Chromium 142", url),
    )


def bare_capture(url: str = "http://daoban.example/8.html", text: str = PAGE_TEXT) -> CapturedPage:
    """A page fetched without a browser over plain HTTP."""
    page = capture().page
    return capture(
        exchanges=(replace(page, url=url, tls=None, name_answer=None),),
        text=text,
        screenshot=None,
        pdf=None,
        absent={"screenshot": Message("bundle.not-drawn-yet")},
    )


def finding(text: str = PAGE_TEXT, **changes: object) -> Finding:
    """Return what was found on the page."""
    at, work_at = text.index(PASSAGE), WORK.index(PASSAGE)
    passage = Passage(
        page=(at, at + len(PASSAGE)),
        work=(work_at, work_at + len(PASSAGE)),
        similarity=1.0,
        page_excerpt=PASSAGE,
        work_excerpt=PASSAGE,
    )
    made = Finding(
        work_title="桂花开得晚",
        work_author="林溪",
        work_text_id="ab" * 20,
        work_digest=digest(WORK.encode()),
        work_chars=len(WORK),
        match_class="excerpt",
        similarity=1.0,
        page_containment=0.7,
        work_containment=0.4,
        matched_chars=len(PASSAGE),
        longest_equal_run_chars=len(PASSAGE),
        passages=(passage,),
        algorithm_id=2,
        algorithm={"anchor": "folded syllables", "length": 5},
        parameters={"min_similarity": 0.35, "classes": {"identical": 0.99}},
        code_version="0.1.0+abc",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def certificate_der(name: str = "m.daoban.example") -> bytes:
    """A certificate that a server might show; always the same but for its key and signature."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(FETCHED - timedelta(days=30))
        .not_valid_after(FETCHED + timedelta(days=60))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.DER)
