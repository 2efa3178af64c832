"""Base templates, theme, list columns, filters, guards of requests, and what the command line prints."""
