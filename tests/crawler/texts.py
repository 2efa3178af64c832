"""Short texts of our own for the tests of reading, in both scripts: those of cases/texts."""

from tests.crawler.case_folders import ROOT

SIMPLIFIED, TRADITIONAL = (
    tuple((ROOT / "texts" / f"{name}.txt").read_text(encoding="utf-8").splitlines())
    for name in ("simplified", "traditional")
)


def paragraphs(lines: tuple[str, ...] = SIMPLIFIED) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def own_text(number: int) -> str:
    """A page's text that no other page has."""
    return paragraphs((f"这是第{number}页自己的开头，别的页上没有这一句话。", *SIMPLIFIED))
