"""A person who signs in."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person who signs in. What they may do follows from their memberships."""
