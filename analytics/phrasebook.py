"""The phrases of reports by key: headings, names of figures and columns, notes."""

from collections.abc import Mapping

from analytics.report import Notice
from core.words import Words

PHRASES: Mapping[str, Words] = {
    "html_lang": Words("en", "zh-Hans"),
    "list_separator": Words(", ", "、"),
    "title": Words("Copyright monitoring report", "版权监测报告"),
    "product": Words("Zhuiwen", "追文"),
    "nothing": Words("–", "—"),
    "all": Words("all", "全部"),
    "to": Words("to", "至"),
    "page_of": Words("Page {page} of {pages}", "第 {page} 页，共 {pages} 页"),
    "section": Words("Section", "部分"),
    "item": Words("Item", "项目"),
    "measure": Words("Measure", "指标"),
    "value": Words("Value", "数值"),
    "notice": Words("Notice", "提示"),
    "top_sites": Words("Sites with most cases", "线索与案件最多的网站"),
    "days_chart": Words("Cases opened each day", "每日新增线索"),
    "page": Words("Page", "网页"),
    "comparison": Words("Comparison", "比对结果"),
    "no_rows": Words("None in this period.", "本期无记录。"),
    "note.counting": Words(
        "A case is one page that took from one work. It counts on the day on which it was opened, with the "
        "state it had when this report was made. Set aside: a licence or an own domain allows the page, and "
        "nobody has decided. Characters and shares leave out dismissed cases and those set aside. A page is "
        "checked on the day of its last comparison; sites and the summary count each page once, the days "
        "count those of each day.",
        "一个网页使用一部作品的文字，审核前为一条侵权线索，认定侵权后为一个案件；计入建立当日，状态以本报告生成时为准。已搁置："
        "授权或自有域名准许该网页，且尚无人审核。字数与占比不含已办结和已搁置的。"
        "检查网页按其最近一次比对计，各网站与合计中每页只计一次，每日一栏按当日计。",
    ),
    "note.chars": Words(
        "Characters are Chinese characters and figures, without punctuation, spaces and foreign words. Characters "
        "taken: those of the work that stand on pages, each counted once however many pages have it; works add "
        "up to the total, sites do not, since several may have the same passage. Characters on pages: added up page by "
        "page, so that a chapter on five pages counts five times.",
        "字数只计汉字与数字，不计标点、空白与外文。被使用字数（去重）：作品中见于网页的字，每字只计一次，"
        "无论多少网页都有；各作品相加为合计，各网站相加则否，因不同网站可有同一段落。"
        "网页上的字数（按页累计）：逐页相加，同一章出现在五个网页即计五次。",
    ),
    "note.shares": Words(
        "Similarity: share of characters that agree along the matching passages. Share of the page: part of "
        "the page's text that stands in the work. Share of the work: characters taken / characters of the "
        "whole work. Shares are cut to a tenth of a per cent, never rounded up; less than that is written "
        "<0.1%. Confirmed share of decided cases: confirmed / (confirmed + dismissed).",
        "相似度：相似片段中逐字一致的比例。占网页：网页正文中见于作品的比例。占原文：被使用字数（去重）÷ "
        "整部作品的字数。占比舍去千分位以下，不作进位；不足 0.1% 的写作 <0.1%。认定率：认定侵权 ÷（认定侵权 "
        "+ 已办结）。",
    ),
    "note.text": Words(
        "Titles, addresses and excerpts come from the pages as crawled, with invisible characters left out "
        "and characters that cannot be shown written by their number, as in [U+202E]. The evidence of each "
        "case keeps the page byte for byte.",
        "标题、网址与摘录取自抓取时的网页，略去不可见字符；无法显示的字符以编号写出，如 [U+202E]。"
        "网页原始字节保存在各线索与案件的证据中。",
    ),
    "table.scope": Words("Scope", "报告范围"),
    "table.summary": Words("Summary", "概要"),
    "table.sites": Words("Sites", "网站"),
    "table.works": Words("Works", "作品"),
    "table.days": Words("Days", "每日"),
    "table.classes": Words("Classes", "类别"),
    "table.obfuscations": Words("Alterations", "改动与隐藏"),
    "table.verdicts": Words("Verdicts", "审核结论"),
    "table.exclusions": Words("Left out or not compared, by reason", "已排除及未比对的原因"),
    "table.crawls": Words("Crawl runs", "抓取任务"),
    "table.lead_counts": Words("Leads by class and state", "改写与译文线索：类别与状态"),
    "table.leads": Words("Reworded and translated (leads)", "改写与译文（线索）"),
    "table.cases": Words("Cases", "线索与案件"),
    "scope.rights_holder": Words("Rights holder", "权利人"),
    "scope.period": Words("Period", "期间"),
    "scope.since": Words("From", "起始日"),
    "scope.until": Words("To (included)", "截止日（含）"),
    "scope.works": Words("Works", "作品"),
    "scope.sites": Words("Sites", "网站"),
    "scope.time_zone": Words("Time zone", "时区"),
    "scope.generated_at": Words("Report made", "生成时间"),
    "column.pages_checked": Words("Pages checked", "检查网页"),
    "column.new_versions": Words("New page versions", "新增网页版本"),
    "column.opened": Words("Cases opened", "新增线索"),
    "column.confirmed": Words("Confirmed", "认定侵权"),
    "column.dismissed": Words("Dismissed", "已办结"),
    "column.open": Words("Open", "待审核"),
    "column.set_aside": Words("Set aside", "已搁置"),
    "column.precision": Words("Confirmed share of decided cases", "认定率"),
    "column.median_hours_to_verdict": Words("Hours to verdict (median)", "审核用时中位数（小时）"),
    "column.sites_with_copies": Words("Sites concerned", "涉及网站"),
    "column.works_copied": Words("Works concerned", "涉及作品"),
    "column.chars_taken": Words("Characters taken (each once)", "被使用字数（去重）"),
    "column.chars_on_pages": Words("Characters on pages (added up)", "网页上的字数（按页累计）"),
    "column.taken_chars": Words("Characters taken", "被使用字数"),
    "column.matched_chars": Words("Characters on the page", "网页上的字数"),
    "column.work_chars": Words("Characters of the work", "作品字数"),
    "column.share_taken": Words("Share of the work taken", "被使用占原文"),
    "column.excluded": Words("Excluded findings", "已排除的发现"),
    "column.left_out": Words("What is counted", "计数单位"),
    "column.count": Words("Number", "数量"),
    "column.crawl_runs": Words("Crawl runs", "抓取次数"),
    "column.runs_finished": Words("Finished", "完成"),
    "column.runs_failed": Words("Failed", "失败"),
    "column.runs_missed": Words("Missed", "应抓取而未执行"),
    "column.pages_fetched": Words("Pages fetched", "抓取网页"),
    "column.pages_failed": Words("Fetches failed", "抓取失败"),
    "column.largest_share": Words("Largest share on one page", "单页最高占原文"),
    "column.day": Words("Day", "日期"),
    "column.site": Words("Site", "网站"),
    "column.hosts": Words("Hosts", "域名"),
    "column.host": Words("Host", "域名"),
    "column.rights_holder": Words("Rights holder", "权利人"),
    "column.work": Words("Work", "作品"),
    "column.chapter": Words("Chapter", "章节"),
    "column.obfuscation": Words("Alteration", "改动与隐藏"),
    "column.obfuscations": Words("Alterations", "改动与隐藏"),
    "column.cases": Words("Cases", "线索与案件"),
    "column.reason": Words("Reason", "原因"),
    "column.case_id": Words("Case", "案号"),
    "column.state": Words("State", "状态"),
    "column.verdict": Words("Verdict", "审核结论"),
    "column.reviewer": Words("Reviewer", "审核人"),
    "column.decided_at": Words("Decided", "审核时间"),
    "column.allowed_as": Words("Allowed as", "准许"),
    "column.allowed_by": Words("Allowed by", "准许依据"),
    "column.lead_id": Words("Lead", "线索编号"),
    "column.lead_class": Words("Class", "类别"),
    "column.lead_state": Words("State of the lead", "线索状态"),
    "column.leads_waiting": Words("Wait for a person", "待人工查看"),
    "column.leads_confirmed": Words("Confirmed by a person", "人工确认"),
    "column.leads_dismissed": Words("Dismissed by a person", "人工排除"),
    "column.sentences_paired": Words("Sentences with a counterpart", "有对应的句数"),
    "column.sentences": Words("Sentences of the page", "网页句数"),
    "column.sentences_in_order": Words("Of these in the same order", "其中顺序相同"),
    "column.band": Words("Band", "分数段"),
    "column.alarms": Words("Alarms among innocent passages", "无辜文字中的误报"),
    "column.found_at": Words("Found", "发现时间"),
    "column.page_title": Words("Page title", "网页标题"),
    "column.page_author": Words("Author stated by the page", "网页署名"),
    "column.page_poster": Words("Posted by", "发布者"),
    "signature": Words("Poster and author", "发布者与署名"),
    "unsigned": Words("none found on the page", "网页未见标明"),
    "column.page_published_at": Words("Published, as the page states", "网页标注发布时间"),
    "column.page_url": Words("Page URL", "网址"),
    "column.other_urls": Words("Other addresses with the same text", "相同正文的其他网址"),
    "column.match_class": Words("Class", "类别"),
    "column.similarity": Words("Similarity", "相似度"),
    "column.page_containment": Words("Share of the page", "占网页"),
    "column.work_containment": Words("Share of the work", "占原文"),
    "column.opened_at": Words("Opened", "建立时间"),
    "column.first_seen_at": Words("First seen", "首次发现"),
    "column.last_seen_at": Words("Last seen", "最近发现"),
    "column.excerpt": Words("Excerpt of the page", "网页摘录"),
    "verdict.none": Words("not decided", "未审核"),
}

NOTICES: Mapping[Notice, Words] = {
    Notice.NOTHING_CHECKED: Words(
        "No page was checked in this period, so that no case says nothing about what stands on pages.",
        "本期没有检查任何网页，因此没有线索并不说明网页上没有作品文字。",
    ),
    Notice.NO_CASES: Words("No case was opened in this period.", "本期没有新增线索。"),
}
