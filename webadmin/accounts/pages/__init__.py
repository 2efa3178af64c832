"""Base classes for lists and forms limited to the user's rights holders, and pages on users and memberships."""
