"""The page of a lead, which compares page and work sentence by sentence."""
