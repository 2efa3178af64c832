"""Pages compared by meaning: which, with which works, and what is kept of these. One process does it, beside copies."""
