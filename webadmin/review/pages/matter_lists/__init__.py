"""Lists of matters: queues, filters, searches, and the position of a case in the inbox."""
