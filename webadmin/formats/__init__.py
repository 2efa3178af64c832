"""How dates are written, by language (Django's FORMAT_MODULE_PATH)."""
