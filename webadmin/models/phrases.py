"""The words for the members of core's enumerations, in the language of whoever reads."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from core.matches import ChangeKind, MatchClass
from core.pages import Disguise
from core.states import CaseState, Rejection, Verdict

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

MATCH_CLASSES = {
    MatchClass.IDENTICAL: _("identical"),
    MatchClass.LIGHTLY_EDITED: _("lightly edited"),
    MatchClass.HEAVILY_EDITED: _("heavily edited"),
    MatchClass.EXCERPT: _("excerpt"),
    MatchClass.PATCHWORK: _("patchwork"),
    MatchClass.QUOTATION: _("quotation"),
}
STATES = {
    CaseState.OPEN: _("open"),
    CaseState.CONFIRMED: _("confirmed"),
    CaseState.DISMISSED: _("dismissed"),
}
VERDICTS = {
    Verdict.CONFIRMED: _("confirmed"),
    Verdict.LICENSED: _("licensed"),
    Verdict.QUOTATION: _("quotation"),
    Verdict.NOT_A_COPY: _("not a copy"),
}
REJECTIONS = {
    Rejection.ROBOTS: _("forbidden by robots.txt"),
    Rejection.UNSAFE_ADDRESS: _("private address"),
    Rejection.OFF_SITE: _("outside the site"),
    Rejection.TOO_LARGE: _("too large"),
    Rejection.NOT_HTML: _("no web page"),
    Rejection.HTTP_ERROR: _("HTTP error"),
    Rejection.REDIRECT_LOOP: _("redirects in circles"),
    Rejection.NO_ANSWER: _("no answer"),
    Rejection.BANNED: _("refused by the site"),
    Rejection.MOJIBAKE: _("unreadable encoding"),
    Rejection.NO_MAIN_TEXT: _("no main text"),
    Rejection.UNREADABLE: _("given up while it was read"),
    Rejection.TOO_FEW_HAN_CHARS: _("too little Chinese text"),
    Rejection.NO_MATCH: _("nothing found"),
    Rejection.LICENSED: _("licensed"),
    Rejection.OWN_SITE: _("own site"),
    Rejection.QUOTATION: _("quotation"),
}
DISGUISES = {
    Disguise.HIDDEN_TEXT: _("hidden text"),
    Disguise.RUBY: _("ruby"),
    Disguise.DECOYS: _("decoy characters"),
    Disguise.GENERATED_TEXT: _("text out of the style sheet"),
    Disguise.REORDERED: _("order made by style"),
    Disguise.FONT: _("obfuscated font"),
    Disguise.PICTURE_TEXT: _("pictures for characters"),
    Disguise.SCRIPTED: _("text assembled by scripts"),
    Disguise.PUNCTUATION_NOISE: _("punctuation strewn in"),
    Disguise.SITE_ADVERTISEMENT: _("site advertisements"),
    Disguise.ZERO_WIDTH: _("zero-width characters"),
    Disguise.SPACES: _("spaces between characters"),
    Disguise.PINYIN_INSERTED: _("pinyin inserted"),
    Disguise.PINYIN_REPLACED: _("pinyin for characters"),
    Disguise.PRIVATE_USE: _("private-use characters"),
    Disguise.FULL_WIDTH: _("full-width letters"),
    Disguise.HOMOPHONE: _("homophones"),
    Disguise.SHAPE: _("look-alike characters"),
    Disguise.REPLACED: _("characters replaced"),
    Disguise.SCRIPT_CONVERTED: _("simplified/traditional"),
    Disguise.TEXT_INSERTED: _("text inserted"),
    Disguise.TEXT_DELETED: _("text left out"),
    Disguise.SHUFFLED: _("order changed"),
    Disguise.PATCHWORK: _("several works mixed"),
}
CHANGES = {
    ChangeKind.HOMOPHONE: _("homophone"),
    ChangeKind.SHAPE: _("look-alike"),
    ChangeKind.SCRIPT: _("simplified/traditional"),
    ChangeKind.PINYIN: _("pinyin"),
    ChangeKind.REPLACED: _("replaced"),
    ChangeKind.INSERTED: _("inserted"),
    ChangeKind.DELETED: _("left out"),
    ChangeKind.NOISE: _("noise"),
    ChangeKind.MOVED: _("moved"),
}


def match_class_choices() -> "list[tuple[str, _StrPromise]]":
    return _choices(MATCH_CLASSES.items())


def state_choices() -> "list[tuple[str, _StrPromise]]":
    return _choices(STATES.items())


def verdict_choices() -> "list[tuple[str, _StrPromise]]":
    return _choices(VERDICTS.items())


def rejection_choices() -> "list[tuple[str, _StrPromise]]":
    return _choices(REJECTIONS.items())


def _choices(phrases: "Iterable[tuple[StrEnum, _StrPromise]]") -> "list[tuple[str, _StrPromise]]":
    return [(str(member), phrase) for member, phrase in phrases]
