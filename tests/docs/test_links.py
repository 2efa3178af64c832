"""Every link of the documentation leads somewhere, and every decision is found from the index."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
INDEX = DECISIONS / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PACKAGES = sorted(folder.parent for folder in ROOT.glob("*/__init__.py"))

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_SCHEME = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
_NAMED_PAGE = re.compile(r"docs/[\w./-]+\.md")
_NUMBERED = re.compile(r"decisions? 0\d{3}|decisions/0\d{3}", re.IGNORECASE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_to_a_heading_in_it(page: Path) -> None:
    assert [fault for link in relative_links(page) if (fault := what_is_wrong(page, link))] == []


def test_the_index_lists_every_page_of_decisions_once() -> None:
    listed = Counter(link for link in relative_links(INDEX) if "/" not in link)
    assert listed == Counter(page.name for page in DECISIONS.glob("*.md") if page != INDEX)


@pytest.mark.parametrize("page", sorted(set(DECISIONS.glob("*.md")) - {INDEX}), ids=lambda page: page.stem)
def test_each_section_of_a_page_of_decisions_says_what_was_decided(page: Path) -> None:
    _, *sections = re.split(r"^## ", page.read_text("utf-8"), flags=re.MULTILINE)
    assert sections
    assert [section.split("\n")[0] for section in sections if "\n**Decided.** " not in section] == []


def test_every_page_of_the_documentation_that_code_names_is_there() -> None:
    named = {name: file for file in source_files() for name in _NAMED_PAGE.findall(file.read_text("utf-8"))}
    assert len(named) > 10
    assert {name: str(file) for name, file in named.items() if not (ROOT / name).is_file()} == {}


def test_a_decision_is_cited_by_its_page_and_not_by_a_number() -> None:
    cited = {str(file): _NUMBERED.findall(file.read_text("utf-8")) for file in [*PAGES, *source_files()]}
    assert {file: numbers for file, numbers in cited.items() if numbers} == {}


def relative_links(page: Path) -> list[str]:
    """The targets of a page's links, but for those of other sites; what stands in code is no link."""
    prose = _CODE.sub("", _FENCE.sub("", page.read_text("utf-8")))
    return [link for link in _LINK.findall(prose) if not _SCHEME.match(link)]


def what_is_wrong(page: Path, link: str) -> str:
    """One sentence, or "" for a link that leads to something."""
    path, _, anchor = unquote(link).partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT) or not target.exists():
        return f"{link}: the repository has no {target}"
    if anchor and anchor not in anchors(target):
        return f"{link}: {target.relative_to(ROOT)} has no heading for #{anchor}"
    return ""


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors that GitHub gives to the headings of a page: of equal ones the second ends in -1, the third in -2."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in _HEADING.findall(_FENCE.sub("", page.read_text("utf-8"))):
        name = _NOT_IN_ANCHOR.sub("", heading.lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return frozenset(found)


def source_files() -> Iterator[Path]:
    return (file for package in PACKAGES for file in package.rglob("*.py") if file != Path(__file__).resolve())
