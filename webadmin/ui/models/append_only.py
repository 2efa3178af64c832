"""Rows that are written once and never changed."""

from typing import Any, NoReturn

from django.db import models

from core.errors import BrokenInvariant


class AppendOnly(models.Model):
    """A row that is written once. `CHANGING` names what a later look may write."""

    CHANGING: frozenset[str] = frozenset()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        changed = kwargs.get("update_fields")
        if not self._state.adding and (changed is None or not self.CHANGING.issuperset(changed)):
            raise BrokenInvariant("bundle.not-written-over", record=self._meta.label, key=self.pk)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise BrokenInvariant("bundle.not-removed", record=self._meta.label, key=self.pk)
