"""The figures of a case, each with an explanation for lawyers."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from core.shares import format_percentage
from webadmin.cases.models import Case


@dataclass(frozen=True, slots=True)
class CaseFigure:
    """A figure: its name, its formatted value and its explanation."""

    name: str
    value: str
    meaning: str


IN_BAR = 4  # the similarity and three shares; a case without a match has one share less


def list_figures(case: Case, share_of_chapter: float | None) -> list[CaseFigure]:
    """Return the figures of a case, the most informative first. core.matches defines them.

    share_of_chapter: None for a case without a match, which has no such figure.
    """
    of_chapter = CaseFigure(
        _("Share of the chapter"),
        format_percentage(share_of_chapter or 0.0),
        _("Share of the compared chapter that is on the page."),
    )
    return [
        CaseFigure(
            _("Similarity"),
            format_percentage(case.similarity),
            _(
                "Page and work are aligned: the share of positions with the same character. "
                "Replaced, inserted and omitted text lowers it; traditional forms, invisible "
                "characters, punctuation and the order of sentences do not."
            ),
        ),
        *([of_chapter] if share_of_chapter is not None else []),
        CaseFigure(
            _("Share of the work"),
            format_percentage(case.work_share),
            _("Characters of the work taken, divided by all characters of the current text of the work."),
        ),
        CaseFigure(
            _("Share of the page"),
            format_percentage(case.page_containment),
            _("Share of the page's main text that is in the matching passages."),
        ),
        CaseFigure(
            _("Characters taken from the work"),
            f"{case.taken_chars:,}",
            _(
                "Characters of the work that appear on the page, each counted once: as the same "
                "character, a variant form, one of similar sound or shape, or its pinyin. "
                "Punctuation and spaces do not count."
            ),
        ),
        CaseFigure(
            _("Characters on the page"),
            f"{case.matched_chars:,}",
            _(
                "Characters of the page that correspond to one of the work. A passage that the page "
                "contains twice counts twice here, and once among the characters taken."
            ),
        ),
        CaseFigure(
            _("Longest run of matching characters"),
            f"{case.longest_equal_run_chars:,}",
            _(
                "The longest run of characters that page and work share in the same order. "
                "Simplified, traditional and other variants of a character are equal; characters of "
                "similar sound or shape are not. Punctuation, spaces, foreign words and invisible "
                "characters do not count."
            ),
        ),
    ]
