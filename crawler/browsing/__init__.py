"""Pages in Chromium: those that scripts write, and drawings of stored responses."""
