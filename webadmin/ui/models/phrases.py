"""The labels of core's enumeration members, in the user's language."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from django.utils.functional import lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core.addressees import AddresseeRole, CounterRule, Paper
from core.contacts import ContactKind, ContactSource
from core.matches import ChangeKind, MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import OF_THE_FINDING, UNPROTECTED, ArchiveReason, CaseState, Rejection, Verdict
from core.terms import term
from core.wording import Message
from core.zones import Zone

Member = TypeVar("Member", bound=StrEnum)


def _now(words: Message) -> str:
    return words.in_language(get_language() or "en")


in_language_of_reader = lazy(_now, str)


def _member_terms(members: type[Member]) -> dict[Member, str]:
    return {member: in_language_of_reader(term(member)) for member in members}


MATCH_CLASSES = _member_terms(MatchClass)
REWORDED_CLASSES = _member_terms(RewordedClass)
REWORDED_STATES = _member_terms(RewordedState)
STATES = _member_terms(CaseState)
VERDICTS = _member_terms(Verdict)
REJECTIONS = _member_terms(Rejection)
PASSED_BY: dict[Any, str] = {**REJECTIONS, **_member_terms(ArchiveReason)}
ZONES = _member_terms(Zone)
OBFUSCATIONS = _member_terms(Obfuscation)
ADDRESSEE_ROLES = _member_terms(AddresseeRole)
PAPERS = _member_terms(Paper)
COUNTER_RULES = _member_terms(CounterRule)
CONTACT_KINDS = _member_terms(ContactKind)
CONTACT_SOURCES = _member_terms(ContactSource)
CHANGES = {
    ChangeKind.HOMOPHONE: _("homophone"),
    ChangeKind.SHAPE: _("look-alike"),
    ChangeKind.SCRIPT: _("traditional, simplified, variant"),
    ChangeKind.PINYIN: _("pinyin"),
    ChangeKind.REPLACED: _("replaced"),
    ChangeKind.INSERTED: _("inserted"),
    ChangeKind.DELETED: _("left out"),
    ChangeKind.NOISE: _("noise"),
    ChangeKind.MOVED: _("moved"),
}


def choice_label(name: str, words: Mapping[Any, object]) -> str:
    """Return the label of a member, or the stored name if this version does not know the member.

    words: the labels by member.
    """
    return str(words.get(name, name))


def name_of_obfuscation(kind: str) -> str:
    """Return the label of a kind of obfuscation."""
    return choice_label(kind, OBFUSCATIONS)


def case_name(number: int, state: str) -> str:
    """Return the name of a case with its number. In Chinese, a case is called a lead until it is confirmed."""
    code = "case-name.case" if state == CaseState.CONFIRMED else "case-name.lead"
    return _now(Message(code, number=number))


def match_class_choices() -> list[tuple[str, str]]:
    return _phrase_choices(MATCH_CLASSES.items())


def reworded_class_choices() -> list[tuple[str, str]]:
    return _phrase_choices(REWORDED_CLASSES.items())


def reworded_state_choices() -> list[tuple[str, str]]:
    return _phrase_choices(REWORDED_STATES.items())


def state_choices() -> list[tuple[str, str]]:
    return _phrase_choices(STATES.items())


def verdict_choices() -> list[tuple[str, str]]:
    return _phrase_choices(VERDICTS.items())


def allowance_choices() -> list[tuple[str, str]]:
    """Return the reasons for setting a case aside, as form choices.

    Either the page may publish the work, or its match is not a copy.
    """
    reasons = (Rejection.LICENSED, Rejection.OWN_SITE, *UNPROTECTED, *OF_THE_FINDING, Rejection.NOTHING_LEFT)
    return _phrase_choices((reason, REJECTIONS[reason]) for reason in reasons)


def unprotected_choices() -> list[tuple[str, str]]:
    """Return the reasons why a work is not protected, as form choices."""
    return _phrase_choices((reason, REJECTIONS[reason]) for reason in UNPROTECTED)


def rejection_choices() -> list[tuple[str, str]]:
    return _phrase_choices(REJECTIONS.items())


def paper_choices() -> list[tuple[str, str]]:
    return _phrase_choices(PAPERS.items())


def addressee_role_choices() -> list[tuple[str, str]]:
    return _phrase_choices(ADDRESSEE_ROLES.items())


def counter_rule_choices() -> list[tuple[str, str]]:
    return _phrase_choices(COUNTER_RULES.items())


def contact_kind_choices() -> list[tuple[str, str]]:
    return _phrase_choices(CONTACT_KINDS.items())


def contact_source_choices() -> list[tuple[str, str]]:
    return _phrase_choices(CONTACT_SOURCES.items())


def _phrase_choices(phrases: Iterable[tuple[StrEnum, str]]) -> list[tuple[str, str]]:
    return [(str(member), phrase) for member, phrase in phrases]
