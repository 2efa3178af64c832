"""Layers of settings -> `Settings`, by pydantic-settings; or one sentence for each fault."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from core.errors import BadConfiguration
from core.known_settings import KnownSetting, known_settings, variable_of
from core.secret_values import shown
from core.settings import (
    DEMO_SITES,
    CrawlSettings,
    DiscoverySettings,
    EvidenceSettings,
    MailSettings,
    PipelineSettings,
    RegistrySettings,
    S3Settings,
    ServiceSettings,
    Settings,
    WebSettings,
)
from core.settings_layers import Layer, Layers
from core.wording import Message


class _Sections(BaseSettings):
    """What the sources say, section by section. It is given its sources, and looks nowhere by itself."""

    model_config = SettingsConfigDict(frozen=True, hide_input_in_errors=True, validate_default=False)

    services: ServiceSettings = ServiceSettings()
    crawl: CrawlSettings = CrawlSettings()
    discovery: DiscoverySettings = DiscoverySettings()
    registries: RegistrySettings = RegistrySettings()
    mail: MailSettings = MailSettings()
    pipeline: PipelineSettings = PipelineSettings()
    web: WebSettings = WebSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    s3: S3Settings = S3Settings()


class _LayerSource(PydanticBaseSettingsSource):
    """One layer, its flat names sorted into the sections."""

    def __init__(self, layer: Layer, without: Collection[str]) -> None:
        super().__init__(_Sections)
        self._values = {name: value for name, value in layer.values.items() if name not in without}

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """The part of a whole section that the layer names."""
        known = known_settings()
        named = {known[name].field: v for name, v in self._values.items() if known[name].section == field_name}
        return named, field_name, True

    def __call__(self) -> dict[str, Any]:
        sections = {name: self.get_field_value(None, name)[0] for name in _Sections.model_fields}
        return {name: named for name, named in sections.items() if named}


def read(layers: Layers) -> Settings:
    """The settings that the layers make. Raises BadConfiguration with every fault."""
    settings, faults = read_leniently(layers)
    if faults:
        raise BadConfiguration(faults)
    return settings


def read_leniently(layers: Layers) -> tuple[Settings, tuple[Message, ...]]:
    """The settings, with the defaults of those that cannot be; and every fault."""
    faulty: dict[str, Any] = {}
    try:
        sections = _sections(layers)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            faulty.setdefault(_setting_at(each["loc"]).name, each["input"])
        sections = _sections(layers, faulty)  # for what is wrong with those that are right each by itself
    faults = [_fault(known, faulty[name], layers) for name, known in known_settings().items() if name in faulty]
    faults += _clashes(sections.services, faulty, layers)
    settings = Settings(home=layers.home, **{name: getattr(sections, name) for name in _Sections.model_fields})
    return replace(settings, crawl=replace(settings.crawl, cache=layers.home / "cache")), tuple(faults)


def _sections(layers: Layers, without: Collection[str] = ()) -> _Sections:
    sources = tuple(_LayerSource(layer, without) for layer in layers.layers)
    return _Sections(_build_sources=(sources, {}))  # type: ignore[call-arg] # mypy knows the fields alone


def _setting_at(location: tuple[int | str, ...]) -> KnownSetting:
    section, field = location[:2]
    return next(each for each in known_settings().values() if (each.section, each.field) == (section, field))


def _fault(known: KnownSetting, seen: Any, layers: Layers) -> Message:
    setting = _said(known.name, repr(shown(known.name, str(seen))), layers)
    return Message("config.not-allowed", setting=setting, allowed=known.allowed)


def _clashes(services: ServiceSettings, faulty: Collection[str], layers: Layers) -> Iterator[Message]:
    """What is wrong with ports that are each in their range."""
    demo = range(services.demo_port, services.demo_port + DEMO_SITES)
    if services.web_port in demo and not {"web_port", "demo_port"} & set(faulty):
        web, first = _said("web_port", services.web_port, layers), _said("demo_port", demo[0], layers)
        yield Message("config.demo-port", setting=web, first=demo[0], last=demo[-1], demo=first)


def _said(name: str, seen: object, layers: Layers) -> Message:
    """What a setting is, and who says so."""
    layer = layers.of(name)
    if layer is None:
        return Message("config.by-default", name=variable_of(name), value=seen)
    return Message("config.in-place", name=layer.called(name), value=seen, place=layer.place)
