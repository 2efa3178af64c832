"""From a page's fingerprint to the passages that it took: index, chaining, verification, changes, classes."""
