"""Which parts of a matter go into its file, and how files and folders in it are called."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from core.words import Words
from webadmin.reports.services.court_file.evidence_list import Group

MAX_STEM_CHARS = 40  # of a name in a list of files; the whole one stands in the list of evidence
_OTHER = re.compile(r"[^\w（）《》“”、，。·-]+")


class Part(StrEnum):
    """What may go in beside the bundles of the pages."""

    OWNERSHIP = "ownership"
    COMPARISON = "comparison"
    OTHERS = "others"
    NOTICES = "notices"
    DAMAGES = "damages"
    FACTORS = "factors"  # names what is missing
    DECISIONS = "decisions"  # who decided what, and when


INTERNAL = frozenset({Part.FACTORS, Part.DECISIONS})
PARTS = {
    Part.OWNERSHIP: Words("proofs of identity and ownership", "权利主体与权属材料"),
    Part.COMPARISON: Words("comparison tables", "侵权比对表"),
    Part.OTHERS: Words("what others made: notaries, time stamps, platforms", "第三方取证材料"),
    Part.NOTICES: Words(
        "notices that went out, what came of them, proofs of removal", "已发出的通知、往来文件与下架证据"
    ),
    Part.DAMAGES: Words("damages: the rights holder's own arithmetic", "损失计算"),
    Part.FACTORS: Words("factor by factor: names what is missing", "证据审查要点（含尚缺的材料）"),
    Part.DECISIONS: Words("who decided what and when", "认定记录（含认定人与时间）"),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a person wants in the file. with_names: people by name; else by what they do."""

    parts: frozenset[Part] = frozenset(Part) - INTERNAL
    with_names: bool = False


USUAL = Chosen()
_GROUPS = {
    Group.OWNERSHIP: Words("proofs of identity and ownership, as they are", "权利主体与权属材料，原样附上"),
    Group.PAGES: Words(
        "the bundles of the pages (WACZ 1.1.1), with copies of their screenshots",
        "网页证据包（WACZ 1.1.1 格式）及其中截图的副本，逐字节相同",
    ),
    Group.COMPARISON: Words(
        "work beside page, with its picture; 50 cases each at most", "作品与网页逐段对照，附网页图像；每份至多 50 件"
    ),
    Group.OTHERS: Words(
        "what notaries, time stamp authorities and platforms made, as it came",
        "公证书、时间戳证书、存证等，原样附上",
    ),
    Group.NOTICES: Words("notices and what belongs to them, as they are", "通知、邮件与往来文件，原样附上"),
    Group.SHEETS: Words("the rights holder's own arithmetic, for reference only", "权利人自行计算，仅供参考"),
    Group.INTERNAL: Words("sheets of the rights holder's own", "权利人的内部材料"),
}


@dataclass
class Names:
    """Numbers pieces of evidence and their folders in the order in which they come, and names their files by them."""

    pieces: int = 0
    folders: dict[Group, str] = field(default_factory=dict)

    def stem(self, group: Group, name: str) -> str:
        """The next piece of a group: its folder and its name without an ending.

        >>> names = Names()
        >>> names.stem(Group.OWNERSHIP, "营业执照 (副本)"), names.stem(Group.PAGES, "案件12")
        ('02-权利主体与权属/证据001-营业执照_副本', '03-网页取证/证据002-案件12')
        """
        self.pieces += 1
        folder = self.folders.setdefault(group, f"{len(self.folders) + 2:02d}-{group.value}")
        return f"{folder}/证据{self.pieces:03d}-{readable(name)}"

    @property
    def contents(self) -> list[tuple[str, Words]]:
        """Each folder, and what is in it."""
        return [(f"{folder}/", _GROUPS[group]) for group, folder in self.folders.items()]


def readable(name: str) -> str:
    """A name of any origin as one for a file: letters, digits and few signs.

    >>> readable("=cmd /c ../x 第一章　水位簿.html")
    'cmd_c_x_第一章_水位簿_html'
    """
    return _OTHER.sub("_", name)[:MAX_STEM_CHARS].strip("_-·，。、") or "文件"
