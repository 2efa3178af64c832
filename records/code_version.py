"""Which code made a finding."""

from core.program import code_version

__all__ = ["code_version"]
