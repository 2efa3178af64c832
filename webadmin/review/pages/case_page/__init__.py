"""One case on one screen, and the files it hands out."""
