"""The words of the explanation in the export of a lead, beside those of `evidence.explanation_words`."""

from dataclasses import dataclass

from evidence import explanation_words
from evidence.explanation_words import Words


@dataclass(frozen=True, slots=True)
class LeadWords:
    """One language. words: what all exports say alike."""

    words: Words
    title: str
    opening: str
    first: str
    first_points: tuple[str, ...]
    measured: str
    not_measured: str
    about: str
    kind: str
    passage: str
    passage_said: str
    counterparts: str
    score: str
    score_said: str
    band_said: str
    innocent: str
    algorithm: str
    model: str
    page_version: str
    verdicts: str
    verdict_said: str
    lapsed: str
    proves_points: tuple[str, ...]
    unsealed: str
    contents_pairs: tuple[tuple[str, str], ...]
    sides: str


CHINESE = LeadWords(
    words=explanation_words.CHINESE,
    title="证据说明：{kind} {lead}",
    opening=(
        "本文件由追文 {version} 写出，记载一条线索在 {at}（协调世界时）经人工确认时的状态。文件自成一体：查验时不需要"
        "网络、数据库，也不需要导出方协助。时间一律为协调世界时，北京时间为其后八小时。"
    ),
    first="语义比对不能证明什么（请先阅读）",
    first_points=(
        "比对的是意思，不是措辞，也不显示孰先孰后。两段文字说同一件事，不等于一段出自另一段。",
        "分数没有上限，不是比例；各对句子的强度（●）也不是比例。网页上没有对应的句子与有对应的同样要看："
        "网页正文全文在 pages/ 中。",
        "人工确认只说明有人看过双方的句子，认为值得继续查证，不是侵权认定。网页是否使用了作品中受保护的表达，"
        "须由懂法律的人对照双方全文判断。",
    ),
    measured=(
        "无辜文字也会达到这样的分数：测定时 {passages:,} 段无辜文字中有 {alarms:,} 段达到同一分数段或更高。"
        "测定所用的文字与此处不同，这一比例不是本线索有误的概率。"
    ),
    not_measured="无辜文字达到这样分数的频率未经测定。",
    about="网页、作品与比对结果",
    kind="类别",
    passage="所附作品段落",
    passage_said="全文 {chars:,} 个字符（含标点、空格）中的第 {start:,} 至 {end:,} 个：自首个有对应的句子至末个",
    counterparts="对应的句子",
    score="分数",
    score_said="{score:.2f}（没有上限，不是比例）",
    band_said="{score:.2f}，分数段“{band}”（没有上限，不是比例）",
    innocent="达到该分数段的无辜文字",
    algorithm="算法版本（程序版本）",
    model="模型",
    page_version="网页版本",
    verdicts="人工结论",
    verdict_said="{verdict}，{by}；网页版本 {page_version}，分数 {score:.2f}，算法 {algorithm_version}",
    lapsed="不再被列为线索，自",
    proves_points=(
        explanation_words.CHINESE.integrity,
        "时间上限：清单上盖有时间戳（seal/）的，整份文件最迟在时间戳所示时刻已经存在；那是导出之时，不是取得网页之时。",
        "可重新比对：证据包载有响应原文、网页正文、自首个至末个对应句子的作品段落、各对句子在双方的位置与强度、"
        "双方全文与模型的 SHA-256、算法与程序版本。查验时逐对核对所引句子确在所述位置；"
        "持有作品全文者可先核对其 SHA-256，再用同一模型重算："
        "得分加上“elsewhere”的一倍半，即网页中得分最高的 16 句与作品比对所得；"
        "句中相邻两字的组合逾六成亦见于对方者按比例少计，全同者不计，数字全不相合者减半（译文不减）；"
        "各对句子的强度为减计之前的数值。“elsewhere”取决于权利人的其他作品。",
    ),
    unsealed=(
        "本文件没有时间戳，不能证明时间。概要（lead.json）、人工结论与本说明由导出方陈述；其中与证据包重复的内容已逐项核对。"
    ),
    contents_pairs=(
        (
            "bundles/*.wacz",
            "证据包，WACZ 1.1.1 格式：响应、连接与取证环境；evidence/comparison.json 为比对结果、各对句子与作品段落",
        ),
        ("pages/", "网页正文的副本，与证据包内的记录逐字节相同"),
        ("lead.json", "线索概要与历次人工结论"),
        ("manifest.json, SHA256SUMS", "全部文件的哈希值清单"),
        ("seal/", "盖在清单上的时间戳（如有）"),
    ),
    sides=(
        "按网页的顺序。首栏依次为序号、强度（● 最弱，●●●● 最强，不是比例）、该句在网页正文中的位置、在作品中的位置"
        "（Unicode 码点，自零起，含首不含尾）。此处未列的网页句子没有对应。"
    ),
)

ENGLISH = LeadWords(
    words=explanation_words.ENGLISH,
    title="Explanation of the evidence: {kind} {lead}",
    opening=(
        "This file was written by Zhuiwen {version}. It says how a lead stood when a person confirmed it, at {at} "
        "(UTC). It stands alone: whoever checks it needs no network, no database and no help from whoever exported "
        "it. All times are UTC; Beijing is eight hours ahead."
    ),
    first="What a comparison of meaning does not prove (read this first)",
    first_points=(
        "It compares what is said, not how, and does not show which was first. That two texts say the same does not "
        "mean that one comes from the other.",
        "The score has no upper bound and is no share; the strength of a pair of sentences (●) is none either. The "
        "sentences of the page without a counterpart matter as much as those with one: the page's whole text is "
        "under pages/.",
        "That a person confirmed the lead means that somebody looked at the sentences of both and found them worth "
        "following up; it is no finding that anything infringes. Whether the page uses what is protected in the work "
        "has to be judged by somebody who knows the law, with both texts at hand.",
    ),
    measured=(
        "Innocent texts reach such scores too: of {passages:,} innocent passages that were measured, {alarms:,} "
        "reached the same band or a higher one. They were other texts than these, so this is not how likely the lead "
        "is wrong."
    ),
    not_measured="How often innocent texts reach such a score was not measured.",
    about="Page, work, and what was found",
    kind="Class",
    passage="Passage of the work that is enclosed",
    passage_said="characters {start:,} to {end:,} of {chars:,}, punctuation and spaces among them: from its first "
    "sentence with a counterpart to its last",
    counterparts="Sentences that correspond",
    score="Score",
    score_said="{score:.2f} (no upper bound, no share)",
    band_said="{score:.2f}, band “{band}” (no upper bound, no share)",
    innocent="Innocent passages that reached the band",
    algorithm="Algorithm (program)",
    model="Model",
    page_version="Version of the page",
    verdicts="What people said",
    verdict_said="{verdict}, {by}; page version {page_version}, score {score:.2f}, algorithm {algorithm_version}",
    lapsed="Not found any more since",
    proves_points=(
        explanation_words.ENGLISH.integrity,
        "Latest time: where the list bears a stamp (seal/), all of the file existed at that moment at the latest. It "
        "is that of the export, not of fetching.",
        "The comparison can be repeated: the bundle holds the response, the page's text, the passage of the work from "
        "its first sentence with a counterpart to its last, the places and strength of each pair, the SHA-256 of both "
        "texts and of the model, the versions of algorithm and program. Verification holds each quoted sentence "
        "against its place; whoever has the work checks its SHA-256 first and computes anew with the same model: the "
        "score and one and a half times `elsewhere` is what the best 16 sentences of the page have with the work, "
        "where a sentence of which more than .6 of the pairs of characters stand on the other side counts less, one "
        "in the same words for nothing, one with other numbers half (none of this in a translation); the strengths of "
        "pairs are those before that. `elsewhere` follows from other works of the rights holder.",
    ),
    unsealed=(
        "This file bears no time stamp and proves no time. The facts (lead.json), what people said, and this "
        "explanation are the exporter's word; what they repeat of the bundle was compared with it."
    ),
    contents_pairs=(
        (
            "bundles/*.wacz",
            "the bundle, WACZ 1.1.1: response, connection, circumstances; evidence/comparison.json has what was found, "
            "the pairs of sentences and the passage of the work",
        ),
        ("pages/", "the page's text, byte for byte as in the bundle"),
        ("lead.json", "the lead, and all that people said of it"),
        ("manifest.json, SHA256SUMS", "the digests of all files"),
        ("seal/", "the stamp on that list, where there is one"),
    ),
    sides=(
        "In the order of the page. First its number, the strength (● the weakest, ●●●● the strongest, no share), the "
        "place of the sentence in the page's text and that in the work's (Unicode code points from 0 on, without the "
        "last). Sentences of the page that are not here have no counterpart."
    ),
)
SIDES, HEADS = "逐句对照 Sentences side by side", ("", "网页 Page", "作品 Work")
MORE = "另有 {count:,} 对，见 evidence/comparison.json。 {count:,} more pairs stand in evidence/comparison.json."
