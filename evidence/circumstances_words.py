"""The words of the explanation for the circumstances of a capture."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CircumstanceWords:
    """One language, by its code in the reasons of a bundle."""

    language: str
    heading: str
    opening: str
    of_bundles: str
    host: str
    program: str
    program_said: str
    clock: str
    clock_said: str
    no_clock: str
    resolver: str
    answers: str
    own_resolver: str
    hosts_file: str
    hosts_said: str
    hosts_lines: str
    no_hosts_lines: str
    way: str
    through_proxy: str
    cache: str
    no_store: str
    has_store: str
    in_full: str
    validators: str
    caches: str
    profile: str
    profile_said: str
    from_cache: Mapping[bool | None, str]
    not_recorded: str
    earlier: str
    semicolon: str


CHINESE = CircumstanceWords(
    language="zh",
    heading="取证环境",
    opening="以下由取证计算机在取得网页时记录，载于各证据包内 evidence/circumstances.json 与 evidence/connection.json；"
    "未能记录的，逐项列明原因。",
    of_bundles="第 {numbers} 项的证据包",
    host="计算机与操作系统",
    program="程序",
    program_said="追文 {version}；其 {files:,} 个文件清单的 SHA-256：{digest}；{parts}",
    clock="时钟误差",
    clock_said="与时间服务器 {server}（{address}）相差 {offset:+.3f} 秒（正值为本机偏慢），"
    "误差范围 ±{uncertainty:.3f} 秒，比对于 {at}",
    no_clock="未比对",
    resolver="系统的域名解析设置",
    answers="域名解析结果",
    own_resolver="系统解析",
    hosts_file="hosts 文件",
    hosts_said="SHA-256 {digest}，{bytes:,} 字节",
    hosts_lines="其中涉及所访问主机的行：{lines}",
    no_hosts_lines="没有涉及所访问主机的行",
    way="网络路径",
    through_proxy="经代理服务器 {proxy}",
    cache="缓存",
    no_store="程序不重复使用以往的响应",
    has_store="程序可能重复使用以往的响应",
    in_full="请求未附条件，网站须完整答复",
    validators="请求附有条件（{names}），网站仍完整答复",
    caches="途中缓存自述：{said}",
    profile="浏览器配置",
    profile_said="随浏览器于 {at} 新建；此前在同一次抓取中已打开网页 {pages:,} 个；{cached}",
    from_cache={
        True: "本网页出自浏览器自身的缓存",
        False: "本网页并非出自浏览器自身的缓存",
        None: "是否出自浏览器自身的缓存未知",
    },
    not_recorded="未能记录",
    earlier="制作该证据包的程序版本尚不记录取证环境。",
    semicolon="；",
)

ENGLISH = CircumstanceWords(
    language="en",
    heading="Circumstances of the capture",
    opening="Written down by the computer that fetched, when it fetched; it stands in evidence/circumstances.json and "
    "evidence/connection.json of each bundle. What could not be recorded is listed with the reason.",
    of_bundles="Bundles of number {numbers}",
    host="Computer and system",
    program="Program",
    program_said="Zhuiwen {version}; SHA-256 of the list of its {files:,} files: {digest}; {parts}",
    clock="Offset of the clock",
    clock_said="{offset:+.3f} s by {server} ({address}), above 0 where this computer was slow; known to "
    "±{uncertainty:.3f} s; compared at {at}",
    no_clock="not compared",
    resolver="Settings of the system's resolver",
    answers="Answers for names",
    own_resolver="the system's resolver",
    hosts_file="Hosts file",
    hosts_said="SHA-256 {digest}, {bytes:,} bytes",
    hosts_lines="its lines for the hosts that were asked: {lines}",
    no_hosts_lines="no line in it names a host that was asked",
    way="Way through the network",
    through_proxy="through the proxy {proxy}",
    cache="Caches",
    no_store="the program gives out no answer of an earlier fetch again",
    has_store="the program may give out answers of earlier fetches again",
    in_full="the request set no condition, so that the site had to answer in full",
    validators="the request set a condition ({names}); the site answered in full all the same",
    caches="what caches on the way say of themselves: {said}",
    profile="Profile of the browser",
    profile_said="made anew with the browser at {at}; pages of the same crawl loaded before: {pages:,}; {cached}",
    from_cache={
        True: "the page came out of the browser's own cache",
        False: "the page did not come out of the browser's own cache",
        None: "whether the page came out of the browser's own cache is not known",
    },
    not_recorded="Not recorded",
    earlier="The release that made this bundle did not write the circumstances down yet.",
    semicolon="; ",
)

BY_LANGUAGE = {words.language: words for words in (CHINESE, ENGLISH)}
