"""Builds `Settings` from layers with pydantic, or reports all errors in them."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.errors import BadConfiguration
from core.known_settings import KnownSetting, environment_variable, known_settings, mask_secrets
from core.settings import DEMO_SITES, ServiceSettings, Settings
from core.settings_layers import Layers, effective_layers
from core.wording import Message


def load(environ: Mapping[str, str]) -> Settings:
    """Return the settings for a process with this environment. Unset settings have their default.

    Raises BadConfiguration, which names each invalid setting, its source, its value and the allowed values.
    """
    return read(effective_layers(environ))


def read(layers: Layers) -> Settings:
    """Return the settings of the layers. Raises BadConfiguration, which names all invalid settings."""
    settings, faults = read_leniently(layers)
    if faults:
        raise BadConfiguration(faults)
    return settings


def read_leniently(layers: Layers) -> tuple[Settings, tuple[Message, ...]]:
    """Return the settings, with the default in place of each invalid value, and a message for each error."""
    known, faulty = known_settings(), dict[str, Any]()
    try:
        settings = _build_settings(layers)
    except ValidationError as error:
        names = {(each.section, each.field): name for name, each in known.items()}
        for each in error.errors(include_url=False):
            faulty.setdefault(names[each["loc"][:2]], each["input"])  # type: ignore[index] # section and field
        settings = _build_settings(layers, faulty)  # to find clashes between the valid settings
    faults = [_setting_fault(known[name], faulty[name], layers) for name in known if name in faulty]
    faults += _port_clashes(settings.services, faulty, layers)
    return settings, tuple(faults)


def _build_settings(layers: Layers, without: Collection[str] = ()) -> Settings:
    """Return the settings; an earlier layer takes precedence. Raises ValidationError."""
    sections: dict[str, dict[str, Any]] = {known.section: {} for known in known_settings().values()}
    for layer in reversed(layers.layers):
        for name in layer.values.keys() - without:
            known = known_settings()[name]
            sections[known.section][known.field] = layer.values[name]
    sections["crawl"]["cache"] = layers.home / "cache"
    return _settings_validator().validate_python({"home": layers.home, **sections})


@cache
def _settings_validator() -> TypeAdapter[Settings]:
    return TypeAdapter(Settings)


def _setting_fault(known: KnownSetting, value: Any, layers: Layers) -> Message:
    setting = _describe_setting(known.name, repr(mask_secrets(known.name, str(value))), layers)
    return Message("config.not-allowed", setting=setting, allowed=known.allowed)


def _port_clashes(services: ServiceSettings, faulty: Collection[str], layers: Layers) -> Iterator[Message]:
    """Yield a message if the admin's port is one of the demo's ports."""
    demo = range(services.demo_port, services.demo_port + DEMO_SITES)
    if services.web_port in demo and not {"web_port", "demo_port"} & set(faulty):
        web, first = (
            _describe_setting("web_port", services.web_port, layers),
            _describe_setting("demo_port", demo[0], layers),
        )
        yield Message("config.demo-port", setting=web, first=demo[0], last=demo[-1], demo=first)


def _describe_setting(name: str, value: object, layers: Layers) -> Message:
    """Return a message with a setting, its value and its source."""
    layer = layers.find_layer(name)
    if layer is None:
        return Message("config.by-default", name=environment_variable(name), value=value)
    return Message("config.in-place", name=layer.local_name(name), value=value, place=layer.place)
