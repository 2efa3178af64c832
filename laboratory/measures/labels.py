"""The names of classes, edits and figures in both languages."""

CLASSES = {
    "overall": ("All but hard, grey, chapter", "总计（不含高难、灰色、整章）"),
    "positives": ("Of these, pages with copies", "其中含抄袭的页面"),
    "full": ("Chapters, edited", "整章改写"),
    "chapter": ("Short works, whole", "短篇全文"),
    "excerpt60": ("Excerpts of 60 characters", "60 字摘抄"),
    "excerpt100": ("Excerpts of 100 characters", "100 字摘抄"),
    "excerpt200": ("Excerpts of 200 characters", "200 字摘抄"),
    "excerpt500": ("Excerpts of 500 characters", "500 字摘抄"),
    "patchwork": ("Patchworks", "多作品拼凑"),
    "natural": ("Other editions", "同一作品的其他版本"),
    "reuse": ("Reuse between old works", "古籍之间的袭用"),
    "negative": ("Innocent pages", "无辜页面"),
    "grey": ("Quotations of 20 to 35 characters", "20 至 35 字的引文"),
    "hard": ("Beyond what is promised", "高难（超出承诺）"),
}

ATTACKS = {
    "*": ("all", "合计"),
    "none": ("unchanged", "未改动"),
    "homophone": ("homophones", "同音字替换"),
    "fuzzy-sound": ("near-homophones", "近音字替换"),
    "shape": ("look-alikes", "形近字替换"),
    "random": ("random characters", "随机换字"),
    "indel": ("inserted and dropped", "增字与漏字"),
    "swap": ("neighbours swapped", "相邻字对调"),
    "script": ("other script", "简繁转换"),
    "traditional-variants": ("variant forms", "异体字替换"),
    "punctuation": ("punctuation", "改动标点"),
    "sentence-shuffle": ("sentences shuffled", "打乱句序"),
    "sentence-drop": ("sentences dropped", "删去句子"),
    "advertisement": ("advertisements", "插入广告"),
    "zero-width": ("zero-width characters", "零宽字符"),
    "spaces": ("spaces", "插入空格"),
    "width": ("full and half width", "全角半角互换"),
    "pinyin-in-place": ("pinyin for characters", "拼音代字"),
    "pinyin-after": ("pinyin in brackets", "括注拼音"),
    "private-use": ("private-use fonts", "私用区字体"),
    "combo": ("combination", "组合改写"),
    "mix": ("mixed slips", "混合改动"),
    "patchwork": ("works patched together", "拼凑作品数"),
    "edition": ("another edition", "其他版本"),
    "anthology": ("anthology", "选本"),
    "derived novel": ("derived novel", "衍生小说"),
    "history copying an earlier history": ("history after a history", "史书袭用前史"),
    "shorter recension": ("shorter recension", "简本"),
    "genre": ("same genre", "同类作品"),
    "modern": ("modern prose", "现代散文"),
    "wiki": ("encyclopaedia", "百科"),
    "news": ("news", "新闻"),
    "short-quotations": ("short quotations", "短引文"),
    "set-phrases": ("set phrases", "套语"),
    "marked": ("in marks, with its title", "带引号与出处"),
    "unmarked": ("without marks", "不带引号"),
    "excerpt30": ("30 characters", "30 字摘抄"),
    "excerpt40": ("40 characters", "40 字摘抄"),
    "excerpt60": ("60 characters", "60 字摘抄"),
    "excerpt60-homophone": ("60 characters, homophones", "60 字摘抄加同音字"),
    "excerpt100": ("100 characters", "100 字摘抄"),
    "excerpt200": ("200 characters", "200 字摘抄"),
}

COLUMNS = {
    "engine": ("engine", "引擎"),
    "condition": ("condition", "条件"),
    "strength": ("strength", "强度"),
    "pages": ("pages", "页数"),
    "precision": ("precision", "查准率"),
    "recall": ("recall", "查全率"),
    "f1": ("F1", "F1"),
    "false_positives": ("false positives", "误报率"),
    "accusations": ("accused", "误控率"),
    "quotations": ("as quotation", "判为引文"),
    "plagdet": ("plagdet", "plagdet"),
    "granularity": ("granularity", "粒度"),
    "span_precision": ("span precision", "片段查准"),
    "span_recall": ("span recall", "片段查全"),
    "hard": ("hard, recall", "高难查全率"),
    "speed": ("pages/s", "页/秒"),
    "repeating": ("repeating items", "重复条目"),
    "innocent": ("innocent items", "无辜条目"),
    "found": ("found", "找出"),
    "matched": ("matched", "有匹配"),
    "edit": ("edit", "改动"),
    "as_unchanged": ("copied, shown as such", "照抄且如实显示"),
    "as_changed": ("copied, shown as changed", "照抄却显示为改动"),
    "left_out": ("copied, left out", "照抄而未显示"),
    "right_kind": ("changed, right kind", "改动类别正确"),
    "claimed": ("foreign, claimed", "外来字误作抄袭"),
    "falsely_deleted": ("deleted, but there", "误报删去"),
}

# Of comparisons; the name alone is what the terminal shows.
EDITS = {
    "verbatim": "原文照搬",
    "homophones .1": "同音字 .1",
    "homophones .4": "同音字 .4",
    "shapes .1": "形近字 .1",
    "random .1": "随机换字 .1",
    "random .3": "随机换字 .3",
    "pinyin in place .1": "拼音代字 .1",
    "other script": "简繁转换",
    "characters put in .1": "增字 .1",
    "characters left out .1": "漏字 .1",
    "sentences dropped .3": "删去句子 .3",
    "foreign after every 4th": "每四句后插入外来句",
    "foreign after each": "每句后插入外来句",
    "neighbours swapped .2": "相邻句对调 .2",
    "shuffled by fives": "每五句内打乱",
    "shuffled": "全部打乱",
    "heavy mixture": "多种改动混合",
}


def class_label(name: str) -> tuple[str, str]:
    """English and Chinese; the name itself where it is none of ours."""
    return CLASSES.get(name, (name, name))


def attack_label(name: str) -> tuple[str, str]:
    """English and Chinese; the name itself where it is none of ours."""
    return ATTACKS.get(name, (name, name))
