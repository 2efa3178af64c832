"""Removals: looks at the pages of confirmed cases, what they prove, and pages that came back."""
