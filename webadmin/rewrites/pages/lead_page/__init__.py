"""The page of a lead: a page and a work that may say the same in other words, sentence by sentence."""
