"""Compares the stored data of a run in which services are killed, stalled and starved with those of a quiet run."""
