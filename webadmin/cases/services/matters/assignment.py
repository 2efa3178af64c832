"""Sets the assignee of a matter, and the documents that it waits for."""

from core.errors import BadInput
from webadmin.accounts.models import User
from webadmin.accounts.services.access import require_role, user_role
from webadmin.cases.models import Matter

MAX_AWAITED_CHARS = 300


def assign_matter(matter: Matter, assignee: User | None, by: User) -> None:
    """Assign a matter with all its cases to a user, or to nobody (None).

    Raises BadInput if `by`, the acting user, or the assignee has no role for the rights holder.
    """
    require_role(by, matter)
    if assignee is not None and user_role(assignee, matter.rights_holder) is None:
        raise BadInput("case.assignee-no-role", who=assignee, holder=matter.rights_holder)
    Matter.objects.filter(pk=matter.pk).update(assignee=assignee)


def set_awaited_documents(matter: Matter, documents: str, by: User) -> None:
    """Set the description of the documents that a matter waits for; "" if it waits for none.

    Raises BadInput if `by` has no role for the rights holder, or the text is longer than MAX_AWAITED_CHARS.
    """
    require_role(by, matter)
    documents = documents.strip()
    if len(documents) > MAX_AWAITED_CHARS:
        raise BadInput("case.papers-too-long", most=MAX_AWAITED_CHARS)
    Matter.objects.filter(pk=matter.pk).update(awaited=documents)


def list_assignees(matter: Matter) -> list[User]:
    """Return the users to whom a matter can be assigned: active users with a role for the rights holder."""
    members = User.objects.filter(is_active=True, memberships__rights_holder=matter.rights_holder_id)
    return list(members.distinct().order_by("username"))
