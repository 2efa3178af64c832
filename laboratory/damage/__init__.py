"""Damage done on purpose to a copy of a filled installation, and whether `zhuiwen check-stores` finds it."""
