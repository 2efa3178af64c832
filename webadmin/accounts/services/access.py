"""Access rules for all lists, views, exports and reports.

A reviewer sees all records of the rights holder and decides cases. A manager also edits its works, sites, licences, own
domains and members, and requests crawls and exports. An administrator (superuser) may do everything. Memberships alone
determine these rights; Django's model permissions are not used.
"""

from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, QuerySet

from core.errors import BadInput, BrokenInvariant
from webadmin.accounts.models import Membership, RightsHolder, User

M = TypeVar("M", bound=Model)
Person = User | AnonymousUser

# Look-ups from records to the key of their rights holder. Only administrators see records of other models.
HOLDER_PATHS: dict[type[Model], str] = {RightsHolder: "id", Membership: "rights_holder_id"}


def register_scope(path: str, *models: type[Model]) -> None:
    """Register `path`, the look-up from records of these models to the key of their rights holder."""
    HOLDER_PATHS.update(dict.fromkeys(models, path))


def is_administrator(user: Person) -> bool:
    return bool(user.is_active and user.is_superuser)


def roles(user: Person) -> dict[int, str]:
    """Return the user's role for each rights holder's key; {} for an inactive user or a user without memberships."""
    if not user.is_active or not user.pk:
        return {}
    return dict(Membership.objects.filter(user_id=user.pk).values_list("rights_holder_id", "role"))


def visible(queryset: QuerySet[M], user: Person) -> QuerySet[M]:
    """Return the records of `queryset` that the user may see: those of the user's rights holders.

    Administrators see all records. Users see other users who share a rights holder with them. Raises BrokenInvariant
    for a model without a registered scope, unless the user is an administrator.
    """
    return _rows_of_holders(queryset, user, Membership.objects.all())


def manageable(queryset: QuerySet[M], user: Person) -> QuerySet[M]:
    """Return the records of `queryset` that the user may change as a manager or administrator.

    Raises the same error as `visible`.
    """
    return _rows_of_holders(queryset, user, Membership.objects.filter(role=Membership.Role.MANAGER))


def _rows_of_holders(queryset: QuerySet[M], user: Person, memberships: QuerySet[Membership]) -> QuerySet[M]:
    if is_administrator(user):
        return queryset
    key = user.pk
    if not user.is_active or key is None:
        return queryset.none()
    holders = memberships.filter(user_id=key).values("rights_holder_id")
    if issubclass(queryset.model, User):
        colleagues = Membership.objects.filter(rights_holder_id__in=holders).values("user_id")
        return queryset.filter(pk__in=colleagues)
    # Read here and not in a subquery, because for a single key one index serves both the filter and the order.
    keys, path = list(holders.values_list("rights_holder_id", flat=True)), holder_path(queryset.model)
    return queryset.filter(**({path: keys[0]} if len(keys) == 1 else {f"{path}__in": keys}))


def holder_path(model: type[Model]) -> str:
    """Return the look-up from a model to the key of its rights holder. Raises BrokenInvariant if none is registered."""
    if model not in HOLDER_PATHS:
        raise BrokenInvariant("case.no-holder-path", model=model.__name__)
    return HOLDER_PATHS[model]


def record_holder_id(record: Model) -> int | None:
    """Return the key of the rights holder that `record` belongs to, or None if it is not set yet."""
    *steps, last = holder_path(type(record)).split("__")
    at: Model | None = record
    for step in steps:
        at = getattr(at, step, None) if at is not None else None
    return getattr(at, last, None) if at is not None else None


def user_role(user: Person, rights_holder: RightsHolder | int) -> str | None:
    """Return the user's role for a rights holder, or its key: "reviewer", "manager" or None.

    An administrator is a manager of every rights holder.
    """
    if is_administrator(user):
        return str(Membership.Role.MANAGER)
    key = rights_holder if isinstance(rights_holder, int) else rights_holder.pk
    return roles(user).get(key)


def require_role(user: Person, record: Any, error: type[BadInput] = BadInput) -> None:
    """Raise `error` if the user has no role for the rights holder of `record`."""
    if user_role(user, record.rights_holder_id) is None:
        raise error("case.no-role", holder=record.rights_holder)


def may_see(user: Person, record: Model) -> bool:
    holder = record_holder_id(record)
    return is_administrator(user) or (holder is not None and user_role(user, holder) is not None)


def may_manage(user: Person, record: Model) -> bool:
    holder = record_holder_id(record)
    return is_administrator(user) or (holder is not None and user_role(user, holder) == Membership.Role.MANAGER)


def manages_anything(user: Person) -> bool:
    return is_administrator(user) or Membership.Role.MANAGER in roles(user).values()


def allow_admin_access(user: User) -> None:
    """Mark a user as staff, so that the user can sign in to the admin. Memberships determine the rights there."""
    if not user.is_staff:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
