"""How many examples a property is tried with: as many as its test asks for, a tenth of them in `make quick`."""

from hypothesis import settings

OF_PROFILES = 100  # what a profile that says nothing else tries


def examples(count: int) -> settings:
    """Try a property with `count` examples, or with as much fewer as the profile of the run asks for."""
    return settings(max_examples=max(1, count * settings().max_examples // OF_PROFILES))
