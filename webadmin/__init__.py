"""The rights holder's desk: works, sites, crawl runs, pages, cases, verdicts, reports, in Django's admin."""
