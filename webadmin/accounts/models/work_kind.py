"""The kinds of works, of which a rights holder may choose."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class WorkKind(models.TextChoices):
    NOVEL = "novel", _("novel")
    NEWS = "news", _("news")
    ESSAY = "essay", _("essay")
    STORY = "story", _("short story")
    OTHER = "other", _("other")
