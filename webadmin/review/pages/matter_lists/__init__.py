"""Which matters are asked for: queues, filters, words, and a case among those of the inbox."""
