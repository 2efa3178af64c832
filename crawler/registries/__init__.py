"""Looks up who hosts a site and who registered its domain name. Registries are queried only on request."""
