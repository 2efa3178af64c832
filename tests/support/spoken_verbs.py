"""Verbs of the command line called as functions, on the test's own database, in either language."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest
from django.utils import translation

from core.settings import Settings
from core.settings_loading import load
from webadmin.ui.console import words


@contextmanager
def spoken(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> Iterator[Callable[[str], None]]:
    """The verbs' own session would lead to another database. Called with a language, what is given speaks it."""

    @contextmanager
    def session() -> Iterator[Settings]:
        with translation.override(words.console_language()):
            yield load({})

    def speak(code: str) -> None:
        monkeypatch.setenv("ZHUIWEN_LANGUAGE", code)
        words.console_language.cache_clear()

    for module in modules:
        monkeypatch.setattr(module, "session", session)
    speak("en")
    yield speak
    words.console_language.cache_clear()
