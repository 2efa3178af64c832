"""What was measured of pages in other words, as rows of text."""

from laboratory.measures.reworded import RewordedAlarms, RewordedResults
from laboratory.report import TextTable
from laboratory.scores.intervals import wilson

MILLION = 1e6


def fared(results: RewordedResults) -> TextTable:
    """One line for each kind of rewritten page, by the size of the works and what else stood on the page."""
    right = ("pages", "found", "share", "low", "wrong texts", "least score", "pairs", "in place", "ms a page")
    rows = tuple(
        (
            f"{each.works_chars / MILLION:.1f} M",
            each.kind,
            each.surroundings,
            str(each.pages),
            str(each.found),
            f"{each.found / each.pages:.2f}",
            f"{wilson(each.found, each.pages).low:.2f}",
            str(each.wrong),
            f"{each.least_score:.1f}",
            str(each.pairs),
            f"{each.pairs_in_place / each.pairs:.3f}" if each.pairs else "",
            f"{each.cpu_s_a_page * 1_000:.0f}",
        )
        for each in results.fared
    )
    return TextTable("Pages in other words", ("works", "kind", "surroundings", *right), rows, right)


def alarms(results: RewordedResults) -> TextTable:
    """One line for each kind of innocent passage and half: how many had a score, and how many were named."""
    right = ("passages", "scored", "named", "share", "high", "highest", "ms a page")
    rows = tuple(_alarm_row(each) for each in results.alarms if each.passages)
    return TextTable("Innocent passages", ("works", "kind", "half", *right), rows, right)


def _alarm_row(each: RewordedAlarms) -> tuple[str, ...]:
    named = each.named
    return (
        f"{each.works_chars / MILLION:.1f} M",
        each.kind,
        "thresholds" if each.is_of_first_half else "unseen",
        str(each.passages),
        str(len(each.scores)),
        str(named),
        f"{named / each.passages:.4f}",
        f"{wilson(named, each.passages).high:.4f}",
        f"{each.scores[0].score if each.scores else 0:.1f}",
        f"{each.cpu_s / each.passages * 1_000:.0f}",
    )


def bytes_a_char(results: RewordedResults) -> TextTable:
    """What each look-up takes for a character of the works."""
    rows = tuple((name, f"{chars / MILLION:.1f} M", f"{bytes_:.2f}") for name, chars, bytes_ in results.bytes_a_char)
    return TextTable("Bytes a character of works", ("look-up", "works", "bytes"), rows, ("bytes",))
