"""Politeness to a site: hours, budgets, refusals, sessions."""
