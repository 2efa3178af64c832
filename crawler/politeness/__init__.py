"""Makes crawls polite: crawl hours, budgets, reactions to refusals, sessions."""
