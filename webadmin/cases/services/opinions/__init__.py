"""Second opinions of published engines on the pages of cases."""
