"""Sites that are folders of files under tests/crawler/shapes, each of another shape, all with the same three chapters.

shape.json says what stands where; `{n}` in an address is the number of a chapter. In the files stand for the chapter of
that number, or of the one that is named ({{2.title}}): title, text (paragraphs as markup), first and second (half of
it), plain, markup and lines (as JSON), stored (JSON in JSON), flight (a script in JSON),
n, next; session is another one in each answer.

Further keys of shape.json:

charset             of all its files; utf-8
types               Content-Type, by the ending of a file
ignored_parameters  what may stand in a query and says nothing
ignored_path        the same for what stands from there on in a path
cookie              without it each answer is the file that `without_cookie` names
needs_browser       nothing but a browser can read it
"""

import html
import json
import re
import secrets
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from tests.support.web_server import Answer, WebServer

ROOT = Path(__file__).parent / "shapes"
CHAPTERS = (1, 2, 3)
_TYPES = {".html": "text/html", ".json": "application/json", ".txt": "text/plain", ".js": "text/javascript"}
_PLACE = re.compile(r"\{\{(?:(\d)\.)?(\w+)\}\}")


def chapter(number: int) -> tuple[str, list[str]]:
    """Title and paragraphs."""
    title, *paragraphs = (ROOT / "texts" / f"{number}.txt").read_text("utf-8").splitlines()
    return title, paragraphs


@dataclass(frozen=True)
class Shape:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def said(self) -> dict[str, Any]:
        found = json.loads((self.folder / "shape.json").read_text("utf-8"))
        assert isinstance(found, dict), self.folder
        return found

    @property
    def needs_browser(self) -> bool:
        return bool(self.said.get("needs_browser"))

    @cached_property
    def places(self) -> dict[str, tuple[str, int]]:
        """Address -> file, and the chapter that it shows."""
        return {
            address.replace("{n}", str(number)): (name, number)
            for address, name in self.said["routes"].items()
            for number in (CHAPTERS if "{n}" in address else CHAPTERS[:1])
        }

    def serve(self, server: WebServer) -> None:
        """Let a server be this site."""

        def answer(path: str) -> Answer:
            cookie = self.said.get("cookie", "")
            if cookie and cookie not in server.headers[path].get("Cookie", ""):
                return self._answer(self.said["without_cookie"], 1)
            found = self.places.get(self._bare(path))
            return self._answer(*found) if found else Answer(b"<p>404</p>", status=404)

        server.fallback = answer

    def _bare(self, address: str) -> str:
        if in_path := self.said.get("ignored_path"):
            return address.partition(in_path)[0]
        parts, ignored = urlsplit(address), self.said.get("ignored_parameters", ())
        if not ignored:
            return address
        kept = [f"{name}={quote(value)}" for name, value in parse_qsl(parts.query) if name not in ignored]
        return parts.path + ("?" + "&".join(kept) if kept else "")

    def _answer(self, name: str, number: int) -> Answer:
        charset, kind = self.said.get("charset", "utf-8"), Path(name).suffix
        text = (self.folder / name).read_text("utf-8")
        body = _PLACE.sub(lambda place: _filled(int(place[1] or number), place[2]), text).encode(charset)
        stated = self.said.get("types", {}).get(kind, f"{_TYPES[kind]}; charset={charset}")
        return Answer(body, stated)


def shapes() -> list[Shape]:
    """All of them, by name."""
    return [Shape(path.parent) for path in sorted(ROOT.glob("*/shape.json"))]


def _filled(number: int, name: str) -> str:
    title, paragraphs = chapter(min(number, CHAPTERS[-1]))
    half = len(paragraphs) // 2
    fillings = {
        "n": str(number),
        "next": str(number + 1),
        "title": title,
        "text": _markup(paragraphs),
        "first": _markup(paragraphs[:half]),
        "second": _markup(paragraphs[half:]),
        "plain": "\n".join(paragraphs),
        "markup": json.dumps(_markup(paragraphs)),
        "lines": json.dumps(paragraphs, ensure_ascii=False),
        "stored": json.dumps(json.dumps({"chapter": {"title": title, "text": "\n".join(paragraphs)}})),
        "flight": json.dumps(f"5:{json.dumps([['$', 'p', None, {'children': each}] for each in paragraphs])}\n"),
        "session": secrets.token_hex(8),
    }
    return fillings[name]


def _markup(paragraphs: list[str]) -> str:
    return "".join(f"<p>{html.escape(each)}</p>" for each in paragraphs)
