"""The standard templates, which a rights holder can download, edit in Word and upload."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from core.addressees import Paper
from core.terms import term
from documents.blocks import Align, Block, BlockTable, Cell, Document, Paragraph
from documents.word_writing import word_file

_MADE_AT = datetime(2026, 11, 27, tzinfo=UTC)  # the date of the wording


def standard_template(kind: Paper) -> bytes:
    """Return the standard DOCX template for a kind of notice, with its fields."""
    language = "en" if kind is Paper.DMCA else "zh"
    return word_file(Document(term(kind).in_language(language), _TEMPLATES[kind](), language), _MADE_AT)


def _cease_and_desist_letter() -> tuple[Block, ...]:
    return (
        Paragraph.heading("停止侵权告知函", 1, Align.CENTER),
        Paragraph.from_text("致：{{收件方名称}}", is_bold=True),
        Paragraph.from_text("地址：{{收件方地址}}"),
        _text_paragraph(
            "{{权利人名称}}（以下称“权利人”）依法享有下列作品的信息网络传播权。经核查，贵方经营的网站“{{网站名称}}”"
            "未经权利人许可，通过信息网络向公众提供下列作品的内容。现函告如下："
        ),
        Paragraph.heading("一、作品及权属", 2),
        _works_table(),
        _text_paragraph("{{权属说明}}"),
        Paragraph.heading("二、侵权内容所在网站及网络地址", 2),
        _pairs_table(("网站名称", "{{网站名称}}"), ("域名", "{{网站域名}}"), ("备案号", "{{网站备案号}}")),
        _addresses_table(),
        Paragraph.heading("三、侵权事实", 2),
        _text_paragraph("{{侵权事实}}"),
        Paragraph.heading("四、法律依据", 2),
        _text_paragraph("{{法律依据}}"),
        Paragraph.heading("五、要求", 2),
        _text_paragraph("{{要求}}"),
        _text_paragraph(
            "请贵方立即停止侵权，并于本函发出之日起 {{答复期限}} 日内将处理结果书面答复权利人。逾期未处理或者未答复的，"
            "权利人将依法采取投诉、诉讼等措施，由此产生的后果由贵方承担。"
        ),
        _text_paragraph("本函不构成对权利人任何权利的放弃。特此函告。"),
        Paragraph.heading("六、联系方式", 2),
        _pairs_table(
            ("权利人", "{{权利人名称}}"),
            ("地址", "{{权利人地址}}"),
            ("联系人", "{{联系人}}"),
            ("电话", "{{权利人电话}}"),
            ("电子邮箱", "{{权利人电子邮箱}}"),
            ("代理人", "{{代理人名称}} {{代理人联系方式}}"),
        ),
        Paragraph.heading("附件", 2),
        _attachments_table(),
        Paragraph(),
        Paragraph.from_text("{{权利人名称}}（盖章）", align=Align.RIGHT),
        Paragraph.from_text("{{日期}}", align=Align.RIGHT),
    )


def _removal_notice() -> tuple[Block, ...]:
    return (
        Paragraph.heading("要求删除或断开链接侵权网络内容的通知", 1, Align.CENTER),
        Paragraph.from_text("致：{{收件方名称}}", is_bold=True),
        _text_paragraph(
            "权利人认为贵方服务所涉及的下列内容侵犯其信息网络传播权，现根据《信息网络传播权保护条例》第十四条和"
            "《中华人民共和国民法典》第一千一百九十五条通知贵方，请求删除该内容或者断开与该内容的链接。"
        ),
        Paragraph.heading("一、网络服务提供者", 2),
        _pairs_table(
            ("名称", "{{收件方名称}}"),
            ("地址、邮编", "{{收件方地址}} {{收件方邮编}}"),
            ("电子邮箱", "{{收件方电子邮箱}}"),
            ("电话、传真", "{{收件方电话}} {{收件方传真}}"),
        ),
        Paragraph.heading("二、权利人", 2),
        _pairs_table(
            ("姓名（名称）", "{{权利人名称}}"),
            ("身份证明", "{{权利人身份证明}}"),
            ("法定代表人", "{{法定代表人}}"),
            ("地址、邮编", "{{权利人地址}} {{权利人邮编}}"),
            ("联系人", "{{联系人}}"),
            ("电话", "{{权利人电话}}"),
            ("电子邮箱", "{{权利人电子邮箱}}"),
            ("传真", "{{权利人传真}}"),
            ("代理人（附授权委托书）", "{{代理人名称}} {{代理人联系方式}}"),
        ),
        Paragraph.heading("三、侵权内容所在网站", 2),
        _pairs_table(
            ("网站名称", "{{网站名称}}"),
            ("域名", "{{网站域名}}"),
            ("备案号", "{{网站备案号}}"),
            ("IP 地址", "{{网站IP地址}}"),
        ),
        Paragraph.heading("四、作品及权属", 2),
        _works_table(),
        _text_paragraph("{{权属说明}}"),
        Paragraph.heading("五、要求删除或断开链接的网络地址", 2),
        _addresses_table(),
        Paragraph.heading("六、侵权事实、法律依据及初步证明材料", 2),
        _text_paragraph("{{侵权事实}}"),
        _text_paragraph("{{法律依据}}"),
        _attachments_table(),
        Paragraph.heading("七、要求", 2),
        _text_paragraph("{{要求}}"),
        _text_paragraph("请贵方于本通知发出之日起 {{答复期限}} 日内，将处理结果书面告知权利人。"),
        Paragraph.heading("八、保证声明", 2),
        _text_paragraph("{{保证声明}}"),
        Paragraph(),
        Paragraph.from_text("权利人（签字或盖章）：{{权利人名称}}", align=Align.RIGHT),
        Paragraph.from_text("{{日期}}", align=Align.RIGHT),
    )


def _dmca_notice() -> tuple[Block, ...]:
    return (
        Paragraph.heading("Notification of Claimed Infringement", 1, Align.CENTER),
        Paragraph.from_text("under 17 U.S.C. § 512(c)(3)", align=Align.CENTER),
        Paragraph.from_text("To the designated agent of {{addressee_name}}", is_bold=True),
        Paragraph.from_text("{{addressee_email}} {{addressee_address}}"),
        Paragraph.heading("1. The copyrighted works", 2),
        _list_table(("Title", "Author"), ("{{works.title}}", "{{works.author}}"), (0.6, 0.4)),
        Paragraph.heading("2. The infringing material and where it is", 2),
        _list_table(
            ("No.", "Address, and the evidence of it", "Work", "Captured"),
            (
                "{{addresses.number}}",
                "{{addresses.url}}\n{{addresses.digest}}",
                "{{addresses.work}}\n{{addresses.chapters}}",
                "{{addresses.fetched}}",
            ),
            (0.07, 0.52, 0.24, 0.17),
        ),
        Paragraph.heading("3. Contact", 2),
        _pairs_table(
            ("Name", "{{holder_name}}"),
            ("Address", "{{holder_address}}"),
            ("Telephone", "{{holder_phone}}"),
            ("E-mail", "{{holder_email}}"),
        ),
        Paragraph.heading("4. Good faith", 2),
        Paragraph.from_text("{{good_faith}}"),
        Paragraph.heading("5. Accuracy and authority", 2),
        Paragraph.from_text("{{accuracy}}"),
        Paragraph.heading("6. Signature", 2),
        Paragraph.from_text("{{signature}}"),
        Paragraph.from_text("{{date}}"),
    )


def _web_form_kit() -> tuple[Block, ...]:
    return (
        Paragraph.heading("网页投诉表单材料", 1, Align.CENTER),
        _text_paragraph("以下各项供逐项填入对方的网页表单；所附文件另行上传。"),
        _pairs_table(
            ("权利人", "{{权利人名称}}"),
            ("身份证明", "{{权利人身份证明}}"),
            ("地址", "{{权利人地址}}"),
            ("电话", "{{权利人电话}}"),
            ("电子邮箱", "{{权利人电子邮箱}}"),
        ),
        Paragraph.heading("作品及权属", 2),
        _works_table(),
        _text_paragraph("{{权属说明}}"),
        Paragraph.heading("网络地址", 2),
        _addresses_table(),
        Paragraph.heading("侵权事实及法律依据", 2),
        _text_paragraph("{{侵权事实}}"),
        _text_paragraph("{{法律依据}}"),
        Paragraph.heading("保证声明", 2),
        _text_paragraph("{{保证声明}}"),
        Paragraph.heading("要上传的文件", 2),
        _attachments_table(),
    )


_TEMPLATES: Mapping[Paper, Callable[[], tuple[Block, ...]]] = {
    Paper.LETTER: _cease_and_desist_letter,
    Paper.ARTICLE_14: _removal_notice,
    Paper.DMCA: _dmca_notice,
    Paper.FORM_KIT: _web_form_kit,
}


def _text_paragraph(text: str) -> Paragraph:
    return Paragraph.from_text(text, is_indented=True)


def _works_table() -> BlockTable:
    return _list_table(
        ("作品名称", "作者", "权属证明", "首次发表"),
        ("{{作品.名称}}", "{{作品.作者}}", "{{作品.权属证明}}", "{{作品.首次发表}}"),
        (0.32, 0.18, 0.3, 0.2),
    )


def _addresses_table() -> BlockTable:
    return _list_table(
        ("序号", "网络地址；证据哈希值（SHA-256）", "作品及章节", "占原文", "取证时间"),
        (
            "{{网址.序号}}",
            "{{网址.地址}}\n{{网址.证据哈希值}}",
            "{{网址.作品}}\n{{网址.章节}}",
            "{{网址.占原文}}",
            "{{网址.取证时间}}",
        ),
        (0.07, 0.45, 0.22, 0.1, 0.16),
    )


def _attachments_table() -> BlockTable:
    return _list_table(("序号", "附件"), ("{{附件.序号}}", "{{附件.名称}}"), (0.1, 0.9))


def _list_table(head: tuple[str, ...], row: tuple[str, ...], widths: tuple[float, ...]) -> BlockTable:
    return BlockTable(
        (tuple(Cell.from_text(text, is_bold=True) for text in head), tuple(map(_lines_cell, row))),
        widths,
        has_head=True,
    )


def _lines_cell(text: str) -> Cell:
    """Return a cell with a paragraph for each line, so that a line with an empty field can be omitted."""
    return Cell(tuple(Paragraph.from_text(line) for line in text.split("\n")))


def _pairs_table(*pairs: tuple[str, str]) -> BlockTable:
    return BlockTable(
        tuple((Cell.from_text(name, is_bold=True), Cell.from_text(value)) for name, value in pairs), (0.26, 0.74)
    )
