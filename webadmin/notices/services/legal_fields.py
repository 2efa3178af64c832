"""The fields of each kind of notice, and the laws that require them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.addressees import Paper
from core.wording import Message


class Law(StrEnum):
    """The sources that require fields. docs/notices.md quotes them."""

    REGULATION_14_1 = "regulation-14-1"
    REGULATION_14_2 = "regulation-14-2"
    REGULATION_14_3 = "regulation-14-3"
    REGULATION_14 = "regulation-14"
    CIVIL_CODE_1195 = "civil-code-1195"
    DMCA_I = "dmca-i"
    DMCA_II = "dmca-ii"
    DMCA_III = "dmca-iii"
    DMCA_IV = "dmca-iv"
    DMCA_V = "dmca-v"
    DMCA_VI = "dmca-vi"
    CUSTOM = "custom"


FORM = Message("law.recommended-form")


@dataclass(frozen=True, slots=True)
class PaperField:
    """A field of a notice. name: its Chinese name in templates. code: its English name.

    needed: the law that requires it, by kind of notice; a notice of this kind must have it. asked: the kinds whose
    recommended form contains it; users are reminded of an empty field. columns: the columns of a list, by code.
    is_optional: whether it may be empty; a row or line with only empty optional fields is omitted. All other fields in
    a template must be filled in.
    """

    code: str
    name: str
    needed: Mapping[Paper, Law] = field(default_factory=dict)
    asked: frozenset[Paper] = frozenset()
    columns: Mapping[str, str] = field(default_factory=dict)
    is_optional: bool = False

    @property
    def words(self) -> Message:
        return Message(f"paper-field.{self.code}")


_STOP, _REMOVAL, _DMCA, _WEB = Paper.LETTER, Paper.ARTICLE_14, Paper.DMCA, Paper.FORM_KIT
_FORM = frozenset({Paper.ARTICLE_14})
_IDENTIFIES_HOLDER = {
    _STOP: Law.CUSTOM, _REMOVAL: Law.REGULATION_14_1, _DMCA: Law.DMCA_IV, _WEB: Law.REGULATION_14_1
}  # fmt: skip

FIELDS: tuple[PaperField, ...] = (
    PaperField("addressee_name", "收件方名称", {_STOP: Law.CUSTOM, _REMOVAL: Law.CUSTOM, _DMCA: Law.CUSTOM}),
    PaperField("addressee_address", "收件方地址", is_optional=True),
    PaperField("addressee_postcode", "收件方邮编", is_optional=True),
    PaperField("addressee_email", "收件方电子邮箱", is_optional=True),
    PaperField("addressee_phone", "收件方电话", is_optional=True),
    PaperField("addressee_fax", "收件方传真", is_optional=True),
    PaperField("site_name", "网站名称"),
    PaperField("site_domains", "网站域名", asked=_FORM),
    PaperField("site_record", "网站备案号", is_optional=True),
    PaperField("site_ip", "网站IP地址", asked=_FORM, is_optional=True),
    PaperField("holder_name", "权利人名称", _IDENTIFIES_HOLDER),
    PaperField(
        "holder_identity",
        "权利人身份证明",
        {_REMOVAL: Law.CIVIL_CODE_1195, _WEB: Law.CIVIL_CODE_1195},
        is_optional=True,
    ),
    PaperField("holder_representative", "法定代表人", asked=_FORM, is_optional=True),
    PaperField("holder_address", "权利人地址", _IDENTIFIES_HOLDER),
    PaperField("holder_postcode", "权利人邮编", asked=_FORM, is_optional=True),
    PaperField("contact_person", "联系人", asked=_FORM, is_optional=True),
    PaperField("holder_phone", "权利人电话", _IDENTIFIES_HOLDER),
    PaperField(
        "holder_email",
        "权利人电子邮箱",
        {_REMOVAL: Law.REGULATION_14_1, _DMCA: Law.DMCA_IV, _WEB: Law.REGULATION_14_1},
        is_optional=True,
    ),
    PaperField("holder_fax", "权利人传真", is_optional=True),
    PaperField("agent_name", "代理人名称", is_optional=True),
    PaperField("agent_contact", "代理人联系方式", is_optional=True),
    PaperField(
        "works",
        "作品",
        {_STOP: Law.CUSTOM, _REMOVAL: Law.REGULATION_14_2, _DMCA: Law.DMCA_II, _WEB: Law.REGULATION_14_2},
        columns={"title": "名称", "author": "作者", "proof": "权属证明", "published": "首次发表"},
    ),
    PaperField("ownership", "权属说明"),
    PaperField(
        "addresses",
        "网址",
        {_STOP: Law.CUSTOM, _REMOVAL: Law.REGULATION_14_2, _DMCA: Law.DMCA_III, _WEB: Law.REGULATION_14_2},
        columns={
            "number": "序号",
            "url": "地址",
            "title": "网页标题",
            "work": "作品",
            "chapters": "章节",
            "share": "占原文",
            "seen": "首次发现",
            "fetched": "取证时间",
            "digest": "证据哈希值",
        },
    ),
    PaperField(
        "facts",
        "侵权事实",
        {_STOP: Law.CUSTOM, _REMOVAL: Law.REGULATION_14_3, _WEB: Law.REGULATION_14_3},
    ),
    PaperField("legal_basis", "法律依据"),
    PaperField("demands", "要求", {_STOP: Law.CUSTOM}, asked=_FORM),
    PaperField("answer_days", "答复期限"),
    PaperField("declaration", "保证声明", {_REMOVAL: Law.REGULATION_14, _WEB: Law.REGULATION_14}),
    PaperField("good_faith", "善意声明", {_DMCA: Law.DMCA_V}),
    PaperField("accuracy", "准确性声明", {_DMCA: Law.DMCA_VI}),
    PaperField("attachments", "附件", {_REMOVAL: Law.REGULATION_14_3}, columns={"number": "序号", "name": "名称"}),
    PaperField("signature", "签名", {_DMCA: Law.DMCA_I}),
    PaperField("date", "日期", {_STOP: Law.CUSTOM, _DMCA: Law.CUSTOM}, asked=_FORM),
)
BY_CODE: Mapping[str, PaperField] = {each.code: each for each in FIELDS}
BY_NAME: Mapping[str, PaperField] = {**BY_CODE, **{each.name: each for each in FIELDS}}
