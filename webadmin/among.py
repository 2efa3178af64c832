"""The lookup `among`: as `in`, for thousands of keys. They go to the database as one value, not as one each."""

import json
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import Field, ForeignObject, Lookup


@ForeignObject.register_lookup
@Field.register_lookup
class Among(Lookup):
    """That the field has one of these keys: strings or whole numbers, in any collection."""

    lookup_name = "among"

    def get_prep_lookup(self) -> list[Any]:
        return list(self.rhs)

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        if not self.rhs:
            raise EmptyResultSet
        field, values = self.process_lhs(compiler, connection)
        if connection.vendor == "postgresql":
            return f"{field} = ANY(%s)", [*values, self.rhs]
        return f"{field} IN (SELECT value FROM json_each(%s))", [*values, json.dumps(self.rhs)]  # noqa: S608 - a column of ours
