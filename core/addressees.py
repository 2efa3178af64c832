"""Whom a notice goes to, which paper that makes it, and which time a counter-statement starts. The law beside each.

docs/notices.md says the same for lawyers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class AddresseeRole(StrEnum):
    """What somebody has to do with a site; listed in the order in which one writes to them."""

    PUBLISHES = "publishes"  # chooses and posts the text itself
    STORES = "stores"  # gives storage to users who post
    PLATFORM = "platform"  # takes notices by a form of its own alone
    SEARCHES = "searches"  # searches or links
    HOSTS = "hosts"  # the machine on which the site runs
    REGISTERS = "registers"  # the name of the site


class Paper(StrEnum):
    """The four papers."""

    LETTER = "letter"
    ARTICLE_14 = "article_14"
    DMCA = "dmca"
    FORM_KIT = "form_kit"


class CounterRule(StrEnum):
    """By which law a statement of whoever posted the text starts a time for the rights holder."""

    REPLY_2020_9 = "reply_2020_9"
    E_COMMERCE = "e_commerce_43"
    DMCA = "dmca_512g"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CounterTime:
    """How many days a rule leaves; is_working_days: weekends and public holidays do not count."""

    least: int
    most: int
    is_working_days: bool


COUNTER_TIMES: Mapping[CounterRule, CounterTime] = {
    # Reply of the Supreme People's Court 法释〔2020〕9号, point 3, to Civil Code art. 1196: a reasonable time, which a
    # provider sets, of at most 20 working days. Until a provider says less, all of it is counted.
    CounterRule.REPLY_2020_9: CounterTime(1, 20, is_working_days=True),
    CounterRule.E_COMMERCE: CounterTime(15, 15, is_working_days=False),  # E-Commerce Law art. 43
    # 17 U.S.C. 512(g)(2)(C): back in not less than 10 and not more than 14 business days.
    CounterRule.DMCA: CounterTime(10, 14, is_working_days=True),
}


# Chosen: article 15 of the Regulation says "at once", Civil Code art. 1195 "in time"; neither names a day. A week
# leaves a provider five working days, and a copy no more than that.
ANSWER_DAYS = 7


def choose_notice_kind(role: AddresseeRole, rule: CounterRule = CounterRule.REPLY_2020_9) -> Paper:
    """Return the paper that an addressee gets. rule: says under which law it takes notices.

    >>> choose_notice_kind(AddresseeRole.PUBLISHES), choose_notice_kind(AddresseeRole.STORES, CounterRule.DMCA)
    (<Paper.LETTER: 'letter'>, <Paper.DMCA: 'dmca'>)
    """
    # Articles 14 to 17 of the Regulation (信息网络传播权保护条例) are for providers of storage, search and links. Who
    # publishes by itself is none of these, and answers for it like anybody: Copyright Law arts. 52, 53.
    if role is AddresseeRole.PUBLISHES:
        return Paper.LETTER
    if role is AddresseeRole.PLATFORM:
        return Paper.FORM_KIT
    if rule is CounterRule.DMCA:
        return Paper.DMCA  # 17 U.S.C. 512(c)(3)(A); (d)(3) for search
    # Hosts and registrars are not named in article 14. Civil Code art. 1195 is for every provider of network services,
    # and asks for the same: preliminary proof, true identity. The notice of article 14 states both.
    return Paper.ARTICLE_14


def effective_counter_rule(role: AddresseeRole, rule: CounterRule) -> CounterRule:
    """Return the rule that holds for a role: who publishes by itself passes no statement of anybody on."""
    return CounterRule.NONE if role is AddresseeRole.PUBLISHES else rule


def counter_days(rule: CounterRule) -> int:
    """Return the days to count with until somebody knows better: all that are sure.

    >>> counter_days(CounterRule.DMCA), counter_days(CounterRule.REPLY_2020_9), counter_days(CounterRule.NONE)
    (10, 20, 0)
    """
    if rule is CounterRule.NONE:
        return 0
    time = COUNTER_TIMES[rule]
    return time.most if rule is CounterRule.REPLY_2020_9 else time.least  # from the 10th day on a provider may restore
