"""Prints suspected rewrites for `check`, with the sentences of page and work side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.text import TextRange
from core.wording import Message
from webadmin.ui.console.output import cut_to_width, print_line, print_passage, print_table

if TYPE_CHECKING:
    from matcher.reworded.found import RewordedMatch

MAX_PAIRS = 3  # strongest pairs shown for a lead; --json prints all
MAX_SENTENCE_COLUMNS = 160  # terminal columns: 80 Chinese characters or 160 Latin letters


@dataclass(frozen=True, slots=True)
class Lead:
    """A suspected rewrite. works: the works that have the text, as JSON values."""

    match: "RewordedMatch"
    works: list[dict[str, Any]]
    text: str

    @property
    def record(self) -> dict[str, Any]:
        """The lead for programs."""
        from webadmin.rewrites.cli.meaning_search import lead_record

        return {"works": self.works, **lead_record(self.match)}


def show_leads(leads: Sequence[Lead], page: str) -> None:
    """Print a caution, a table of the leads, and each lead's strongest pairs."""
    from matcher.reworded.sentences import sentence_units

    print_line("")
    if not leads:
        print_line(Message("reworded.none"))
        return
    print_line(describe_leads(len(leads)))
    sentences = len(sentence_units(page))
    columns = ("column.work", "column.chapter", "column.class", "column.counterparts", "column.alarms")
    print_table(columns, [_lead_row(lead, sentences) for lead in leads])
    for lead in leads:
        print_line("")
        print_line(lead.works[0]["title"])
        strongest = sorted(lead.match.pairs, key=lambda pair: -pair.strength)[:MAX_PAIRS]
        for pair in sorted(strongest, key=lambda pair: pair.page.start):
            print_passage("column.page", [(_cut_sentence(page, pair.page), False)])
            print_passage("column.work", [(_cut_sentence(lead.text, pair.work), False)])


def describe_leads(count: int) -> Message:
    """Return a message with the number of leads and the caution that they prove nothing."""
    return Message("reworded.leads", count=count, caution=Message("reworded.caution"))


def _lead_row(lead: Lead, sentences: int) -> tuple[object, ...]:
    work, match = lead.works[0], lead.match
    more = len(lead.works) - 1
    title = Message("corpus.more-works", title=work["title"], count=more) if more else work["title"]
    counts = {"pairs": len(match.pairs), "sentences": sentences, "in_order": match.in_order}
    band = match.band
    return (
        title,
        work["chapter_title"] or work["chapter"],
        Message("reworded.class-translated" if str(match.found) == "translated" else "reworded.class-reworded"),
        Message("reworded.counterparts", **counts),
        Message("reworded.band", alarms=band.alarms, passages=band.trials) if band else "",
    )


def _cut_sentence(text: str, place: TextRange) -> str:
    return shown_sentence(text[place.start : place.end])


def shown_sentence(text: str) -> str:
    """Return a sentence on one line, cut if it is long."""
    return cut_to_width(" ".join(text.split()), MAX_SENTENCE_COLUMNS)
