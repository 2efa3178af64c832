"""The Django project: one application per subject, settings of web server and workers, and what starts them."""
