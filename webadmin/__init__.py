"""The Django project: one application per subject, with the settings and entry points of web server and workers."""
