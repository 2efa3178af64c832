"""The answers to what cannot be done, where Django's own would say too little."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from webadmin.requests.bad_values import BadValue


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Status 400, with the sentence that names the value where it is known."""
    sentence = exception.sentence if isinstance(exception, BadValue) else ""
    return render(request, "400.html", {"sentence": sentence}, status=400)
