"""A page around an obfuscated text, and the files that it refers to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from random import Random

from core.obfuscations import Obfuscation
from crawler.fetching.resources import ResourceKind, decode_data_url

ADDRESS = "https://novel.example/book/7/12.html"
_NAVIGATION = "".join(
    f'<li><a href="/list/{name}">{name}</a></li>' for name in ("首页", "玄幻", "武侠", "都市", "历史")
)


@dataclass(frozen=True, slots=True)
class Body:
    """Paragraphs as markup, with styles, scripts and files. truth: the text that a reader sees, a paragraph a line."""

    markup: Sequence[str]
    truth: str
    css: str = ""
    script: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)  # by path
    container: str = 'class="content"'


@dataclass(frozen=True, slots=True)
class HiddenPage:
    """One generated page. kind None: nothing is obfuscated."""

    name: str
    kind: Obfuscation | None
    html: str
    truth: str
    files: Mapping[str, bytes]


Maker = Callable[[Sequence[str], Random], Body]


def page_of(name: str, kind: Obfuscation | None, body: Body, *, is_external: bool = False) -> HiddenPage:
    """Return the whole page. is_external: its style is in a separate style sheet."""
    files = dict(body.files)
    style = f"<style>{body.css}</style>" if body.css else ""
    if is_external and body.css:
        files["/css/read.css"] = body.css.encode()
        style = '<link rel="stylesheet" href="/css/read.css">'
    html = (
        f'<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8"><title>第十二章 渡口_小说</title>{style}</head>'
        f"<body><ul>{_NAVIGATION}</ul><h1>第十二章 渡口</h1><div {body.container}>{''.join(body.markup)}</div>"
        f'<div class="foot"><a href="11.html">上一章</a> <a href="./">目录</a> <a href="13.html">下一章</a></div>'
        f"{body.script}</body></html>"
    )
    return HiddenPage(name, kind, html, body.truth, files)


def plain(paragraphs: Sequence[str], rng: Random) -> Body:
    """Return the paragraphs without obfuscation."""
    return Body([f"<p>{escape(each)}</p>" for each in paragraphs], "\n".join(paragraphs))


class PageFiles:
    """crawler.fetching.resources.Resources over the files of one page."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return decode_data_url(url, kind)
        return self._files.get(url.removeprefix("https://novel.example"))
