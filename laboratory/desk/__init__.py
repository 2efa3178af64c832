"""The desk over a database of any size: filled, asked as a browser asks, and timed. Imported when Django is set up."""
