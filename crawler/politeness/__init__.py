"""Keeps crawls polite: hours, budgets, reactions to refusals, sessions."""
