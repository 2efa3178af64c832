"""Computes and assigns matters, which comprise all cases of one work on one site."""
