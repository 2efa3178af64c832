"""Finds copies in other words: sentences of a page that say the same as sentences of a work, in Chinese or English.

`chunks` and `meanings` find the stretches of works worth comparing, `encoding` turns their sentences and the page's
into vectors, `alignment` aligns these, `searching` combines the steps and decides. A result is a lead for a person,
never a copy: `matcher.matching` does not use it.
"""
