"""Lists and forms that know only the user's rights holders; users, memberships, the profile."""
