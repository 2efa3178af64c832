"""Cases: what is recorded of findings, how rights rule them, verdicts, matters."""
