"""The figures of the desk as rows of text."""

from laboratory.desk.measuring import CASE_VIEW_MS, LIST_MEDIAN_MS, LIST_P95_MS, DeskSpeed, Times
from laboratory.text_table import TextTable

RIGHT = ("first ms", "median ms", "p95 ms", "processor ms")


def tables(results: DeskSpeed) -> list[TextTable]:
    """Each list, slowest first, and what is asked of them all."""
    return [lists(results), targets(results)]


def lists(results: DeskSpeed) -> TextTable:
    """One line a list."""
    ordered = sorted(results.lists.items(), key=lambda item: -item[1].median_ms)
    rows = [(name, *_cells(times), _verdict(times.is_met)) for name, times in ordered]
    title = f"Lists, {results.plan.cases:,} cases, {results.plan.pages:,} pages, {results.database}; filled in "
    return TextTable(f"{title}{results.fill_s:,.0f} s", ("list", *RIGHT, "target"), tuple(rows), RIGHT)


def targets(results: DeskSpeed) -> TextTable:
    """One line a target, with the slowest figure that there is."""
    right = ("wanted", "slowest")
    medians, p95s = zip(*((each.median_ms, each.p95_ms) for each in results.lists.values()), strict=True)
    figures = (
        ("list, median ms", LIST_MEDIAN_MS, max(medians), sum(each >= LIST_MEDIAN_MS for each in medians)),
        ("list, p95 ms", LIST_P95_MS, max(p95s), sum(each >= LIST_P95_MS for each in p95s)),
        ("case view, median ms", CASE_VIEW_MS, view := results.case_view.median_ms, int(view >= CASE_VIEW_MS)),
    )
    rows = [
        (name, f"below {wanted:,.0f}", f"{slowest:,.0f}", "met" if not missed else f"{missed} miss it")
        for name, wanted, slowest, missed in figures
    ]
    return TextTable("Targets", ("of", *right, "verdict"), tuple(rows), right)


def _cells(times: Times) -> tuple[str, ...]:
    return tuple(f"{each:,.0f}" for each in (times.first_ms, times.median_ms, times.p95_ms, times.processor_ms))


def _verdict(is_met: bool) -> str:
    return "met" if is_met else "not met"
