"""The landing page: what is to be done, by site and work, the most harmful first."""
