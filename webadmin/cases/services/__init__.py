"""Findings: what opens a case, what a licence does, and what people decided."""
