"""Keys that a row has at second hand, kept in it: a list of millions of rows needs no join to be filtered by them."""

from typing import Any

from django.db import models


class CopiedKey(models.ForeignKey):
    """What `source` names, as of the moment when the row is made: "site.rights_holder" is the holder of its site.

    Only what never changes afterwards is copied: a page stays on its site, a site with its rights holder. Every way of
    making rows through the models fills it, `bulk_create` included.
    """

    def __init__(self, to: Any, on_delete: Any, source: str = "", **kwargs: Any) -> None:
        self.source = source
        super().__init__(to, on_delete, **{"editable": False, "related_name": "+", "db_index": False, **kwargs})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "source": self.source, "db_index": False}

    def pre_save(self, model_instance: Any, add: bool) -> Any:
        key = getattr(model_instance, self.attname)
        if key is None:
            *steps, last = self.source.split(".")
            at = model_instance
            for step in steps:
                at = getattr(at, step)
            key = getattr(at, f"{last}_id")
            setattr(model_instance, self.attname, key)
        return key
