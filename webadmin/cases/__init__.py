"""Cases: recorded findings, rulings by rights, verdicts, and matters."""
