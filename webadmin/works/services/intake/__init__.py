"""Reads works from a rights holder's files: text, Markdown, EPUB, Word, HTML, JSON lines, folders."""

from webadmin.works.services.intake.bounded import BoundedReader
from webadmin.works.services.intake.division import Division, FoundWork, Intake, divide_work, divisions
from webadmin.works.services.intake.files import READERS, read_file, read_work, read_works
from webadmin.works.services.intake.folder import WORK_MANIFEST, WORKS_MANIFEST, ReadFile

__all__ = [
    "READERS",
    "WORKS_MANIFEST",
    "WORK_MANIFEST",
    "BoundedReader",
    "Division",
    "FoundWork",
    "Intake",
    "ReadFile",
    "divide_work",
    "divisions",
    "read_file",
    "read_work",
    "read_works",
]
