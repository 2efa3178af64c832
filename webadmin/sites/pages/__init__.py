"""Lists and forms of sites, runs, addresses and discovery; rechecks of pages; trials of rules."""
