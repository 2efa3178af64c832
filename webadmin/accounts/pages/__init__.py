"""Base classes for lists and forms limited to the user's rights holders; users, memberships and the profile."""
