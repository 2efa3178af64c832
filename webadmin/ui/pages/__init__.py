"""Shared parts of the admin pages of all applications: columns, paging, downloads, exports, errors."""
