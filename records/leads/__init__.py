"""Leads: pages that say in other words, or in another language, what works say. What is owed, what was found."""
