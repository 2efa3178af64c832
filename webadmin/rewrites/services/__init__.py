"""Leads: pages that say in other words, or in another language, what works say: owed, found, decided."""
