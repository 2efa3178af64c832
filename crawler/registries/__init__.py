"""Looks up who hosts a site and who registered its name. The registries are queried only on request."""
