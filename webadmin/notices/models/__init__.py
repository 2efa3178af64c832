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

register_scope(Addressee, "rights_holder_id")
register_scope(HolderIdentity, "rights_holder_id")
register_scope(HolderPaper, "rights_holder_id")
register_scope(PaperTemplate, "rights_holder_id")
register_scope(Notice, "rights_holder_id")
register_scope(NoticePage, "notice__rights_holder_id")
register_scope(NoticeFile, "notice__rights_holder_id")
register_scope(NoticeEvent, "notice__rights_holder_id")
register_scope(EventPaper, "event__notice__rights_holder_id")
register_scope(NoticeMail, "notice__rights_holder_id")
register_scope(CounterStatement, "notice__rights_holder_id")
register_scope(LegalAction, "counter__notice__rights_holder_id")
register_scope(Removal, "rights_holder_id")
register_scope(RemovalLook, "rights_holder_id")
