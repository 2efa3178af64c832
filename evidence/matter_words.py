"""The words of the explanation in the export of a matter, beside those of `evidence.explanation_words`."""

from dataclasses import dataclass

from evidence import explanation_words
from evidence.explanation_words import Words


@dataclass(frozen=True, slots=True)
class MatterWords:
    """One language. words: what the exports of cases and of matters say alike."""

    words: Words
    title: str
    about: str
    unsealed: str
    for_programs: tuple[tuple[str, str], ...]  # what stands in the folder for checking
    check_all_bundles: str
    check_all_stamps: str
    check_warc: str
    check_replay: str


CHINESE = MatterWords(
    words=explanation_words.CHINESE,
    title="证据说明：事项 {matter}",
    about=(
        "内容为网站“{site}”使用作品《{work}》的 {cases} 件已认定侵权案件、{bundles} 个证据包。"
        "每份证据的名称、来源、证明内容与哈希值见证据目录。"
    ),
    unsealed="证据目录等文件、核验文件夹中的案情概要与本说明由导出方陈述，未单独加盖时间戳；其中与证据包重复的内容已逐项核对。",
    for_programs=(
        ("cases/*.json", "每件案件导出时的案情、网页历史与所有证据包"),
        ("proofs/*.json, stamps/", "每个证据包到当日默克尔树根的审计路径；盖在树根上的时间戳"),
        ("matter.json", "事项概要：案件、文件与所附材料"),
        ("manifest.json, SHA256SUMS", "全部文件的哈希值清单"),
        ("seal/", "盖在清单上的时间戳（如有）"),
    ),
    check_all_bundles="逐一列出所有证据包的哈希值，应与证据目录所载“证据包 SHA-256”一致：",
    check_all_stamps="核对所有时间戳，每一个都应显示 Verification: OK：",
    check_warc="核对一个证据包内 WARC 记录的哈希值（warcio 为公开工具；没有输出即为相符）：",
    check_replay="在 ReplayWeb.page（可离线使用的公开阅读器）中打开 {folder}/ 下任一 .wacz，可见网页当时的内容。",
)

ENGLISH = MatterWords(
    words=explanation_words.ENGLISH,
    title="Explanation of the evidence: matter {matter}",
    about=(
        "It is about the site “{site}” and the work “{work}”: {cases} confirmed case(s), {bundles} bundle(s). What "
        "each piece is called, where it comes from, what it shows and its digest stand in the list of evidence "
        "(in Chinese)."
    ),
    unsealed=(
        "Lists and sheets, the facts of the cases in the folder for checking, and this explanation are the exporter's "
        "word and bear no stamp of their own; what they repeat of the bundles was compared with these."
    ),
    for_programs=(
        ("cases/*.json", "each case with the history of its page and all its bundles at the time of export"),
        ("proofs/*.json, stamps/", "the audit path of each bundle to the root of its day; the stamps on that root"),
        ("matter.json", "the matter: cases, documents, papers"),
        ("manifest.json, SHA256SUMS", "the digests of all files"),
        ("seal/", "the stamp on that list, where there is one"),
    ),
    check_all_bundles="The digests of all bundles; each must be what the list of evidence names 证据包 SHA-256:",
    check_all_stamps="All stamps; each must say Verification: OK:",
    check_warc="The WARC records of one bundle (warcio is a public program; no output means that all digests fit):",
    check_replay="ReplayWeb.page, a public reader, opens any {folder}/*.wacz offline and shows the page as it was.",
)
