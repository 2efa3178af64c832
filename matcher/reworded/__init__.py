"""Finds rewritten copies: sentences of a page that mean the same as sentences of a work, in Chinese or English.

`chunks` and `meanings` find the stretches of works worth comparing. `encoding` turns sentences into vectors,
`alignment` aligns them, and `searching` combines the steps and decides. A result is a lead for a person, never a copy:
`matcher.matching` does not use it.
"""
