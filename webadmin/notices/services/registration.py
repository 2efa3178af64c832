"""What notices add to the applications below them."""

from webadmin.evidence.services.kept_files import register_kept_file
from webadmin.evidence.services.papers import register_enclosed_files
from webadmin.notices.models import EventPaper, HolderPaper, NoticeFile, NoticeMail, PaperTemplate
from webadmin.notices.services.enclosed_files import files_of_case


def register() -> None:
    """Have the files of notices read each night and enclosed with exports."""
    for model in (HolderPaper, PaperTemplate, NoticeFile, EventPaper):
        register_kept_file(model)
    register_kept_file(NoticeMail, "message_id")
    register_enclosed_files(files_of_case)
