"""Short texts that stand whole on a page: `python -m laboratory.measures.whole_texts`.

By their lengths: how many of those that stand on a page of four are called copies, and on how many innocent news items
one of them, taken from another item, is called a copy. Asked of the matcher as it is and with other least lengths.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import ZhuiwenError
from laboratory.cases import news
from laboratory.cases.build import SHARED_CORPORA
from laboratory.cases.bulletins import BANDS, Bulletin, bulletins, pages
from laboratory.cases.news import NewsItem
from laboratory.measures.finders import ProductFinder, Seeding
from laboratory.scores.detection_quality import Reported
from matcher.calibration import DEFAULT

NEVER = 10**9  # no text is as long: the matcher without the rule
Band = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Counts:
    """By band: bulletins, those called copies and quotations where they stand, and innocent pages accused by one."""

    standing: Counter[Band] = field(default_factory=Counter)
    copies: Counter[Band] = field(default_factory=Counter)
    quotations: Counter[Band] = field(default_factory=Counter)
    accused: Counter[Band] = field(default_factory=Counter)


def measured(items: Sequence[NewsItem], least: int) -> Counts:
    """With texts of at least `least` tokens called copies where they stand whole."""
    works = bulletins(items)
    calibration = replace(DEFAULT, min_whole_text_tokens=least)
    finder = ProductFinder(((each.item_id, each.text) for each in works), Seeding(calibration=calibration))
    counts = Counts()
    for page in pages(works):
        found = finder.find(page.text)
        for bulletin in page.bulletins:
            _count(counts, bulletin, found)
    bands = {each.item_id: each.band for each in works}
    for item in items:
        if item.is_innocent:
            accusing = (each.work_id for each in finder.find(item.text, item.item_id) if each.is_accusation)
            counts.accused.update({band for work in accusing if (band := bands[work]) is not None})
    return counts


def table(counts: Counts) -> list[str]:
    """A line for each length."""
    return [
        f"{f'{band[0]}-{band[1] - 1}':<10}{counts.standing[band]:>8}{counts.copies[band]:>10}"
        f"{counts.quotations[band]:>12}{counts.accused[band]:>10}"
        for band in BANDS
    ]


def main(arguments: list[str] | None = None) -> int:
    """The command: exit code 0, or 2 without the corpora."""
    parser = argparse.ArgumentParser(
        prog="python -m laboratory.measures.whole_texts", description="Texts copied whole."
    )
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="where the shared corpora are")
    parser.add_argument("--limit", type=int, default=None, help="only so many news items")
    parser.add_argument(
        "--least", type=int, nargs="*", default=[NEVER, DEFAULT.min_whole_text_tokens], help="least lengths in tokens"
    )
    given = parser.parse_args(arguments)
    try:
        items = news.items(given.corpora, given.limit)
    except ZhuiwenError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    for least in given.least:
        _say(f"whole from {least} tokens" if least < NEVER else "without the rule")
        _say(f"{'tokens':<10}{'texts':>8}{'copies':>10}{'quotations':>12}{'accused':>10}")
        for line in table(measured(items, least)):
            _say(line)
    return 0


def _count(counts: Counts, bulletin: Bulletin, found: Iterable[Reported]) -> None:
    band = bulletin.band
    assert band is not None
    named = [each for each in found if bulletin.item_id in (each.work_id, *each.also)]
    counts.standing[band] += 1
    if any(each.is_accusation for each in named):
        counts.copies[band] += 1
    elif named:
        counts.quotations[band] += 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
