"""Verdicts for many cases at once, ignored texts, and what a change of rights did to cases."""
