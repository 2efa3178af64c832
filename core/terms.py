"""The words for the members of the enumerations: the same on the desk, in reports and on the command line."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from core.addressees import AddresseeRole, CounterRule, Paper
from core.contacts import ContactKind, ContactSource
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import ArchiveReason, CaseState, LeftOut, Rejection, Verdict
from core.words import Words
from core.zones import Zone

MATCH_CLASSES = {
    MatchClass.IDENTICAL: Words("identical or nearly", "相同或基本相同"),
    MatchClass.LIGHTLY_EDITED: Words("lightly edited", "轻度修改"),
    MatchClass.HEAVILY_EDITED: Words("heavily edited", "重度修改"),
    MatchClass.EXCERPT: Words("excerpt", "节选"),
    MatchClass.PATCHWORK: Words("patchwork", "拼接"),
    MatchClass.QUOTATION: Words("quotation", "引用"),
    MatchClass.TEASER: Words("teaser of another page", "他页预告"),
}
REWORDED_CLASSES = {
    RewordedClass.REWORDED: Words("reworded (lead)", "改写（线索）"),
    RewordedClass.TRANSLATED: Words("translated (lead)", "译文（线索）"),
}
REWORDED_BANDS = {"low": Words("low", "低"), "middle": Words("middle", "中"), "high": Words("high", "高")}  # of scores
REWORDED_STATES = {
    RewordedState.WAITING: Words("waits for a person", "待人工查看"),
    RewordedState.CONFIRMED: Words("confirmed by a person", "人工确认"),
    RewordedState.DISMISSED: Words("dismissed by a person", "人工排除"),
}
STAFF = {  # people of the rights holder, by what they do
    "reviewer": Words("reviewer", "审核人员"),
    "manager": Words("manager", "管理人员"),
    "former-member": Words("former member", "原工作人员"),
}
STATES = {
    CaseState.OPEN: Words("open", "待审核"),
    CaseState.CONFIRMED: Words("confirmed", "认定侵权"),
    CaseState.DISMISSED: Words("dismissed", "已办结"),
    CaseState.SET_ASIDE: Words("set aside", "已搁置"),
}
# A lead until somebody has found that it infringes.
CASE_NAME, LEAD_NAME = Words("Case {number}", "案件 #{number}"), Words("Case {number}", "侵权线索 #{number}")
VERDICTS = {
    Verdict.CONFIRMED: Words("infringement", "认定侵权"),
    Verdict.LICENSED: Words("licensed", "已授权"),
    Verdict.FAIR_USE: Words("fair use", "合理使用"),
    Verdict.NOT_PROTECTED: Words("not protected", "不受保护"),
    Verdict.NOT_OURS: Words("not our right", "非我方权利"),
    Verdict.FALSE_ALARM: Words("false alarm", "误报"),
}
LEFT_OUT = {
    LeftOut.RESPONSE: Words("responses of crawls", "抓取的响应"),
    LeftOut.VERSION: Words("page versions", "网页版本"),
    LeftOut.FINDING: Words("findings", "发现"),
}
REJECTIONS = {
    Rejection.ROBOTS: Words("forbidden by robots.txt", "robots.txt 禁止抓取"),
    Rejection.UNSAFE_ADDRESS: Words("private address", "内网地址"),
    Rejection.OFF_SITE: Words("outside the site", "站外"),
    Rejection.TOO_LARGE: Words("too large", "过大"),
    Rejection.NOT_HTML: Words("no web page", "不是网页"),
    Rejection.HTTP_ERROR: Words("HTTP error", "HTTP 错误"),
    Rejection.REDIRECT_LOOP: Words("redirects in circles", "循环跳转"),
    Rejection.NO_ANSWER: Words("no answer", "无响应"),
    Rejection.BANNED: Words("refused by the site", "被网站拦截"),
    Rejection.TOO_MANY_FILES: Words("too many files to download", "可下载文件过多"),
    Rejection.UNREADABLE_FILE: Words("file damaged or protected", "文件损坏或受保护"),
    Rejection.MOJIBAKE: Words("unreadable encoding", "编码无法识别"),
    Rejection.NO_MAIN_TEXT: Words("no main text", "无正文"),
    Rejection.UNREADABLE: Words("given up while it was read", "读取中途放弃"),
    Rejection.TOO_FEW_HAN_CHARS: Words("too little Chinese text", "中文字数过少"),
    Rejection.NO_MATCH: Words("nothing of any work", "未见作品文字"),
    Rejection.LICENSED: Words("licensed", "已授权"),
    Rejection.OWN_SITE: Words("own site", "自有网站"),
    Rejection.QUOTATION: Words("quotation", "引用"),
    Rejection.TEASER: Words("teaser of another page", "他页预告"),
    Rejection.NOTHING_LEFT: Words("only passages that do not count", "仅含不计入的内容"),
    Rejection.MERE_FACTS: Words("not protected: mere facts", "不受保护：单纯事实消息"),
    Rejection.OFFICIAL_TEXT: Words("not protected: official text", "不受保护：官方文件"),
    Rejection.TERM_EXPIRED: Words("not protected: term expired", "不受保护：保护期届满"),
    Rejection.NOT_PROTECTED: Words("not protected", "不受保护"),
}
ARCHIVE_REASONS = {
    ArchiveReason.NO_RESPONSE: Words("not a response", "不是响应记录"),
    ArchiveReason.NO_PAGE: Words("no web address", "不是网页地址"),
    ArchiveReason.NO_DATE: Words("no readable date", "没有可读取的时间"),
    ArchiveReason.NOT_WATCHED: Words("host not watched", "主机未被监测"),
    ArchiveReason.REVISIT_OF_ANOTHER_FILE: Words("repeats a page of another file", "重复其他文件中的网页"),
}
ZONES = {
    Zone.MAIN: Words("main text", "正文"),
    Zone.COMMENT: Words("comments", "评论"),
    Zone.TEASER: Words("teasers of other pages", "他页预告"),
    Zone.FRAME: Words("frame of the site", "网站框架"),
}
OBFUSCATIONS = {kind: kind.label for kind in Obfuscation}
ADDRESSEE_ROLES = {
    AddresseeRole.PUBLISHES: Words("publishes by itself", "自行发布内容"),
    AddresseeRole.STORES: Words("gives storage", "提供信息存储空间"),
    AddresseeRole.PLATFORM: Words("platform with a form of its own", "以自有表单受理的平台"),
    AddresseeRole.SEARCHES: Words("searches or links", "提供搜索或链接"),
    AddresseeRole.HOSTS: Words("host", "主机服务商"),
    AddresseeRole.REGISTERS: Words("registrar", "域名注册商"),
}
PAPERS = {
    Paper.LETTER: Words("letter to stop", "停止侵权告知函"),
    Paper.ARTICLE_14: Words("notice to remove or disconnect (article 14)", "要求删除或断开链接的通知"),
    Paper.DMCA: Words("DMCA notice", "DMCA 通知"),
    Paper.FORM_KIT: Words("kit for the web form", "网页表单材料"),
}
# What a letter and the page of a case call the digests of an evidence bundle: of the list of what is in it, which is
# stamped, and of its file, as any program shows it.
BUNDLE_DIGEST = Words("SHA-256 of the bundle", "证据包 SHA-256")
FILE_DIGEST = Words("SHA-256 of its file", "证据包文件 SHA-256")
COUNTER_RULES = {
    CounterRule.REPLY_2020_9: Words(
        "Civil Code art. 1196, reply 法释〔2020〕9号: at most 20 working days",
        "《民法典》第一千一百九十六条、法释〔2020〕9号：最长20个工作日",
    ),
    CounterRule.E_COMMERCE: Words("E-Commerce Law art. 43: 15 days", "《电子商务法》第四十三条：15日"),
    CounterRule.DMCA: Words(
        "17 U.S.C. 512(g): 10 to 14 business days", "《美国法典》第17编第512条(g)款：10至14个工作日"
    ),
    CounterRule.NONE: Words("none: it publishes by itself", "不适用：自行发布内容"),
}
CONTACT_KINDS = {
    ContactKind.ICP: Words("ICP record", "ICP备案号"),
    ContactKind.ICP_LICENCE: Words("ICP licence", "ICP许可证号"),
    ContactKind.POLICE: Words("record with the police", "公安备案号"),
    ContactKind.EMAIL: Words("e-mail address", "电子邮箱"),
    ContactKind.COMPLAINT_PAGE: Words("complaint page", "投诉页面"),
    ContactKind.CONTACT_PAGE: Words("contact page", "联系页面"),
    ContactKind.FORM: Words("form", "在线表单"),
    ContactKind.HOST: Words("host", "主机服务商"),
    ContactKind.HOST_ABUSE: Words("abuse address of the host", "主机服务商投诉邮箱"),
    ContactKind.REGISTRAR: Words("registrar", "域名注册商"),
    ContactKind.REGISTRAR_ABUSE: Words("abuse address of the registrar", "域名注册商投诉邮箱"),
}
CONTACT_SOURCES = {
    ContactSource.PAGE: Words("page of the site", "网站网页"),
    ContactSource.RDAP: Words("RDAP", "RDAP 查询"),
    ContactSource.WHOIS: Words("whois", "whois 查询"),
}

# By kind: members of two of them share a value ("licensed"), and are equal.
TERMS: Mapping[type[StrEnum], Mapping[Any, Words]] = {
    MatchClass: MATCH_CLASSES,
    RewordedClass: REWORDED_CLASSES,
    RewordedState: REWORDED_STATES,
    CaseState: STATES,
    Verdict: VERDICTS,
    LeftOut: LEFT_OUT,
    Rejection: REJECTIONS,
    Zone: ZONES,
    Obfuscation: OBFUSCATIONS,
    AddresseeRole: ADDRESSEE_ROLES,
    Paper: PAPERS,
    CounterRule: COUNTER_RULES,
    ContactKind: CONTACT_KINDS,
    ContactSource: CONTACT_SOURCES,
}
