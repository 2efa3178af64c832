"""Why a crawl ends, in one word each, as `CrawlCounts.finish_reason` has it; Scrapy's own is "finished"."""

PAGE_LIMIT, BYTE_LIMIT = "page_limit", "byte_limit"  # of one crawl: it is complete
STOPPED = "stopped"  # from outside: it goes on later
BUDGET, OUTSIDE_WINDOW, ASKED_TO_WAIT, NO_PROXY = "budget", "outside_window", "asked_to_wait", "no_proxy"
BANNED, LOGIN_FAILED, NO_ANSWER = "banned", "login_failed", "no_answer"
STORE_AWAY, FAULT = "store_unavailable", "fault"
NEEDS_BROWSER = "page.needs-browser"  # no reason to end: the code of what is said where pages were left out
