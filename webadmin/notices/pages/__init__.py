"""A notice from its draft to its outcome; addressees, papers, templates, and what is due."""
