"""Lists and forms limited to the user's rights holders; users, memberships, the profile."""
