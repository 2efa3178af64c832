"""The `user` verbs."""
