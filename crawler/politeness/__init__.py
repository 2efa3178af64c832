"""How a site is treated: hours, budgets, refusals, sessions."""
