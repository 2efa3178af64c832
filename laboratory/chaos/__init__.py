"""Compares the stored data after services were killed, stalled and starved with those of a quiet run."""
