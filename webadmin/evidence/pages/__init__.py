"""The pages of evidence: proofs of third parties, and the factors that a court considers."""
