"""The Django project: one application per subject, the settings of web server and workers, and their entry points."""
