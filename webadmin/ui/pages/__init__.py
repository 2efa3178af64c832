"""Shared parts of the pages of all applications: columns, paging, downloads, exports, errors."""
