"""Users, rights holders, memberships, roles, and who sees what."""
