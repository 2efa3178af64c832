"""A site of any number of pages, made as it is asked for, in a process of its own, to measure the speed of crawling.

`/` lists the catalogues, each catalogue 100 pages; a page has a text of its own of 1,500 characters, the links of a
template of its site, and the next page's.
"""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from laboratory.draws import generator

PAGES_A_LIST = 100
TEXT_CHARS = 1_500
_SCRIPTS = "<script>var _hmt=_hmt||[];(function(){var s=document.createElement('script');s.async=true})();</script>" * 3
_SPELLED = (
    "老渡口 石阶 豆腐脑 担子 木桶盖 热气 江心 账册 包袱 清晨 大雾 汽笛 掌柜 布庄 青砖 雨伞 "
    "灯笼 纸钱 戏台 账房 码头 船工 慢慢地 轻轻地 忽然 终于 仍旧 从来 不曾 已经 正在 想起 "
    "走进 放下 抬头 看见 听说 记得 忘了 问道 回答 沉默 他 她 他们 那个人 没有人 孩子 "
    "母亲 先生 二叔 邻居 客人 伙计 "
)
_WORDS = tuple(_SPELLED.split())


def text_of(number: int) -> str:
    """The text of a page, the same for the same number, and of no other page."""
    chance = generator(number, "crawl")
    sentences: list[str] = []
    length = 0
    while length < TEXT_CHARS:
        sentence = "".join(chance.choices(_WORDS, k=chance.randrange(5, 12))) + "。"
        sentences.append(sentence)
        length += len(sentence)
    return "".join(f"<p>{''.join(sentences[start : start + 4])}</p>" for start in range(0, len(sentences), 4))


def document(path: str, pages: int) -> str | None:
    """The markup at an address; None where there is none."""
    name, _, digits = path.strip("/").partition("/")
    lists = -(-pages // PAGES_A_LIST)
    if path == "/":
        return _page("目录", _links(f"/list/{number}" for number in range(lists)))
    number = int(digits) if digits.isdecimal() else pages
    if name == "list" and number < lists:
        first = number * PAGES_A_LIST
        return _page("目录", _links(f"/p/{n}" for n in range(first, min(first + PAGES_A_LIST, pages))))
    if name == "p" and number < pages:
        turn = f'<a href="/p/{max(0, number - 1)}">上一章</a> <a href="/list/{number // PAGES_A_LIST}">目录</a>'
        return _page(f"第{number + 1}章 渡口", f'<div class="content">{text_of(number)}</div><div>{turn}</div>')
    return None


def _page(title: str, body: str) -> str:
    template = "".join(f'<li><a href="/list/{number}">第{number + 1}卷</a></li>' for number in range(10))
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>{_SCRIPTS}</head>'
        f'<body><div class="nav"><ul>'
        f"{template}</ul></div><h1>{title}</h1>{body}<div class='foot'>本站所有文字均为测试而作</div></body></html>"
    )


def _links(paths: Iterator[str]) -> str:
    return "<ul>" + "".join(f'<li><a href="{path}">{path} 章节</a></li>' for path in paths) + "</ul>"


@contextmanager
def served(pages: int, latency_s: float) -> Iterator[str]:
    """The site's URL while it is served. latency_s: what a real site and the way to it take."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, pages, latency_s), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/"
    finally:
        process.kill()
        process.join()


def _serve(pipe: Connection, pages: int, latency_s: float) -> None:
    asyncio.run(_serve_for_ever(pipe, pages, latency_s))


async def _serve_for_ever(pipe: Connection, pages: int, latency_s: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                await asyncio.sleep(latency_s)
                writer.write(_response(line.split()[1].decode("latin-1"), pages))
                await writer.drain()
        except (ConnectionError, IndexError):
            pass
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    pipe.send(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()


def _response(path: str, pages: int) -> bytes:
    markup = document(path, pages)
    body = (markup or "<p>not here</p>").encode()
    status = "200 OK" if markup else "404 Not Found"
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
