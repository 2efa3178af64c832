"""Start options of Chromium for pages that scripts make, and Scrapy's settings of it."""

# Chosen, not measured: to start Chromium takes 1 s (2026-11), and pages that leak lose some MB each. How many pages and
# minutes is the operator's to say (core.settings.CrawlSettings).
MAX_MEMORY_BYTES = 1_500_000_000
PAGES_SETTING, MEMORY_SETTING, AGE_SETTING = "ZHUIWEN_BROWSER_PAGES", "ZHUIWEN_BROWSER_BYTES", "ZHUIWEN_BROWSER_AGE_S"
ARGUMENTS = [
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    # Media connections would go past the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",
]
