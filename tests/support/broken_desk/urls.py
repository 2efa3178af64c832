"""The desk's addresses, and two that no product has."""

import re

from django.http import HttpRequest, HttpResponse
from django.urls import path

from webadmin.urls import urlpatterns as desk


def throws(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError("the page that throws")


def never_ends(request: HttpRequest) -> HttpResponse:
    """Hold the interpreter, and with it every thread of the process, until somebody kills it."""
    re.match(r"^([a-z0-9:/._-]+)+!$", "https://luoxia.example.net/book/1234567890.html")
    return HttpResponse()


urlpatterns = [path("broken/throws/", throws), path("broken/never-ends/", never_ends), *desk]
