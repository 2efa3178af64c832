"""Services for leads: due searches, recording, verdicts, letters and exports."""
