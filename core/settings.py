"""What an operator sets, as environment variables; read at the rim only, once.

Algorithm parameters are not settings: they change the meaning of stored data and belong to an algorithm id
(`fingerprint.algorithms`, `matcher.calibration`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.errors import BadConfiguration

T = TypeVar("T")

PREFIX = "ZHUIWEN_"


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Where the services are. A URL left empty means the embedded twin on 127.0.0.1 at the port beside it."""

    mongo_url: str = field(default="", repr=False)
    redis_url: str = field(default="", repr=False)
    database_url: str = field(default="", repr=False)
    mongo_port: int = 27117
    redis_port: int = 6479
    web_port: int = 8717
    demo_port: int = 8801  # the first of seven, one for each of the demo's sites
    web_host: str = "127.0.0.1"

    @property
    def embeds_mongo(self) -> bool:
        return not self.mongo_url

    @property
    def embeds_redis(self) -> bool:
        return not self.redis_url


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    user_agent: str = "Zhuiwen/0.1 (copyright monitoring)"
    timeout_s: float = 30.0
    max_body_bytes: int = 16 * 1024 * 1024
    allow_private_hosts: tuple[str, ...] = ()  # "host:port" of private addresses that may be fetched all the same


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    workers: int = 2  # processes that fingerprint and match
    crawlers: int = 2  # crawls at the same time
    max_retries: int = 8
    retry_backoff_s: float = 2.0  # doubles at each retry, at most 10 minutes
    sweep_interval_s: float = 60.0


@dataclass(frozen=True, slots=True)
class WebSettings:
    secret_key: str = field(default="", repr=False)
    allowed_hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    trusted_origins: tuple[str, ...] = ()
    time_zone: str = "Asia/Shanghai"
    language: str = "zh-hans"
    is_https: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """All sections. `home` holds what the embedded services store, logs, secrets and exported reports."""

    home: Path
    services: ServiceSettings
    crawl: CrawlSettings
    pipeline: PipelineSettings
    web: WebSettings

    @property
    def mongo_url(self) -> str:
        """The page store's URL, embedded or not."""
        return self.services.mongo_url or f"mongodb://127.0.0.1:{self.services.mongo_port}/zhuiwen"

    @property
    def redis_url(self) -> str:
        """The index's and broker's URL, embedded or not."""
        return self.services.redis_url or f"redis://127.0.0.1:{self.services.redis_port}/0"

    @property
    def sqlite_path(self) -> Path:
        """The admin database where no ZHUIWEN_DATABASE_URL is set."""
        return self.home / "admin.sqlite3"


def load(environ: Mapping[str, str]) -> Settings:
    """The settings that `environ` names; every name that is absent has its default.

    Raises BadConfiguration naming every variable that cannot be, with the value seen and what is allowed.
    """
    reader = _Reader(environ)
    settings = Settings(
        home=Path(reader.text("HOME", str(default_home()))).expanduser().absolute(),
        services=ServiceSettings(
            mongo_url=reader.text("MONGO_URL", ""),
            redis_url=reader.text("REDIS_URL", ""),
            database_url=reader.text("DATABASE_URL", ""),
            mongo_port=reader.number("MONGO_PORT", ServiceSettings().mongo_port, 1, 65535),
            redis_port=reader.number("REDIS_PORT", ServiceSettings().redis_port, 1, 65535),
            web_port=reader.number("WEB_PORT", ServiceSettings().web_port, 1, 65535),
            demo_port=reader.number("DEMO_PORT", ServiceSettings().demo_port, 1, 65528),
            web_host=reader.text("WEB_HOST", ServiceSettings().web_host),
        ),
        crawl=CrawlSettings(
            user_agent=reader.text("USER_AGENT", CrawlSettings().user_agent),
            timeout_s=reader.real("CRAWL_TIMEOUT_S", CrawlSettings().timeout_s, 1, 600),
            max_body_bytes=reader.number("MAX_BODY_BYTES", CrawlSettings().max_body_bytes, 1024, 1 << 30),
            allow_private_hosts=reader.names("ALLOW_PRIVATE_HOSTS", ()),
        ),
        pipeline=PipelineSettings(
            workers=reader.number("WORKERS", PipelineSettings().workers, 1, 256),
            crawlers=reader.number("CRAWLERS", PipelineSettings().crawlers, 1, 64),
            max_retries=reader.number("MAX_RETRIES", PipelineSettings().max_retries, 0, 100),
            retry_backoff_s=reader.real("RETRY_BACKOFF_S", PipelineSettings().retry_backoff_s, 0.01, 600),
            sweep_interval_s=reader.real("SWEEP_INTERVAL_S", PipelineSettings().sweep_interval_s, 1, 86_400),
        ),
        web=WebSettings(
            secret_key=reader.text("SECRET_KEY", ""),
            allowed_hosts=reader.names("ALLOWED_HOSTS", WebSettings().allowed_hosts),
            trusted_origins=reader.names("TRUSTED_ORIGINS", ()),
            time_zone=reader.zone("TIME_ZONE", WebSettings().time_zone),
            language=reader.choice("LANGUAGE", WebSettings().language, ("zh-hans", "en")),
            is_https=reader.flag("HTTPS"),
        ),
    )
    if reader.faults:
        raise BadConfiguration(reader.faults)
    return settings


def default_home() -> Path:
    """`var/` of a source checkout; a folder of the user's own for an installed package."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").exists():
        return checkout / "var"
    return Path.home() / ".local" / "share" / "zhuiwen"


class _Reader:
    """Reads variables and collects what is wrong with them."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.faults: list[str] = []

    def text(self, name: str, default: str) -> str:
        return self._environ.get(PREFIX + name, "").strip() or default

    def names(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.text(name, "")
        return tuple(part.strip() for part in value.split(",") if part.strip()) if value else default

    def number(self, name: str, default: int, least: int, most: int) -> int:
        return self._parsed(name, default, int, lambda v: least <= v <= most, f"a whole number from {least} to {most}")

    def real(self, name: str, default: float, least: float, most: float) -> float:
        return self._parsed(name, default, float, lambda v: least <= v <= most, f"a number from {least:g} to {most:g}")

    def flag(self, name: str) -> bool:
        return self.choice(name, "0", ("0", "1")) == "1"

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        return self._parsed(name, default, str, lambda v: v in allowed, " or ".join(allowed))

    def zone(self, name: str, default: str) -> str:
        return self._parsed(name, default, str, _is_zone, "the name of a time zone, like Asia/Shanghai")

    def _parsed(self, name: str, default: T, parse: Callable[[str], T], admits: Callable[[T], bool], allowed: str) -> T:
        seen = self.text(name, "")
        if not seen:
            return default
        try:
            value = parse(seen)
        except ValueError:
            pass
        else:
            if admits(value):
                return value
        self.faults.append(f"{PREFIX}{name} is {seen!r}; allowed: {allowed}")
        return default


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return False
    return True
