"""Leads: pages that say in other words, or in another language, what a work says."""
