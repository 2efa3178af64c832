"""Shared parts of every application's pages: columns, paging, downloads, exports, errors."""
