"""The tables of evidence."""

from webadmin.evidence.models.bundle import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.models.third_party import OfCaseOrMatter, ProofCoverage, ThirdPartyProof, ThirdPartyTask

__all__ = [
    "DayTree",
    "EvidenceBundle",
    "EvidenceCheck",
    "OfCaseOrMatter",
    "ProofCoverage",
    "RetentionLog",
    "Stamp",
    "StampAttempt",
    "ThirdPartyProof",
    "ThirdPartyTask",
]
