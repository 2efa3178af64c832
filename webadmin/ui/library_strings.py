"""Strings of libraries for which our catalogue has a better Chinese translation than the library.

Nothing imports this module; `webadmin.translation` collects the strings. Django searches a project's catalogue before
the catalogues of applications.
"""

from django.utils.translation import gettext_noop

DJANGO_ADMIN = (
    gettext_noop("Delete selected %(verbose_name_plural)s"),
    gettext_noop("Successfully deleted %(count)d %(items)s."),
    gettext_noop("Cannot delete %(name)s"),
    gettext_noop("Added “%(object)s”."),
    gettext_noop("Changed “%(object)s” — %(changes)s"),
    gettext_noop("Deleted “%(object)s.”"),
    gettext_noop("Added {name} “{object}”."),
    gettext_noop("Changed {fields} for {name} “{object}”."),
    gettext_noop("Changed {fields}."),
    gettext_noop("Deleted {name} “{object}”."),
    gettext_noop("The {name} “{obj}” was added successfully."),
    gettext_noop("The {name} “{obj}” was added successfully. You may add another {name} below."),
    gettext_noop("The {name} “{obj}” was changed successfully."),
    gettext_noop("The {name} “{obj}” was changed successfully. You may edit it again below."),
    gettext_noop("The {name} “{obj}” was changed successfully. You may add another {name} below."),
    gettext_noop("The %(name)s “%(obj)s” was deleted successfully."),
    gettext_noop("%(name)s with ID “%(key)s” doesn’t exist. Perhaps it was deleted?"),
    gettext_noop(
        "Deleting %(class_name)s %(instance)s would require deleting the following protected related objects:"
        " %(related_objects)s"
    ),
    gettext_noop(
        "Please enter the correct %(username)s and password for a staff account. Note that both fields may be"
        " case-sensitive."
    ),
)
FAILED_LOGINS = (
    gettext_noop("access attempt"),
    gettext_noop("access attempts"),
    gettext_noop("Attempt Time"),
    gettext_noop("Failed Logins"),
    gettext_noop("Form Data"),
    gettext_noop("Meta Data"),
    gettext_noop("GET Data"),
    gettext_noop("POST Data"),
    gettext_noop("HTTP Accept"),
    gettext_noop("IP Address"),
    gettext_noop("User Agent"),
    gettext_noop("Path"),
    gettext_noop("Locked Out"),
)
PERIODIC_TASKS = (
    gettext_noop("Periodic Tasks"),
    gettext_noop("periodic task"),
    gettext_noop("periodic tasks"),
    gettext_noop("Scheduler"),
    gettext_noop("Interval Schedule"),
    gettext_noop("Last Run Datetime"),
    gettext_noop("Start Datetime"),
    gettext_noop("One-off Task"),
)
