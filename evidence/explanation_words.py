"""The words of the explanation in an export. What they claim is what `evidence.verify` checks, and no more."""

from collections.abc import Mapping
from dataclasses import dataclass

HEADLINE = "追文证据 Zhuiwen evidence"


@dataclass(frozen=True, slots=True)
class Words:
    """One language, by its code in the words of obfuscations."""

    language: str
    title: str
    opening: str
    pages: str
    url: str
    page_title: str
    fetched: str
    poster: str
    stated_author: str
    signatures: str
    unsigned: str
    work: str
    work_digest: str
    similarity: str
    copied: str
    longest_equal: str
    longest_once: str
    algorithm: str
    bundle: str
    digest: str
    shown: str
    stamps: str
    no_stamp: str
    source: str
    sources: Mapping[str, str]
    following: str
    resources: str
    not_drawn: str
    undrawn: str
    undrawn_why: Mapping[str, str]
    absent: str
    absent_names: Mapping[str, str]
    absent_of_page: str
    drawn_later: str
    on_page: str
    in_work: str
    more_passages: str
    history: str
    events: Mapping[str, str]
    event_details: Mapping[str, str]
    absence_reasons: Mapping[str, str]
    colon: str
    semicolon: str
    proves: str
    integrity: str
    proves_besides: tuple[str, ...]
    proves_not: str
    proves_not_of_fetching: tuple[str, ...]
    proves_not_of_finding: tuple[str, ...]
    proves_not_of_stamps: str
    withheld: str
    unstamped: str
    unsealed: str
    contents: str
    contents_pairs: tuple[tuple[str, str], ...]
    check: str
    check_program: str
    check_by_hand: str
    numerals: tuple[str, ...]  # before the steps, in their order
    check_sums: str
    check_bundle: str
    check_path: str
    check_stamp: str
    check_seal: str
    check_replay: str

    @property
    def proves_points(self) -> tuple[str, ...]:
        """What an export of findings proves."""
        return (self.integrity, *self.proves_besides)

    @property
    def proves_not_points(self) -> tuple[str, ...]:
        """And what it does not."""
        more = (self.proves_not_of_stamps, self.withheld)
        return (*self.proves_not_of_fetching, *self.proves_not_of_finding, *more)


CHINESE = Words(
    language="zh",
    title="证据说明：案号 {case}",
    opening=(
        "本文件由追文 {version} 于 {at}（协调世界时）导出，自成一体：查验时不需要网络、数据库，也不需要导出方协助。"
        "时间一律为协调世界时，北京时间为其后八小时。"
    ),
    pages="网页与所发现的内容",
    url="网址",
    page_title="网页标题",
    fetched="取得时间",
    poster="发布者（网页所标）",
    stated_author="网页署名",
    signatures="发布者与署名",
    unsigned="网页未见标明",
    work="权利作品",
    work_digest="作品全文 SHA-256",
    similarity="相似度",
    copied="网页上的对应字数（同字、异体、同音、形近或拼音）",
    longest_equal="最长连续相同字数（简繁、异体视为相同；标点、空格不计）",
    longest_once="最长连续对应字数（含以同音字、形近字或拼音替换的字，并非逐字相同；旧版字段）",
    algorithm="算法编号（程序版本）",
    bundle="证据包",
    digest="证据包 SHA-256",
    shown="便于查看的副本",
    stamps="时间戳机构",
    no_stamp="无",
    source="取得方式",
    sources={
        "connection": "程序自身的连接；请求与响应头为连接上的原字节",
        "browser": "浏览器（{made_with}）运行页面脚本；请求与响应按浏览器所述记录，正文读自浏览器当时的文档",
        "archive": "他人制作的存档；原始记录在证据包内 evidence/original.*.gz",
        "unknown": "未记录连接；状态、响应头与内容取自页面库",
    },
    following="正文续页",
    resources="随网页取得的样式、字体、图片",
    not_drawn="绘制时缺少的资源",
    undrawn="未绘制",
    undrawn_why={
        "page_limit": "一篇正文最多绘制 {limit} 页",
        "time_limit": "续页合计最多绘制 {limit} 秒",
        "size_limit": "续页的截图与 PDF 合计最多 {limit} MiB",
        "browser_failed": "浏览器未能绘制",
    },
    absent="未取得或须说明",
    absent_names={
        "connection": "连接",
        "response body": "响应体",
        "original record": "原始记录",
        "screenshot": "截图",
        "pdf": "PDF",
    },
    absent_of_page="第 {number} 页",
    drawn_later="制作本证据包时尚未绘制；见第 {number} 项的证据包，绘制的是同一响应",
    on_page="网页",
    in_work="作品",
    more_passages="另有 {count} 段，见证据包内 evidence/finding.json。",
    history="网页历史（由导出方记录）",
    events={
        "first_seen": "首次发现",
        "changed": "内容变化",
        "gone": "已消失",
        "back_again": "再次出现",
        "look_gone": "下架查验：网页已不存在",
        "look_cleared": "下架查验：网页可读，未见被复制的段落",
    },
    event_details={
        "version": "网页版本",
        "title": "标题",
        "text_sha256": "正文 SHA-256",
        "reason": "原因",
        "status": "状态码",
        "response_sha256": "响应 SHA-256",
        "final_url": "跳转后网址",
        "route": "访问线路",
    },
    absence_reasons={
        "not_found": "网站答复未找到（404）",
        "gone": "网站答复已删除（410）",
        "not_found_page": "网站以其表示网页不存在的页面答复",
        "unreadable": "读取所需超出限度",
    },
    colon="：",
    semicolon="；",
    proves="能够证明什么",
    integrity=(
        "完整性：本文件自写成之后没有改动。每个文件的 SHA-256 列于清单，容器的每一个字节都由其内容决定，"
        "改动任何一个字节都会被查出。"
        "整份重新制作的文件，须凭时间戳识破。"
    ),
    proves_besides=(
        "时间上限：带有时间戳的证据包，其全部内容（请求、响应、证书、截图、正文、"
        "比对结果）最迟在时间戳所示时刻已经存在。"
        "时间由独立的时间戳机构以其私钥签名（RFC 3161），此后任何人，包括导出方，都无法改动内容而使时间戳仍然成立。",
        "同日其他证据不被披露：时间戳盖在当日全部证据包的默克尔树根上（RFC 6962）；审计路径只含哈希值，"
        "据此可由本证据包推出树根。",
        "可重新比对：证据包载有网页正文、作品被复制的段落、对齐位置、算法编号、参数与程序版本；"
        "持有作品全文者可先核对其 SHA-256，再独立重算相似度。",
    ),
    proves_not="不能证明什么",
    proves_not_of_fetching=(
        "不能证明内容在时间戳之前何时产生。取得时间由取证计算机的时钟记录；时间戳只证明不晚于何时。",
        "不能仅凭哈希值证明响应确由该网站发出。TLS 不对内容签名：证书链、服务器地址与域名解析结果是佐证，"
        "由取证计算机记录，取证环境亦然，而运营该计算机者与结果有利害关系。"
        "如有争议，宜由公证机构或第三方存证平台另行取证。",
        "不能证明谁经营该网站、谁上传了内容、是否获得许可、作品权属归谁；这些须另行举证。",
    ),
    proves_not_of_finding=(
        "截图与 PDF 由不联网、不运行脚本的浏览器根据所存内容绘制；只有取得网页时一并取得的样式、字体、图片在其中，"
        "其余列为缺少。正文分为多页的，逐页绘制；未绘制的页逐一列明原因，其响应原文仍在证据包内。以响应原文为准。",
        "相似度是程序按所述参数算得的数值，不是法律意义上的实质性相似。",
    ),
    proves_not_of_stamps=(
        "时间戳机构证书是否被吊销，只按盖章时所附的吊销列表（如有）及查验者自备的列表核对，查验结果注明列表日期或未查；"
        "不作在线查询（OCSP）。签名时证书在有效期内。请将根证书的 SHA-256 与该机构公布的值核对："
        "文件中附带的根证书本身不构成信任。"
    ),
    withheld="登录凭据与会话（Cookie、Authorization、Set-Cookie）已略去，并在记录中注明，以免持有本文件者冒用。",
    unstamped="下列证据包尚无时间戳，对其只能确认文件内部一致，不能证明时间：{bundles}。",
    unsealed="案情概要（case.json）与本说明由导出方陈述，未单独加盖时间戳；其中与证据包重复的内容已逐项核对。",
    contents="文件内容",
    contents_pairs=(
        ("bundles/*.wacz", "证据包，WACZ 1.1.1 格式，可用 ReplayWeb.page 等任何 WACZ 阅读器打开"),
        ("proofs/*.json", "每个证据包到当日默克尔树根的审计路径"),
        ("stamps/", "时间戳：请求（query.tsq）、答复（response.tsr）、根证书（ca.pem）"),
        ("pages/", "截图、PDF、正文的副本，与证据包内的记录逐字节相同；文件名以 -N 结尾的，为正文第 N 页"),
        ("papers/", "所附材料（通知与往来文件、第三方材料），原样附上，以其 SHA-256 命名；各为何物见 case.json"),
        ("case.json", "导出时的案情概要与网页历史"),
        ("manifest.json, SHA256SUMS", "全部文件的哈希值清单"),
        ("seal/", "盖在清单上的时间戳（如有）"),
    ),
    check="如何查验",
    check_program="用程序查验（离线；不成立时指出第一处并以退出码 1 结束，成立但没有时间戳时为 3）：",
    check_by_hand="手工查验：先解压到空文件夹，在其中依次执行以下命令。",
    numerals=("一、", "二、", "三、", "四、", "五、", "六、", "七、", "八、", "九、", "十、"),
    check_sums="核对全部文件的哈希值：",
    check_bundle="证据包的哈希值是其清单 datapackage.json 的 SHA-256，应为 {digest}：",
    check_path="由证据包哈希值沿审计路径推出当日树根，应为 {root}：",
    check_stamp=(
        "核对时间戳，应显示 Verification: OK，末一条命令显示时间。"
        "证书日后过期时，在 -verify 后加 -attime 与该时刻的 Unix 秒数："
    ),
    check_seal="核对整份清单上的时间戳：",
    check_replay="证据包内 archive/data.warc.gz 为 WARC 1.1，可用 warcio check 逐条核对其记录的哈希值。",
)

ENGLISH = Words(
    language="en",
    title="Explanation of the evidence: case {case}",
    opening=(
        "This file was exported by Zhuiwen {version} at {at} (UTC). It stands alone: whoever checks it needs "
        "no network, "
        "no database and no help from whoever exported it. All times are UTC; Beijing is eight hours ahead."
    ),
    pages="Pages and what was found on them",
    url="URL",
    page_title="Title of the page",
    fetched="Fetched",
    poster="Posted by, as the page states",
    stated_author="Author stated by the page",
    signatures="Poster and author",
    unsigned="none found on the page",
    work="Protected work",
    work_digest="SHA-256 of the work",
    similarity="Similarity",
    copied="Characters of the page that stand for the work's (the same, other forms, like sound or shape, pinyin)",
    longest_equal="Longest run of equal characters (script variants are equal; no punctuation)",
    longest_once="Longest run of matched characters (also of like sound or shape or pinyin, so not all are equal; "
    "a field of earlier releases)",
    algorithm="Algorithm id (program)",
    bundle="Bundle",
    digest="SHA-256 of the bundle",
    shown="Copies to look at",
    stamps="Time stamp authority",
    no_stamp="none",
    source="Fetched by",
    sources={
        "connection": "the program's own connection; heads are the bytes that went over it",
        "browser": "a browser ({made_with}) that ran the page's scripts; requests and responses are written down from "
        "what it told, and the text was read in the document that it held then",
        "archive": "an archive that somebody else made; its records stand in evidence/original.*.gz of the bundle",
        "unknown": "not known: status, headers and body are the page store's",
    },
    following="The text goes on at",
    resources="Styles, fonts, pictures fetched with it",
    not_drawn="Missing in the drawing",
    undrawn="Not drawn",
    undrawn_why={
        "page_limit": "{limit} pages of one text are drawn at most",
        "time_limit": "the pages that follow are drawn for {limit} s at most",
        "size_limit": "screenshots and PDFs of the pages that follow have {limit} MiB at most",
        "browser_failed": "the browser could not draw it",
    },
    absent="Not taken, or to be known",
    absent_names={"pdf": "PDF"},
    absent_of_page="page {number}",
    drawn_later="not drawn yet when this bundle was made; bundle number {number} has it, drawn from the same response",
    on_page="Page",
    in_work="Work",
    more_passages="{count} more passages stand in evidence/finding.json of the bundle.",
    history="History of the page, as the exporter recorded it",
    events={
        "first_seen": "first seen",
        "changed": "changed",
        "gone": "gone",
        "back_again": "back again",
        "look_gone": "look for a removal: the page was not there",
        "look_cleared": "look for a removal: the page could be read and had none of the passages",
    },
    event_details={
        "text_sha256": "SHA-256 of the text",
        "response_sha256": "SHA-256 of the response",
        "final_url": "URL after redirects",
    },
    absence_reasons={
        "not_found": "the site answered that it is not found (404)",
        "gone": "the site answered that it was taken away (410)",
        "not_found_page": "the site answered with what it shows for addresses that are not there",
        "unreadable": "to read it takes more than a page may",
    },
    colon=": ",
    semicolon="; ",
    proves="What this proves",
    integrity=(
        "Integrity: this file was not changed since it was written. The SHA-256 of each file stands in a list, "
        "and each "
        "byte of the container follows from its content, so a change of any single byte is found. "
        "Whoever makes the whole file anew is found out by the stamps alone."
    ),
    proves_besides=(
        "Latest time: all that a stamped bundle holds (request, response, certificates, screenshot, text, "
        "comparison) "
        "existed at the moment of the stamp at the latest. An independent authority signed that moment with "
        "its own key "
        "(RFC 3161); afterwards nobody, the exporter included, can change the content and keep the stamp.",
        "Nothing else is revealed: the stamp is on the root of a Merkle tree over all bundles of the day (RFC "
        "6962). The "
        "audit path holds digests only, and leads from this bundle to the root.",
        "The comparison can be repeated: the bundle holds the page's text, the matching passages of the work, their "
        "alignment, the algorithm id, the parameters and the version of the program. Whoever has the work checks its "
        "SHA-256 first and computes the similarity anew.",
    ),
    proves_not="What this does not prove",
    proves_not_of_fetching=(
        "Not how long before the stamp the content existed. The time of fetching is from the clock of the "
        "computer that "
        "fetched; the stamp says only not later than when.",
        "Not, by digests alone, that the site sent this response. TLS does not sign content: certificates, "
        "server address "
        "and DNS answer support it and were written down by the computer that fetched, as the circumstances of the "
        "capture were; who runs that computer has an interest in the outcome. Where this is disputed, have the "
        "page taken by a notary or a third party as well.",
        "Not who runs the site, who uploaded the text, whether it was licensed, or who owns the work.",
    ),
    proves_not_of_finding=(
        "Screenshot and PDF were drawn from what was stored by a browser that reaches no network and runs no script. "
        "Of styles, fonts and pictures it had those that were fetched with the page; the others are named as missing. "
        "Of a text on several pages each is drawn by itself; those that were not are named with the reason, and their "
        "responses are in the bundle all the same. "
        "The response decides.",
        "Similarity is a number that a program computed with the parameters given; it is not a finding of law.",
    ),
    proves_not_of_stamps=(
        "Whether the authority's certificate had been revoked is looked up only in lists that were enclosed when it "
        "signed, where it offers any, and in those that the reader gives; verification says as of when, or that it was "
        "not checked. OCSP is not asked. The certificate was within its validity when it signed. "
        "Compare the SHA-256 of the root certificate with what the authority publishes: the root that is "
        "enclosed here is "
        "no reason for trust by itself."
    ),
    withheld=(
        "Logins and sessions (Cookie, Authorization, Set-Cookie) were left out, and this is noted in the "
        "records, so that "
        "nobody who holds this file can use them."
    ),
    unstamped="These bundles bear no stamp yet; they agree in themselves, but prove no time: {bundles}.",
    unsealed=(
        "The case facts (case.json) and this explanation are the exporter's word and bear no stamp of their "
        "own; what they "
        "repeat of the bundles was compared with these."
    ),
    contents="What the file holds",
    contents_pairs=(
        ("bundles/*.wacz", "the bundles, WACZ 1.1.1; ReplayWeb.page or any other WACZ reader opens them"),
        ("proofs/*.json", "the audit path of each bundle to the root of its day"),
        ("stamps/", "time stamps: query (query.tsq), answer (response.tsr), root certificate (ca.pem)"),
        ("pages/", "screenshot, PDF and text, byte for byte as in the bundles; -N: of the Nth page of the text"),
        ("papers/", "notices with what belongs to them, what others made: as they are; case.json says what each is"),
        ("case.json", "the case and the page's history at the time of export"),
        ("manifest.json, SHA256SUMS", "the digests of all files"),
        ("seal/", "the stamp on that list, where there is one"),
    ),
    check="How to check it",
    check_program=(
        "With the program, offline (it names the first part that does not hold and ends with exit code 1; with "
        "3 where all "
        "holds but no stamp says when):"
    ),
    check_by_hand="By hand: unpack into an empty folder and type there, in this order.",
    numerals=("1. ", "2. ", "3. ", "4. ", "5. ", "6. ", "7. ", "8. ", "9. ", "10. "),
    check_sums="The digests of all files:",
    check_bundle="The digest of a bundle is the SHA-256 of its manifest datapackage.json, and must be {digest}:",
    check_path="From the bundle's digest along the audit path to the root of the day, which must be {root}:",
    check_stamp=(
        "The stamps: each must say Verification: OK; the last command shows the time. Once the certificate "
        "has expired, "
        "add -attime and that moment in Unix seconds after -verify:"
    ),
    check_seal="The stamp on the whole list:",
    check_replay="archive/data.warc.gz in a bundle is WARC 1.1; warcio check compares the digests of its records.",
)
