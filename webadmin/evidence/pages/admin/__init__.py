"""The admin classes of evidence; importing this package registers them."""

from webadmin.evidence.pages.admin import bundles

__all__ = ["bundles"]
