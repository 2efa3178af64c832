"""A user's own page: who they are here, and the zone in which they read times."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from records.models import UserPreference
from webadmin.forms.profile_form import ProfileForm
from webadmin.pages import desk_page


def profile_view(request: HttpRequest) -> HttpResponse:
    """Show the page; take the zone (POST). What is no zone is answered with status 400 and a sentence."""
    form = ProfileForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and isinstance(request.user, User):
        UserPreference.objects.update_or_create(user=request.user, defaults={"zone": form.cleaned_data["zone"]})
        messages.success(request, _("Times are now shown in the zone %(zone)s.") % {"zone": form.cleaned_data["zone"]})
        return HttpResponseRedirect(request.path)
    context = {
        "title": _("Your profile"),
        "form": form,
        "memberships": request.user.memberships.select_related("rights_holder"),  # type: ignore[union-attr]
    }
    status = 400 if form.is_bound else 200
    return desk_page(request, "webadmin/profile.html", context, status=status)
