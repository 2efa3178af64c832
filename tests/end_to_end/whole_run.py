"""`python -m tests.end_to_end.whole_run FOLDER`, inside tests.support.closed_network: a small life of an installation.

Prints, as JSON, which names were asked for and what was sent to other machines, and what came of each step.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.politeness import BrowserMode, Politeness
from crawler.browsing.chromium import find_chromium
from crawler.browsing.screenshots import ResponseRendering, render
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.closed_network import Packets
from tests.support.name_server import NameServer
from tests.support.web_server import Answer, Routes, WebServer, page

SITE = "site.test"
DEADLINE_S = 300.0
NOWHERE = "nobody.asked.test"  # looked up and connected to on request: whether it would be seen


def main(folder: Path, *, calls_out: bool) -> dict[str, Any]:
    with NameServer({SITE: ("127.0.0.1",)}, port=53) as names, Packets() as packets, WebServer(_routes()) as site:
        outcome = {} if calls_out else _life(folder, site.netloc.rpartition(":")[2])
        if calls_out:
            _call_out()
        return {"names": sorted({name for name, _ in names.asked}), "places": sorted(packets.seen), **outcome}


def _routes() -> Routes:
    """A site that sets cookies, whose pages refer to others, and of which one copies."""
    cookie = {"Set-Cookie": f"id=1; Domain={SITE}"}
    text = "".join(
        map(own_text, range(1, 4))
    )  # of a page with less the pictures are looked at, as they may be its text
    copied = page("渡口", f"<h1>渡口</h1>{text}<img src='//pictures.test/a.png'>")
    index = page("目录", "<a href='/1.html'>第一章</a><a href='https://elsewhere.test/'>友情链接</a>")
    return {
        "/": Answer(index.body, index.content_type, headers=cookie),
        "/1.html": Answer(copied.body, copied.content_type, headers=cookie),
        "/sitemap.xml": Answer(b"<urlset></urlset>", "application/xml"),
    }


def _life(folder: Path, port: str) -> dict[str, Any]:
    work = folder / "渡口.txt"
    work.write_text("\n".join(own_text(1).replace("<p>", "").split("</p>")), "utf-8")
    environ = os.environ | {"ZHUIWEN_ALLOW_PRIVATE_HOSTS": f"{SITE}:{port}", "ZHUIWEN_SWEEP_INTERVAL_S": "2"}
    told: dict[str, Any] = {}

    def zhuiwen(*arguments: str) -> str:
        command = [sys.executable, "-m", "deploy.cli", *arguments]
        ended = subprocess.run(command, capture_output=True, text=True, env=environ, check=False, cwd=folder)
        told[arguments[0]] = [ended.returncode, ended.stderr[-500:]]
        return ended.stdout

    try:
        zhuiwen("up")
        zhuiwen("work", "add", str(work), "--rights-holder", "某社", "--kind", "novel")
        zhuiwen("site", "add", f"http://{SITE}:{port}/", "--name", "某站", "--rights-holder", "某社")
        zhuiwen("crawl", "某站", "--wait")
        end = time.monotonic() + DEADLINE_S
        while not (cases := json.loads(zhuiwen("cases", "--json") or "[]")) and time.monotonic() < end:
            time.sleep(1.0)
        told["number of cases"] = len(cases)
        zhuiwen("evidence", "export", "1", "--out", "证据.zip")
        zhuiwen("report", "--format", "html")
        zhuiwen("discover", "渡口")
        zhuiwen("check", f"http://{SITE}:{port}/1.html")
        zhuiwen("doctor")
    finally:
        zhuiwen("down")
    return {"told": told, **_browsers(port)}


def _browsers(port: str) -> dict[str, Any]:
    """Chromium as a crawl uses it and as evidence does; nothing where it is absent."""
    if find_chromium() is None:
        return {}
    drawn = render(page("渡口", own_text(1)).body, {}, f"http://{SITE}:{port}/1.html", deadline_s=120.0)
    if find_spec("scrapy_playwright") is None:
        return {"drawn": isinstance(drawn, ResponseRendering)}
    plan = plan_of(f"http://{SITE}:{port}/", politeness=Politeness(browser=BrowserMode.ALWAYS))
    loaded = crawl(plan, settings_of(f"{SITE}:{port}", timeout_s=60.0)).counts
    return {"drawn": isinstance(drawn, ResponseRendering), "loaded": loaded.fetched}


def _call_out() -> None:
    ask = f"import socket; socket.getaddrinfo({NOWHERE!r}, 443)"
    subprocess.run([sys.executable, "-c", ask], capture_output=True, check=False)
    ask = "import socket; socket.create_connection(('192.0.2.7', 443), 5)"
    subprocess.run([sys.executable, "-c", ask], capture_output=True, check=False)


if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), calls_out="--calls-out" in sys.argv)))
