"""Bytes become characters: labels, statistics, repairs."""
