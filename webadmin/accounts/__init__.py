"""Users, rights holders, memberships, roles, and access rules."""
