"""A browser's view of the admin without a browser: requests as a certain person, and every list there is."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from core.errors import ServiceUnavailable
from core.wording import Message
from webadmin.accounts.models import User
from webadmin.apps import register_pages


def signed_in(person: User, language: str = "") -> Client:
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    if language:
        client.cookies["django_language"] = language
    return client


def english(person: User) -> Client:
    return signed_in(person, "en")


def list_url(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def add_url(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")


def record_url(record: Model, page: str = "change") -> str:
    return reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_{page}", args=[record.pk])


def shown(client: Client, record: Model | str, query: str = "") -> str:
    """The page of a record, or at an address."""
    response = client.get((record if isinstance(record, str) else record_url(record)) + query)
    assert response.status_code == 200
    return response.content.decode()


def forms_with_files(page: str) -> list[str]:
    """The opening tags of the forms of the page that take a file."""
    forms = [form.partition("</form>")[0] for form in page.split("<form ")[1:]]
    return [form.partition(">")[0] for form in forms if 'type="file"' in form]


def site_form(**changes: object) -> dict[str, object]:
    """Return what the browser sends for a new site."""
    return {
        "name": "新站",
        "kind": "generic",
        "start_urls": "https://new.example/",
        "is_active": "on",
        "crawl_at": "03:00",
        "interval_days": 1,
        "max_depth": 5,
        "max_pages": 100,
        "delay_s": 1,
        "concurrency": 2,
        "domains-TOTAL_FORMS": 0,
        "domains-INITIAL_FORMS": 0,
        "obey_robots": "on",
        **{
            f"{name}-{end}_FORMS": 0
            for name in ("rules", "ban_rules", "proxies", "ignored_texts", "robots_switches")
            for end in ("TOTAL", "INITIAL")
        },
        **changes,
    }


def registered_models() -> list[type[Model]]:
    """Every model that has a list in the admin, ours and others', in a fixed order."""
    register_pages()  # else none is, until something imports the addresses
    return sorted(admin.site._registry, key=lambda model: model._meta.label)


class CollectingOutbox:
    """An outbox that keeps what was sent, for looking at; while its broker is away it takes nothing."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.is_away = False

    def send(self, message: object) -> None:
        if self.is_away:
            raise ServiceUnavailable(Message("service.broker"), "ZHUIWEN_REDIS_URL", "zhuiwen status")
        self.sent.append(message)
