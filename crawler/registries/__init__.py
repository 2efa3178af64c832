"""Looks up who hosts a site and who registered its name. The registries are queried on request alone."""
