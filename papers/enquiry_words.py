"""What a letter of enquiry says, in both languages. It claims no infringement, threatens nothing and cites no law.

What stands in brackets is for whoever signs it to fill in or to take out.
"""

from core.words import Words

TITLE = Words("Letter of enquiry (draft)", "沟通函（草稿）")
FOR_THE_SIGNER = Words(
    "[Take this paragraph out before the letter goes out: a draft made from what was recorded. It is not sent by the "
    "product. Fill in what stands in brackets, and have it read by somebody who knows the law.]",
    "【草稿说明，发出前删去本段：本件据所存记录拟就，本产品不会自动发出。请填写方括号中的内容，并由熟悉法律的人审阅。】",
)
TO = Words("To: {name}", "致：{name}")
NO_ADDRESSEE = Words("[addressee: none is known, fill in]", "【收件方：尚无记录，请填写】")
READ_ON_SITE = Words("(as read on pages of the site; check it before writing)", "（据该网站网页所载，发函前请核实）")
OPENING = Words(
    "We hold the rights in the work named below. Some sentences of a page of your site “{site}” say much the same "
    "as sentences of this work. We write to learn how the text of the page came about. This letter makes no statement "
    "on whether the page infringes anything.",
    "我方系下列作品的权利人。贵方网站“{site}”的一个网页中，有若干语句与该作品的语句意思相近。现将比对情况函告贵方，"
    "以了解该网页内容的由来。本函不对该网页是否构成侵权作任何认定。",
)
OPENING_TRANSLATED = Words(
    "We hold the rights in the work named below. Some sentences of a page of your site “{site}” say, in another "
    "language, much the same as sentences of this work. We write to learn how the text of the page came about. This "
    "letter makes no statement on whether the page infringes anything.",
    "我方系下列作品的权利人。贵方网站“{site}”的一个网页中，有若干语句以另一种语言表达了与该作品语句相近的意思。"
    "现将比对情况函告贵方，以了解该网页内容的由来。本函不对该网页是否构成侵权作任何认定。",
)

WORK = Words("1. The work", "一、作品")
WORK_TITLE, AUTHOR, CHAPTER = Words("Title", "名称"), Words("Author", "作者"), Words("Chapter", "章节")
HOLDER, PROOFS = Words("Rights holder", "权利人"), Words("Registration, proof of ownership", "登记或权属证明")

PAGE = Words("2. The page", "二、网页")
SITE, ADDRESS, PAGE_TITLE = Words("Site", "网站"), Words("Address", "网址"), Words("Page title", "网页标题")
FETCHED = Words("Fetched", "取得时间")
RESPONSE = Words("SHA-256 of the response as fetched", "所取得响应的 SHA-256")

SENTENCES = Words("3. Sentences that correspond", "三、对应的语句")
ALL_SHOWN = Words(
    "{counterparts}. The table has all {shown} pairs, in the order of the page.",
    "{counterparts}。下表按网页的语序列出全部 {shown} 对。",
)
SOME_SHOWN = Words(
    "{counterparts}. The table has the {shown} pairs that correspond most closely, in the order of the page; there are "
    "{more} more.",
    "{counterparts}。下表按网页的语序列出其中最为接近的 {shown} 对，另有 {more} 对未列出。",
)
PAGE_SIDE, WORK_SIDE = Words("The page", "网页"), Words("The work", "作品")

SHARED = Words("4. Names, numbers and uncommon words of both", "四、两者共有的人名、数字和不常用词")
SHARED_HOW = Words(
    "Of the sentences above; bold in the Word file. A program marks them, everyday words left out.",
    "限于上表所列语句，在 Word 文件中以粗体标出；由程序标记，日常用词不计。",
)
SHARED_NONE = Words("The sentences above have none.", "上表所列语句中没有。")
ON_BOTH, ON_PAGE, ON_WORK = Words("Both", "两者均有"), Words("As the page writes it", "网页写作"), Words(
    "As the work writes it", "作品写作"
)  # fmt: skip
MORE_WORDS = Words(" and {more} more", " 等，另有 {more} 个")

LIMITS = Words("5. What the comparison does not prove", "五、本比对不能证明的事项")
READ_BY = Words(
    "A program chose the sentences by their meaning; a person looked at them side by side and confirmed them as a lead "
    "on {confirmed}. That does not prove either that the page was made from the work.",
    "上列语句由程序按语义选出，经人工对照查看，于 {confirmed} 确认为线索。这同样不能证明该网页取材于该作品。",
)

ASKED = Words("6. What we ask for", "六、请予答复的事项")
ANSWER = Words("Please answer in writing by [date]:", "请于【答复期限】前书面答复：")
QUESTIONS = (
    Words("(1) who wrote the text of the page, and from which sources;", "（一）该网页内容由何人撰写，依据哪些材料；"),
    Words(
        "(2) whether permission to use the work was given, and if so by whom, when and for what;",
        "（二）是否取得过使用该作品的许可；如有，请说明许可人、时间和范围；",
    ),
    Words(
        "(3) if the page quotes, or tells independently, what the work tells: from where it was taken, or how it came "
        "about.",
        "（三）如属引用，或系独立写成，请说明出处或写作经过。",
    ),
)

ARGUMENT = Words("7. Remarks of the signer", "七、署名人的意见")
ARGUMENT_HERE = Words(
    "[for the signer, or the signer's lawyer, to write; otherwise take this section out]",
    "【由署名人或其律师填写；如无，请删去本节】",
)

CONTACT = Words("8. Contact", "八、联系方式")
NO_CONTACT = Words("[address, telephone, e-mail]", "【地址、电话、电子邮箱】")
HOLDER_ADDRESS, PERSON = Words("Address", "地址"), Words("Contact person", "联系人")
PHONE, EMAIL = Words("Telephone", "电话"), Words("E-mail", "电子邮箱")
SIGNATURE, DATE = Words("[signature]", "【签名或盖章】"), Words("[date]", "【日期】")
