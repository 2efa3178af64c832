"""Works and their chapters, rights, licences, official times, and the intake of files."""
