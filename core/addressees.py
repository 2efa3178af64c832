"""The addressees of notices, the kind of notice for each, and the time limits after counter-statements, by law.

docs/notices.md explains the same for lawyers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class AddresseeRole(StrEnum):
    """The role of an addressee for a site, in the order in which notices are sent."""

    PUBLISHES = "publishes"  # selects and posts the text itself
    STORES = "stores"  # provides storage to users who post
    PLATFORM = "platform"  # accepts notices only through its own form
    SEARCHES = "searches"  # searches or links
    HOSTS = "hosts"  # operates the site's server
    REGISTERS = "registers"  # registered the domain name of the site


class Paper(StrEnum):
    """The four kinds of notice."""

    LETTER = "letter"
    ARTICLE_14 = "article_14"
    DMCA = "dmca"
    FORM_KIT = "form_kit"


class CounterRule(StrEnum):
    """The law by which a counter-statement of the uploader starts a time limit for the rights holder."""

    REPLY_2020_9 = "reply_2020_9"
    E_COMMERCE = "e_commerce_43"
    DMCA = "dmca_512g"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CounterTime:
    """The range of days within which a rule sets a time limit.

    is_working_days: whether weekends and public holidays do not count.
    """

    min_days: int
    max_days: int
    is_working_days: bool


COUNTER_TIMES: Mapping[CounterRule, CounterTime] = {
    # Reply of the Supreme People's Court 法释〔2020〕9号, point 3, to Civil Code art. 1196: a reasonable time, set by
    # the provider, of at most 20 working days. Unless the provider sets less, all 20 are counted.
    CounterRule.REPLY_2020_9: CounterTime(1, 20, is_working_days=True),
    CounterRule.E_COMMERCE: CounterTime(15, 15, is_working_days=False),  # E-Commerce Law art. 43
    # 17 U.S.C. 512(g)(2)(C): restored after not less than 10 and not more than 14 business days.
    CounterRule.DMCA: CounterTime(10, 14, is_working_days=True),
}


# Chosen: article 15 of the Regulation says "at once", Civil Code art. 1195 "in time"; neither names a day. A week
# leaves the provider five working days.
ANSWER_DAYS = 7


def choose_notice_kind(role: AddresseeRole, rule: CounterRule = CounterRule.REPLY_2020_9) -> Paper:
    """Return the kind of notice for an addressee. rule: the law under which the addressee accepts notices.

    >>> choose_notice_kind(AddresseeRole.PUBLISHES), choose_notice_kind(AddresseeRole.STORES, CounterRule.DMCA)
    (<Paper.LETTER: 'letter'>, <Paper.DMCA: 'dmca'>)
    """
    # Articles 14 to 17 of the Regulation (信息网络传播权保护条例) apply to providers of storage, search and links. A
    # publisher is none of these and has the general liability: Copyright Law arts. 52, 53.
    if role is AddresseeRole.PUBLISHES:
        return Paper.LETTER
    if role is AddresseeRole.PLATFORM:
        return Paper.FORM_KIT
    if rule is CounterRule.DMCA:
        return Paper.DMCA  # 17 U.S.C. 512(c)(3)(A); (d)(3) for search
    # Article 14 does not name hosts and registrars. Civil Code art. 1195 applies to every provider of network services
    # and requires the same: preliminary proof and true identity. The notice of article 14 states both.
    return Paper.ARTICLE_14


def effective_counter_rule(role: AddresseeRole, rule: CounterRule) -> CounterRule:
    """Return the rule for counter-statements to an addressee. A publisher forwards none, so no rule applies to it."""
    return CounterRule.NONE if role is AddresseeRole.PUBLISHES else rule


def counter_days(rule: CounterRule) -> int:
    """Return how many days after a counter-statement the law guarantees, if the provider has set no time; 0 for NONE.

    >>> counter_days(CounterRule.DMCA), counter_days(CounterRule.REPLY_2020_9), counter_days(CounterRule.NONE)
    (10, 20, 0)
    """
    if rule is CounterRule.NONE:
        return 0
    time = COUNTER_TIMES[rule]
    return (
        time.max_days if rule is CounterRule.REPLY_2020_9 else time.min_days
    )  # from the 10th day on a provider may restore
