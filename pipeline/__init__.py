"""The steps from a stored page to a case as plain functions, and the Celery application that runs them."""
