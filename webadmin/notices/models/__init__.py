"""The models of notices."""

from webadmin.accounts.services.access import register_scope
from webadmin.notices.models.addressee import Addressee
from webadmin.notices.models.notice import (
    CounterStatement,
    EventPaper,
    HolderIdentity,
    HolderPaper,
    LegalAction,
    Notice,
    NoticeEvent,
    NoticeFile,
    NoticeMail,
    NoticePage,
    PaperTemplate,
    StoredFile,
)
from webadmin.notices.models.removal import Removal, RemovalLook

register_scope("rights_holder_id", Addressee, HolderIdentity, HolderPaper, PaperTemplate, Notice, Removal, RemovalLook)
register_scope("notice__rights_holder_id", NoticePage, NoticeFile, NoticeEvent, NoticeMail, CounterStatement)
register_scope("event__notice__rights_holder_id", EventPaper)
register_scope("counter__notice__rights_holder_id", LegalAction)
