"""What is known and decided: the Django app of rights, works, sites, findings and evidence. No pages, no HTML."""
