"""Reasons for the end of a crawl, in one word each, for `CrawlCounts.finish_reason`; Scrapy's is "finished"."""

PAGE_LIMIT, BYTE_LIMIT = "page_limit", "byte_limit"  # of one crawl: it is complete
STOPPED = "stopped"  # from outside: it goes on later
BUDGET, OUTSIDE_WINDOW, ASKED_TO_WAIT, NO_PROXY = "budget", "outside_window", "asked_to_wait", "no_proxy"
BANNED, LOGIN_FAILED, NO_ANSWER = "banned", "login_failed", "no_answer"
STORE_AWAY, FAULT = "store_unavailable", "fault"
# No reasons to end: the codes of what is said where pages were left out.
NEEDS_BROWSER, NEEDS_OCR, REPEATED_TEXTS = "page.needs-browser", "page.needs-ocr", "page.repeated-texts"
# And of what is said of the site's own rules.
SLOW_RULES, SLOW_PATTERN = "site.slow-rules", "site.slow-pattern"
