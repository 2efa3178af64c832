"""The models of evidence."""

from webadmin.accounts.services.access import register_scope
from webadmin.evidence.models.bundle import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.models.third_party import OfCaseOrMatter, ProofCoverage, ThirdPartyProof, ThirdPartyTask

register_scope(EvidenceBundle, "rights_holder_id")
register_scope(RetentionLog, "rights_holder_id")
register_scope(ThirdPartyProof, "rights_holder_id")
register_scope(ProofCoverage, "rights_holder_id")
register_scope(ThirdPartyTask, "rights_holder_id")
