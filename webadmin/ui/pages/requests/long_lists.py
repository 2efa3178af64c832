"""How far a long list is counted, whoever shows it or a part of it."""

# A person who turns 200 pages of 50 wants a filter. Counting stops here, so a list of a million rows opens as fast as
# one of ten thousand.
MAX_COUNTED = 10_000
ONLY_QUERY = "zhuiwen_only_query"  # set on a request that asks a list for what it would show, and shows nothing
