"""Base of every application: templates, columns, paging, guards of requests, and the console of the verbs."""
