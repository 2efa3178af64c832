"""Cases, with their evidence, rulings by rights and verdicts, and matters."""
