"""Copies in other words: which sentences of a page say what sentences of a work say, in Chinese or in English.

`chunks` and `meanings` name the stretches of works worth looking at, `encoding` turns their sentences and those of the
page into vectors, `alignment` sets these against each other, `searching` puts the steps together and decides. What it
finds is a lead for a person, never a copy: `matcher.matching` knows nothing of it.
"""
