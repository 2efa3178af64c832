"""The tables of suspected rewrites."""

from webadmin.rewrites.models.reworded import RewordedCheck, RewordedLead, RewordedVerdict

__all__ = [
    "RewordedCheck",
    "RewordedLead",
    "RewordedVerdict",
]
