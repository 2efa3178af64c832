"""What an operator sets, as environment variables; read at the rim only, once.

Algorithm parameters are not settings: they change the meaning of stored data and belong to an algorithm id
(`fingerprint.algorithms`, `matcher.calibration`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path

from core import service_urls
from core.errors import BadConfiguration
from core.variables import PREFIX, Variables

# Set by the installation for its own processes: deploy.home, deploy.services.supervision and .orphans.
INTERNAL = frozenset({"ZHUIWEN_EMBEDDED", "ZHUIWEN_REDIS_PASSWORD", "ZHUIWEN_CONFIGURATION", "ZHUIWEN_PROCESS"})
DEMO_SITES = 7


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Where the services are. A URL left empty means the embedded twin on 127.0.0.1 at the port beside it."""

    mongo_url: str = field(default="", repr=False)
    redis_url: str = field(default="", repr=False)
    index_url: str = field(default="", repr=False)  # the index alone; where redis_url is, if empty
    index_snapshot: str = ""  # folder; none if empty
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
    name_servers: tuple[str, ...] = ()  # "address:port"; none: the system's resolver
    chromium: str = ""  # path; found by itself if empty
    browser_pages: int = 200  # loaded until the browser is started anew
    browser_minutes: float = 30.0  # and for so long at most
    is_shared: bool = False  # several processes crawl one site, from a frontier in Redis
    processes: int = 2  # for one site, where it is shared
    lease_s: float = 60.0  # without a sign of life, until what a process had in hand goes to the others
    cache: Path | None = None  # folder of what is costly to make and can be made anew; none: made in each process


@dataclass(frozen=True, slots=True)
class DiscoverySettings:
    """Looking for copies by search. Nothing is sent anywhere while `search_url` is empty."""

    search_url: str = ""  # of an endpoint that answers as SearXNG does: .../search
    delay_s: float = 10.0  # between two queries; public instances block faster ones
    queries_a_day: int = 100  # over all works


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    workers: int = 2  # processes that fingerprint and match
    crawlers: int = 2  # crawls at the same time
    max_retries: int = 8
    retry_backoff_s: float = 2.0  # doubles at each retry, at most 10 minutes
    sweep_interval_s: float = 60.0


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """Where bundles are kept, who stamps them, how long they stay."""

    url: str = field(default="", repr=False)  # the page store if empty; file:///FOLDER, or another MongoDB
    tsa_urls: tuple[str, ...] = field(default=(), repr=False)  # time stamp authorities; none: nothing is stamped
    tsa_roots: str = ""  # PEM file of the authorities' roots, or a folder with one HOST.pem for each
    allow_private_tsa: bool = False
    keep_years: int = 0  # 0: for ever
    draws: bool = True  # screenshots and PDFs, where a browser is installed


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
    discovery: DiscoverySettings = field(default_factory=DiscoverySettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)

    @property
    def mongo_url(self) -> str:
        """The page store's URL, embedded or not."""
        return self.services.mongo_url or f"mongodb://127.0.0.1:{self.services.mongo_port}/zhuiwen"

    @property
    def redis_url(self) -> str:
        """The broker's and the locks' URL, embedded or not; the index's too where it has none of its own."""
        return self.services.redis_url or f"redis://127.0.0.1:{self.services.redis_port}/0"

    @property
    def index_url(self) -> str:
        """The index's URL: one server, or a cluster where the scheme says so."""
        return self.services.index_url or self.redis_url

    @property
    def sqlite_path(self) -> Path:
        """The admin database where no ZHUIWEN_DATABASE_URL is set."""
        return self.home / "admin.sqlite3"


def load(environ: Mapping[str, str]) -> Settings:
    """The settings that `environ` names; every name that is absent has its default.

    Raises BadConfiguration naming every variable that cannot be, with the value seen and what is allowed.
    """
    variables = Variables(environ)
    settings = _read(variables)
    faults = [*variables.faults.values(), *_clashes(settings.services, variables.faults)]
    if faults:
        raise BadConfiguration(faults)
    return settings


def known_names() -> frozenset[str]:
    """Every variable that means something, those that an installation sets for itself among them."""
    variables = Variables({})
    _read(variables)
    return INTERNAL | variables.asked


def unknown_names(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environ` that look like settings and are none, each with the known name nearest to it, or "".

    >>> unknown_names({"ZHUIWEN_WEBPORT": "1", "ZHUIWEN_HOME": "/x", "PATH": "/bin"})
    {'ZHUIWEN_WEBPORT': 'ZHUIWEN_WEB_PORT'}
    """
    known = known_names()
    names = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    public = sorted(known - INTERNAL)
    return {name: next(iter(_nearest(name, public)), "") for name in names}


def _nearest(name: str, known: list[str]) -> list[str]:
    """The one known name that `name` resembles, if any. What every name begins with is no resemblance."""
    bare = {each.removeprefix(PREFIX): each for each in known}
    return [bare[each] for each in get_close_matches(name.removeprefix(PREFIX).upper(), bare, n=1)]


def _read(variables: Variables) -> Settings:
    home = Path(variables.text("HOME", str(default_home()))).expanduser().absolute()
    return Settings(
        home=home,
        services=ServiceSettings(
            mongo_url=variables.url("MONGO_URL", service_urls.MONGO),
            redis_url=variables.url("REDIS_URL", service_urls.REDIS),
            index_url=variables.url("INDEX_URL", service_urls.REDIS + service_urls.REDIS_CLUSTER),
            index_snapshot=variables.text("INDEX_SNAPSHOT", ""),
            database_url=variables.url("DATABASE_URL", service_urls.DATABASE),
            mongo_port=variables.number("MONGO_PORT", ServiceSettings().mongo_port, 1, 65535),
            redis_port=variables.number("REDIS_PORT", ServiceSettings().redis_port, 1, 65535),
            web_port=variables.number("WEB_PORT", ServiceSettings().web_port, 1, 65535),
            demo_port=variables.number("DEMO_PORT", ServiceSettings().demo_port, 1, 65528),
            web_host=variables.text("WEB_HOST", ServiceSettings().web_host),
        ),
        crawl=CrawlSettings(
            user_agent=variables.text("USER_AGENT", CrawlSettings().user_agent),
            timeout_s=variables.real("CRAWL_TIMEOUT_S", CrawlSettings().timeout_s, 1, 600),
            max_body_bytes=variables.number("MAX_BODY_BYTES", CrawlSettings().max_body_bytes, 1024, 1 << 30),
            allow_private_hosts=variables.places("ALLOW_PRIVATE_HOSTS"),
            name_servers=variables.sockets("NAME_SERVERS"),
            chromium=variables.text("CHROMIUM", ""),
            browser_pages=variables.number("BROWSER_PAGES", CrawlSettings().browser_pages, 1, 1_000_000),
            browser_minutes=variables.real("BROWSER_MINUTES", CrawlSettings().browser_minutes, 0.1, 10_000),
            is_shared=variables.flag("CRAWL_SHARED"),
            processes=variables.number("CRAWL_PROCESSES", CrawlSettings().processes, 1, 64),
            lease_s=variables.real("CRAWL_LEASE_S", CrawlSettings().lease_s, 2, 3600),
            cache=home / "cache",
        ),
        pipeline=PipelineSettings(
            workers=variables.number("WORKERS", PipelineSettings().workers, 1, 256),
            crawlers=variables.number("CRAWLERS", PipelineSettings().crawlers, 1, 64),
            max_retries=variables.number("MAX_RETRIES", PipelineSettings().max_retries, 0, 100),
            retry_backoff_s=variables.real("RETRY_BACKOFF_S", PipelineSettings().retry_backoff_s, 0.01, 600),
            sweep_interval_s=variables.real("SWEEP_INTERVAL_S", PipelineSettings().sweep_interval_s, 1, 86_400),
        ),
        discovery=DiscoverySettings(
            search_url=variables.url("SEARCH_URL", service_urls.WEB),
            delay_s=variables.real("SEARCH_DELAY_S", DiscoverySettings().delay_s, 0, 3600),
            queries_a_day=variables.number("SEARCH_QUERIES_A_DAY", DiscoverySettings().queries_a_day, 0, 100_000),
        ),
        web=WebSettings(
            secret_key=variables.text("SECRET_KEY", ""),
            allowed_hosts=variables.names("ALLOWED_HOSTS", WebSettings().allowed_hosts),
            trusted_origins=variables.names("TRUSTED_ORIGINS", ()),
            time_zone=variables.zone("TIME_ZONE", WebSettings().time_zone),
            language=variables.choice("LANGUAGE", WebSettings().language, ("zh-hans", "en")),
            is_https=variables.flag("HTTPS"),
        ),
        evidence=EvidenceSettings(
            url=variables.url("EVIDENCE_URL", service_urls.EVIDENCE),
            tsa_urls=variables.names("TSA_URLS", ()),
            tsa_roots=variables.text("TSA_ROOTS", ""),
            allow_private_tsa=variables.flag("ALLOW_PRIVATE_TSA"),
            keep_years=variables.number("EVIDENCE_KEEP_YEARS", EvidenceSettings().keep_years, 0, 1000),
            draws=variables.choice("SCREENSHOTS", "auto", ("auto", "off")) == "auto",
        ),
    )


def _clashes(services: ServiceSettings, faulty: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with ports that are each in their range; an embedded service's port counts, another's does not."""
    ports = {
        "MONGO_PORT": services.mongo_port if services.embeds_mongo else None,
        "REDIS_PORT": services.redis_port if services.embeds_redis else None,
        "WEB_PORT": services.web_port,
    }
    used = {PREFIX + name: port for name, port in ports.items() if port is not None and name not in faulty}
    for (name, port), (other, same) in combinations(used.items(), 2):
        if port == same:
            yield f"{name} and {other} are both {port}; give each a port of its own"
    demo = range(services.demo_port, services.demo_port + DEMO_SITES)
    for name, port in used.items() if "DEMO_PORT" not in faulty else ():
        if port in demo:
            yield (
                f"{name} is {port}, one of the seven ports of the demo's sites, {demo[0]} to {demo[-1]}; "
                f"change it or {PREFIX}DEMO_PORT"
            )


def default_home() -> Path:
    """`var/` of a source checkout; a folder of the user's own for an installed package."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").exists():
        return checkout / "var"
    return Path.home() / ".local" / "share" / "zhuiwen"
