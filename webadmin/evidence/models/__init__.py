"""The models of evidence."""

from webadmin.accounts.services.access import register_scope
from webadmin.evidence.models.bundle import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.models.third_party import OfCaseOrMatter, ProofCoverage, ThirdPartyProof, ThirdPartyTask

register_scope("rights_holder_id", EvidenceBundle, RetentionLog, ThirdPartyProof, ProofCoverage, ThirdPartyTask)
