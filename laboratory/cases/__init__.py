"""Cases with their truth: works, pages, and what each page took of which work."""
