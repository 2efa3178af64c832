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
    contents_pairs: tuple[tuple[str, str], ...]
    check_all_bundles: str
    check_all_stamps: str
    check_warc: str
    check_replay: str


CHINESE = MatterWords(
    words=explanation_words.CHINESE,
    title="证据说明：事项 {matter}",
    about=(
        "内容为网站“{site}”使用作品《{work}》的 {cases} 件已认定侵权案件、{bundles} 个证据包。"
        "每份证据的名称、来源、证明内容与哈希值见 documents/evidence-list.pdf（证据目录）。"
    ),
    unsealed="各案案情（cases/）、证据目录等文件（documents/）与本说明由导出方陈述，未单独加盖时间戳；其中与证据包重复的内容已逐项核对。",
    contents_pairs=(
        ("documents/evidence-list.*", "证据目录：PDF、DOCX、JSON、CSV"),
        ("documents/comparison-N.*", "侵权比对表：作品与网页逐段对照，附网页图像；每份至多 50 件"),
        ("documents/factors.*", "证据审查要点：就审查所看各项，已有与尚缺的材料"),
        ("documents/damages.*", "损失计算：权利人自行计算，仅供参考"),
        ("documents/decisions.*", "认定记录：谁在何时作出何种认定；通知的经过"),
        ("bundles/*.wacz", "证据包，WACZ 1.1.1 格式"),
        ("pages/", "截图的副本，与证据包内的记录逐字节相同；文件名以 -N 结尾的，为正文第 N 页"),
        ("proofs/*.json, stamps/", "每个证据包到当日默克尔树根的审计路径；盖在树根上的时间戳"),
        ("papers/", "权属材料、通知与往来文件、第三方材料，原样附上，以其 SHA-256 命名；各为何物见证据目录"),
        ("cases/*.json", "每件案件导出时的案情、网页历史与所有证据包"),
        ("matter.json", "事项概要：案件、材料、损失计算、审查要点、认定记录"),
        ("manifest.json, SHA256SUMS", "全部文件的哈希值清单"),
        ("seal/", "盖在清单上的时间戳（如有）"),
    ),
    check_all_bundles="六、逐一列出所有证据包的哈希值，应与其文件名一致：",
    check_all_stamps="七、核对所有时间戳，每一个都应显示 Verification: OK：",
    check_warc="八、核对一个证据包内 WARC 记录的哈希值（warcio 为公开工具；没有输出即为相符）：",
    check_replay="九、在 ReplayWeb.page（可离线使用的公开阅读器）中打开 bundles/ 下任一 .wacz，可见网页当时的内容。",
)

ENGLISH = MatterWords(
    words=explanation_words.ENGLISH,
    title="Explanation of the evidence: matter {matter}",
    about=(
        "It is about the site “{site}” and the work “{work}”: {cases} confirmed case(s), {bundles} bundle(s). What "
        "each piece is called, where it comes from, what it shows and its digest stand in documents/evidence-list.pdf "
        "(in Chinese)."
    ),
    unsealed=(
        "The facts of the cases (cases/), lists and sheets (documents/) and this explanation are the exporter's word "
        "and bear no stamp of their own; what they repeat of the bundles was compared with these."
    ),
    contents_pairs=(
        ("documents/evidence-list.*", "the list of evidence: PDF, DOCX, JSON, CSV"),
        (
            "documents/comparison-N.*",
            "comparison tables: work beside page, with its picture; 50 cases each at most",
        ),
        ("documents/factors.*", "factor by factor, what a court may look at: what there is and what is missing"),
        ("documents/damages.*", "damages: the rights holder's own arithmetic, for reference only"),
        ("documents/decisions.*", "who decided what and when; what became of notices"),
        ("bundles/*.wacz", "the bundles, WACZ 1.1.1"),
        ("pages/", "screenshots, byte for byte as in the bundles; -N: of the Nth page of the text"),
        ("proofs/*.json, stamps/", "the audit path of each bundle to the root of its day; the stamps on that root"),
        (
            "papers/",
            "proofs of ownership, notices and what belongs to them, what others made: as they are, named by their "
            "SHA-256; the list of evidence says what each is",
        ),
        ("cases/*.json", "each case with the history of its page and all its bundles at the time of export"),
        ("matter.json", "the matter: cases, papers, damages, factors, decisions"),
        ("manifest.json, SHA256SUMS", "the digests of all files"),
        ("seal/", "the stamp on that list, where there is one"),
    ),
    check_all_bundles="6. The digests of all bundles; each must be the name of its file:",
    check_all_stamps="7. All stamps; each must say Verification: OK:",
    check_warc="8. The WARC records of one bundle (warcio is a public program; no output means that all digests fit):",
    check_replay="9. ReplayWeb.page, a public reader, opens any bundles/*.wacz offline and shows the page as it was.",
)
