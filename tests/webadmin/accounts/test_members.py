"""Who may make whom a member: managers make new reviewers of their own, and learn nothing of accounts elsewhere."""

from django.test import Client

from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import add_url, english, list_url, record_url
from webadmin.accounts.models import Membership, RightsHolder, User

CASES = 1

PASSWORD = "wind-over-nine-ferries"
REFUSED = "This user name is not available; choose another."


def reviewer_form(holder: RightsHolder, **changed: str) -> dict[str, object]:
    return {"rights_holder": holder.pk, "name": "li", "password": PASSWORD, "again": PASSWORD, **changed}


def errors(client: Client, data: dict[str, object]) -> dict[str, list[str]]:
    response = client.post(add_url(Membership), data)
    assert response.status_code == 200
    return dict(response.context["adminform"].form.errors)


def test_a_manager_makes_a_reviewer_who_signs_in_with_the_rights_holder_s_number(world: World) -> None:
    holder = world.ours.holder
    response = english(world.ours.manager).post(add_url(Membership), reviewer_form(holder), follow=True)
    assert f"li@{holder.pk} can log in now" in response.content.decode()
    made = User.objects.get(username=f"li@{holder.pk}")
    assert (made.is_staff, made.is_superuser, made.is_active) == (True, False, True)
    assert list(made.memberships.values_list("rights_holder", "role")) == [(holder.pk, "reviewer")]
    entered = Client().post("/admin/login/", {"username": made.username, "password": PASSWORD})
    assert (entered.status_code, entered.url) == (302, "/admin/")  # type: ignore[attr-defined]


def test_a_manager_joins_nobody_s_account_and_is_told_nothing_of_it(world: World) -> None:
    client, holder = english(world.ours.manager), world.ours.holder
    for person in (world.administrator, world.theirs.manager, admin_data.user("newcomer")):
        before = set(Membership.objects.values_list("pk", flat=True))
        for data in (
            {"rights_holder": holder.pk, "username": person.username, "role": "reviewer"},
            {"rights_holder": holder.pk, "user": person.pk, "username": person.username, "role": "manager"},
        ):
            assert set(errors(client, data)) == {"name", "password", "again"}
        # The name that somebody has elsewhere is as free as one that nobody has: it becomes another account.
        names = (person.username, f"nobody-has-{person.pk}")
        for name in names:
            assert client.post(add_url(Membership), reviewer_form(holder, name=name)).status_code == 302
        made = Membership.objects.exclude(pk__in=before)
        assert {row.user.username for row in made} == {f"{name}@{holder.pk}" for name in names}


def test_whatever_keeps_a_name_from_being_an_account_is_one_sentence(world: World, manager: Client) -> None:
    manager.post(add_url(Membership), reviewer_form(world.ours.holder))
    users = User.objects.count()
    for name in ("li", "a b", "li@1", "\u202eli", "x" * 101, " "):
        told = errors(manager, reviewer_form(world.ours.holder, name=name))
        assert told in ({"name": [REFUSED]}, {"name": ["This field is required."]}) or "at most 100" in str(told)
    assert User.objects.count() == users


def test_a_weak_password_makes_no_account(world: World, manager: Client) -> None:
    users = User.objects.count()
    for password, sentence, name in (
        ("short1x", "too short", "li"), ("83920174650", "entirely numeric", "li"), ("password123", "too common", "li"),
        ("joe@1joe@1", "Without your name in it", "joe"), ("wangxiaoming1", "similar to the username", "wangxiaoming"),
    ):  # fmt: skip
        form = reviewer_form(world.ours.holder, name=name, password=password, again=password)
        assert sentence in " ".join(errors(manager, form)["password"])
    told = errors(manager, reviewer_form(world.ours.holder, again="something-else-9"))
    assert told["again"] == ["The two passwords do not match."]
    assert User.objects.count() == users


def test_a_manager_makes_nobody_a_member_elsewhere_and_a_reviewer_nobody(world: World, reviewer: Client) -> None:
    assert reviewer.get(add_url(Membership)).status_code == 403
    assert reviewer.post(add_url(Membership), reviewer_form(world.ours.holder)).status_code == 403
    assert "rights_holder" in errors(english(world.ours.manager), reviewer_form(world.theirs.holder))
    assert not User.objects.filter(username__startswith="li@").exists()


def test_an_administrator_joins_an_account_by_its_exact_name(world: World) -> None:
    newcomer = admin_data.user("newcomer")
    newcomer.is_staff = False
    newcomer.save()
    client = english(world.administrator)
    data = {"rights_holder": world.ours.holder.pk, "username": "newcomer", "role": "manager"}
    assert client.post(add_url(Membership), data).status_code == 302
    newcomer.refresh_from_db()
    assert newcomer.is_staff
    assert not newcomer.is_superuser
    assert newcomer.memberships.get().role == "manager"
    assert "username" in errors(client, data)
    for wrong in ({"username": "nobody-there"}, {"role": "superuser"}):
        assert errors(client, {**data, **wrong})


def test_a_manager_changes_the_role_of_a_member_and_not_whose_it_is(world: World) -> None:
    membership = world.ours.reviewer.memberships.get()
    data = {"role": "manager", "user": world.theirs.manager.pk, "rights_holder": world.theirs.holder.pk}
    assert english(world.ours.manager).post(record_url(membership), data).status_code == 302
    membership.refresh_from_db()
    assert (membership.role, membership.user, membership.rights_holder) == (
        "manager",
        world.ours.reviewer,
        world.ours.holder,
    )


def test_a_manager_takes_members_out_one_by_one_and_never_the_own_membership(world: World) -> None:
    manager, client = world.ours.manager, english(world.ours.manager)
    own = manager.memberships.get()
    kept = set(Membership.objects.values_list("pk", flat=True))
    data = {"action": "delete_selected", "_selected_action": list(kept), "post": "yes"}
    client.post(list_url(Membership), data)
    assert client.post(record_url(own, "delete"), {"post": "yes"}).status_code == 403
    assert client.post(record_url(own), {"role": "reviewer"}).status_code == 302
    own.refresh_from_db()
    assert own.role == "manager"
    assert set(Membership.objects.values_list("pk", flat=True)) == kept
    other = world.ours.reviewer.memberships.get()
    assert client.post(record_url(other, "delete"), {"post": "yes"}).status_code == 302
    assert not Membership.objects.filter(pk=other.pk).exists()


def test_an_administrator_keeps_the_own_access(world: World) -> None:
    client = english(world.administrator)
    data = {"action": "delete_selected", "_selected_action": [world.administrator.pk], "post": "yes"}
    client.post(list_url(User), data)
    assert client.post(record_url(world.administrator, "delete"), {"post": "yes"}).status_code == 403
    form = {"username": world.administrator.username, "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
    client.post(record_url(world.administrator), form)
    world.administrator.refresh_from_db()
    assert world.administrator.is_superuser
    assert world.administrator.is_active
