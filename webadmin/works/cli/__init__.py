"""The `work` verbs."""
