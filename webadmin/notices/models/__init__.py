"""The tables of notices."""

from webadmin.notices.models.addressee import Addressee
from webadmin.notices.models.notice import (
    CounterStatement,
    EventPaper,
    HolderIdentity,
    HolderPaper,
    KeptFile,
    LegalAction,
    Notice,
    NoticeEvent,
    NoticeFile,
    NoticeMail,
    NoticePage,
    PaperTemplate,
)
from webadmin.notices.models.removal import Removal, RemovalLook

__all__ = [
    "Addressee",
    "CounterStatement",
    "EventPaper",
    "HolderIdentity",
    "HolderPaper",
    "KeptFile",
    "LegalAction",
    "Notice",
    "NoticeEvent",
    "NoticeFile",
    "NoticeMail",
    "NoticePage",
    "PaperTemplate",
    "Removal",
    "RemovalLook",
]
