"""Reads links to files on net disks from a page: listed with it, never fetched.

Whole books are handed on that way. Domains: those of util/regex_util.go in https://github.com/fish2018/pansou (9a3c66d,
read 2026-11), which gathers such links, and by hand 蓝奏云, 微云, 城通, 奶牛快传, 坚果云 and those abroad. One that
is missing costs a line of the list and nothing else.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from core.pages import NetDiskLink
from core.text import storable

MAX_LINKS, MAX_LABEL_CHARS, MAX_URL_CHARS = 50, 80, 2_000
# Domains by the name of the disk; their sub-domains are theirs (www.123pan.com, wwi.lanzoux.com).
_DISKS = {
    "百度网盘": ("pan.baidu.com", "yun.baidu.com"),
    "夸克网盘": ("pan.quark.cn",),
    "UC网盘": ("drive.uc.cn",),
    "阿里云盘": ("aliyundrive.com", "alipan.com"),
    "123云盘": ("123pan.com", "123pan.cn", "123592.com", "123684.com", "123685.com", "123865.com", "123912.com"),
    "腾讯微云": ("share.weiyun.com",),
    "迅雷云盘": ("pan.xunlei.com",),
    "天翼云盘": ("cloud.189.cn",),
    "移动云盘": ("caiyun.139.com", "yun.139.com", "caiyun.feixin.10086.cn"),
    "115网盘": ("115.com", "115cdn.com", "anxia.com"),
    "光鸭云盘": ("guangyapan.com",),
    "PikPak": ("mypikpak.com",),
    "城通网盘": ("ctfile.com", "ct.ghpym.com", "545c.com", "089u.com"),
    "奶牛快传": ("cowtransfer.com",),
    "坚果云": ("jianguoyun.com",),
    "MEGA": ("mega.nz", "mega.co.nz"),
    "Google Drive": ("drive.google.com",),
    "OneDrive": ("1drv.ms", "onedrive.live.com"),
    "Dropbox": ("dropbox.com",),
    "MediaFire": ("mediafire.com",),
}
_BY_DOMAIN = {domain: disk for disk, domains in _DISKS.items() for domain in domains}
# 蓝奏云 changes its domain every few months and keeps the word: lanzoui.com, lanzoux.com, lanzouw.com, lanzout.com.
_LANZOU = re.compile(r"(?:^|\.)lanzou[a-z]?\.com$|(?:^|\.)lanosso\.com$")
_NAMES = ("lanzou", "lanosso", *_BY_DOMAIN)
_MAY_BE_DISK = re.compile("|".join(map(re.escape, _NAMES)), re.IGNORECASE)
_IN_TEXT = re.compile(r"https?://[A-Za-z0-9.-]+/[\w\-./?=&%#!~]+", re.ASCII)


def net_disk_links(tree: HtmlElement, url: str, texts: Iterable[str]) -> tuple[NetDiskLink, ...]:
    """Return the net disk links of a page, each once, in order: links, and URLs written out in its lines, `texts`."""
    found: dict[str, NetDiskLink] = {}
    for address, label in _addresses(tree, url, texts):
        disk = net_disk(address)
        if disk and address not in found and len(address) <= MAX_URL_CHARS:
            found[address] = NetDiskLink(storable(address), disk, storable(label))
            if len(found) == MAX_LINKS:
                break
    return tuple(found.values())


def net_disk(url: str) -> str:
    """Return the name of the net disk that an address has a file on; "" for any other address.

    >>> net_disk("https://www.123pan.com/s/ab-cd"), net_disk("https://wwi.lanzoux.com/i1"), net_disk("https://pan.baidu.com/")
    ('123云盘', '蓝奏云', '')
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not (parts.path.strip("/") or parts.fragment):
        return ""
    if _LANZOU.search(host):
        return "蓝奏云"
    labels = host.split(".")
    domains = (".".join(labels[at:]) for at in range(len(labels)))
    return next((_BY_DOMAIN[domain] for domain in domains if domain in _BY_DOMAIN), "")


def _addresses(tree: HtmlElement, url: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (address, words) of links, then of addresses that are written out."""
    hrefs = "".join("\0".join(tree.xpath("//a/@href | //area/@href")).split()).lower()
    may_be_linked = any(name in hrefs for name in _NAMES)
    for node in tree.iter("a", "area") if may_be_linked else ():
        href = "".join((node.get("href") or "").split())
        if _MAY_BE_DISK.search(href):
            with suppress(ValueError):
                yield urljoin(url, href), " ".join("".join(node.itertext()).split())[:MAX_LABEL_CHARS]
    for text in texts:
        label = " ".join(text[: 2 * MAX_LABEL_CHARS].split())[:MAX_LABEL_CHARS]
        for written in _IN_TEXT.finditer(text) if "://" in text else ():
            yield written[0], label
