"""What every application shares: base templates, columns, paging, guards of requests, and the console of the verbs."""
