"""Lists and forms of sites, runs, addresses and discovery; checks of one page, trials of rules."""
