"""What can be wrong with evidence, in one sentence in each language.

DoesNotHold   a part of an export, a bundle or a stamp is not what it must be; `part` names it
"""

from enum import Enum

from core.errors import BadInput


class Fault(Enum):
    """(English, Chinese); `{part}` and what else `DoesNotHold` is given stand in braces."""

    NOT_A_CONTAINER = ("{part} is no evidence file: {why}", "{part} 不是证据文件：{why}")
    CONTAINER_CHANGED = (
        "{part} was changed: its bytes from position {position} are not those of an evidence file",
        "{part} 被改动：自第 {position} 字节起与证据文件的写法不符",
    )
    CHECKSUM = (
        "{part} was changed: its content does not have the checksum it was written with",
        "{part} 被改动：内容与写入时的校验值不符",
    )
    TOO_LARGE = ("{part} is larger than allowed ({limit})", "{part} 超出允许的大小（{limit}）")
    BAD_NAME = ("{part} carries a file under the name {name}, which is not allowed", "{part} 含有不允许的文件名 {name}")
    MISSING = ("{part} is missing", "缺少 {part}")
    UNLISTED = ("{part} is not listed in the manifest", "{part} 未列入清单")
    DIGEST = ("{part} was changed: its SHA-256 is not the one in the manifest", "{part} 被改动：SHA-256 与清单不符")
    UNREADABLE = ("{part} cannot be read: {why}", "{part} 无法读取：{why}")
    CONTRADICTS = ("{part} contradicts the other parts: {why}", "{part} 与其他部分矛盾：{why}")
    WARC_DIGEST = (
        "{part}: the digest of record {record} does not fit its content",
        "{part}：记录 {record} 的摘要与内容不符",
    )
    AUDIT_PATH = (
        "{part}: the audit path does not lead from the bundle to the root of its day",
        "{part}：审计路径不能由该证据包推出当日的默克尔根",
    )
    STAMP_REFUSED = ("{part}: the authority refused: {why}", "{part}：时间戳机构拒绝签发：{why}")
    STAMP_OTHER_DIGEST = (
        "{part}: the stamp is not on this digest: what it was put on has been changed or exchanged",
        "{part}：时间戳所盖的不是这一摘要，被盖内容已改动或调换",
    )
    STAMP_NONCE = ("{part}: the stamp answers another request", "{part}：时间戳并非对该请求的答复")
    STAMP_POLICY = (
        "{part}: the stamp is of policy {policy}, not {wanted}",
        "{part}：时间戳策略为 {policy}，应为 {wanted}",
    )
    STAMP_SIGNATURE = ("{part}: the signature of the stamp does not hold: {why}", "{part}：时间戳签名不成立：{why}")
    STAMP_CHAIN = (
        "{part}: the authority's certificate does not lead to a trusted root: {why}",
        "{part}：时间戳机构的证书不能追溯到可信根证书：{why}",
    )
    STAMP_REVOKED = (
        "{part}: a certificate of the authority had been revoked: {why}",
        "{part}：时间戳机构的证书已被吊销：{why}",
    )
    STAMP_TIME = (
        "{part}: the stamp ({stamped}) is older than what it is said to prove ({said})",
        "{part}：时间戳（{stamped}）早于其所证明的内容（{said}）",
    )


class DoesNotHold(BadInput):
    """One part of evidence is not what it must be. `str()` is the English sentence.

    A value in two languages is given as a pair: English, Chinese.
    """

    def __init__(self, fault: Fault, part: str, **values: object) -> None:
        self.fault, self.part, self.values = fault, part, values
        super().__init__(self.sentence())

    def sentence(self, language: str = "en") -> str:
        """What does not hold, in "en" or "zh"."""
        is_chinese = language == "zh"
        spoken = {name: value[is_chinese] if isinstance(value, tuple) else value for name, value in self.values.items()}
        return fill(self.fault.value[is_chinese], self.part, spoken)

    def within(self, outer: str) -> "DoesNotHold":
        """The same, of a part that stands inside `outer`."""
        return DoesNotHold(self.fault, f"{outer} > {self.part}" if self.part else outer, **self.values)


def fill(sentence: str, part: str, values: dict[str, object]) -> str:
    """`sentence` with its braces filled; values may be hostile and hold braces themselves."""
    for name, value in {**values, "part": part}.items():
        sentence = sentence.replace(f"{{{name}}}", str(value)[:300])
    return sentence
