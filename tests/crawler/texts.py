"""Share what tests of reading need: short texts of our own in both scripts, those of cases/texts, and how to read."""

from collections.abc import Mapping

from core.pages import Reading
from crawler.fetching.resources import ResourceKind
from crawler.reading import read_page
from laboratory.extraction.text_scores import text_score
from tests.crawler.case_folders import ROOT, Case

SIMPLIFIED, TRADITIONAL = (
    tuple((ROOT / "texts" / f"{name}.txt").read_text(encoding="utf-8").splitlines())
    for name in ("simplified", "traditional")
)


def paragraphs(lines: tuple[str, ...] = SIMPLIFIED) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def own_text(number: int) -> str:
    """A page's text that no other page has."""
    return paragraphs((f"这是第{number}页自己的开头，别的页上没有这一句话。", *SIMPLIFIED))


class Beside:
    """A context with the files beside a page, by name or address, and no eyes; notes what is asked for."""

    fonts = pictures = texts = None

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files, self.asked = files, list[str]()

    def resources(self, url: str) -> "Beside":
        return self

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        self.asked.append(url)
        return self.files.get(url, self.files.get(url.rpartition("/")[2]))


def read(page: bytes | str, url: str = "http://a.example/1.html") -> Reading:
    """Read a page that no header tells of."""
    reading = read_page(page.encode() if isinstance(page, str) else page, {}, url)
    assert isinstance(reading, Reading), reading
    return reading


def read_body(body: str, url: str = "http://a.example/1.html") -> Reading:
    return read(f"<html><head><title>老渡口_江城读书网</title></head><body>{body}</body></html>", url)


def f1(case: Case) -> float:
    return text_score(read(case.body).text, case.text).f1
