"""A rights holder's files -> works of the mother corpus: text, Markdown, EPUB, Word, HTML, JSON lines, folders."""

from webadmin.intake.files import READERS, read_work, read_works
from webadmin.intake.found import FoundWork, Intake

__all__ = ["READERS", "FoundWork", "Intake", "read_work", "read_works"]
