"""Lists of matters: queues, filters, words, and the position of a case in the inbox."""
