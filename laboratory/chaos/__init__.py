"""What is stored after services were killed, stalled and starved, beside what is stored after a quiet run."""
