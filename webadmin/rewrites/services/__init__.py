"""Services of leads: due searches, recording, verdicts, letters and exports."""
