"""The settings, from the file in the home folder or from environment variables. Entry points read them once.

Each setting has a single name: `web_port` in the file, `ZHUIWEN_WEB_PORT` in the environment. Parameters of algorithms
are not settings: they change the meaning of stored data and belong to an algorithm id (`fingerprint.algorithms`,
`matcher.calibration`).
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Interval

from core import setting_types as types
from core import sockets
from core.setting_types import setting
from core.translation import gettext_noop as _

DEMO_SITES = 7


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The services. An empty URL selects the embedded service, on a socket in the home folder."""

    mongo_url: types.MongoUrl = setting(
        "",
        _("page store: MongoDB 6 or newer, a replica set; `mongodb://` or `mongodb+srv://`"),
        default=_("embedded"),
        is_secret=True,
    )
    redis_url: types.RedisUrl = setting(
        "",
        _(
            "index and broker: Redis 6.2 or newer, append-only file on, no eviction; `redis://`, `rediss://` or"
            " `unix://`"
        ),
        default=_("embedded"),
        is_secret=True,
    )
    index_url: types.IndexUrl = setting(
        "",
        _(
            "the index alone, if it is on another server, also without eviction: `redis://`, "
            "`rediss://`, `unix://`, or a cluster as `redis+cluster://` or `rediss+cluster://` with "
            "some of its nodes, separated by commas"
        ),
        default=_("as `ZHUIWEN_REDIS_URL`"),
        is_secret=True,
    )
    index_snapshot: str = setting(
        "",
        _(
            "folder for a read-only copy of the index shared by all workers of a machine, preferably "
            "in `/dev/shm`: 3.5 bytes per character of the works, twice that while it is refreshed"
        ),
    )
    database_url: types.DatabaseUrl = setting(
        "",
        _("admin database: PostgreSQL 14 or newer; `postgres://`, `postgresql://` or `sqlite:///`"),
        default=_("SQLite in the home folder"),
        is_secret=True,
    )
    raw_url: types.RawUrl = setting(
        "",
        _("where raw responses are stored: `file:///FOLDER` or `s3://BUCKET/PREFIX` (extra `s3`)"),
        default=_("the page store"),
    )
    web_port: types.Port = setting(8717, _("admin port"))
    web_host: types.ListenAddress = setting("127.0.0.1", _("address the admin listens on"))
    demo_port: types.DemoPort = setting(8801, _("first of the seven ports of the demo's sites"))

    @property
    def embeds_mongo(self) -> bool:
        return not self.mongo_url

    @property
    def embeds_redis(self) -> bool:
        return not self.redis_url


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    user_agent: str = setting(
        "Zhuiwen/0.1 (copyright monitoring)",
        _("the crawler's user agent; add an address where a site can reach you"),
    )
    timeout_s: Annotated[float, Interval(ge=1, le=600)] = setting(
        30.0, _("seconds for one download"), name="crawl_timeout_s"
    )
    max_body_bytes: Annotated[int, Interval(ge=1024, le=1 << 30)] = setting(
        16 * 1024 * 1024, _("larger responses are refused")
    )
    # In addition to pages: a site may offer 200 books in one night, 3.2 GB at 16 MB each.
    max_files: Annotated[int, Interval(ge=0, le=1_000_000)] = setting(
        200, _("maximum number of downloadable files (books) per run; `0` fetches none")
    )
    allow_private_hosts: tuple[types.Place, ...] = setting(
        (),
        _(
            "`host:port`, an IPv6 address in brackets, separated by commas: private addresses that "
            "may be crawled nevertheless"
        ),
    )
    name_servers: tuple[types.Socket, ...] = setting(
        (),
        _("`address:port`, separated by commas: recursive name servers that the crawler uses instead, in this order"),
        default=_("the system default"),
    )
    time_servers: tuple[types.TimeServer, ...] = setting(
        (),
        _(
            "`host` or `host:port`, separated by commas, at most four: time servers (SNTP) with "
            "which each crawl compares the machine's clock; evidence then states the difference"
        ),
    )
    chromium: str = setting(
        "",
        _("path of the Chromium that loads script-rendered pages (extra `browser`)"),
        default=_("found automatically"),
    )
    browser_pages: Annotated[int, Interval(ge=1, le=1_000_000)] = setting(
        200,
        _("pages that a browser loads before it is restarted; it also restarts when it uses 1.5 GB, hangs or crashes"),
    )
    browser_minutes: Annotated[float, Interval(ge=0.1, le=10_000)] = setting(
        30.0, _("how long a browser runs before it is restarted")
    )
    # Not a setting: the folder of costly data that can be rebuilt; None: each process builds its own.
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class DiscoverySettings:
    """The search for copies by a search engine; nothing is sent while `search_url` is empty."""

    search_url: types.WebUrl = setting(
        "",
        _(
            "search endpoint with SearXNG's JSON format, such as `https://searx.example/search`; "
            "without it nothing is searched. List an endpoint on a private address in "
            "`ZHUIWEN_ALLOW_PRIVATE_HOSTS`"
        ),
    )
    # Public instances block faster clients.
    delay_s: Annotated[float, Interval(ge=0, le=3600)] = setting(
        10.0, _("seconds between two queries"), name="search_delay_s"
    )
    queries_a_day: Annotated[int, Interval(ge=0, le=100_000)] = setting(
        100, _("queries per day for all works; `0` sends none"), name="search_queries_a_day"
    )


@dataclass(frozen=True, slots=True)
class RegistrySettings:
    """The registries of hosts and registrars of sites; none is queried while all settings are empty."""

    rdap_url: types.WebUrl = setting(
        "",
        _(
            "RDAP server for finding out who hosts a site and who registered its name, such as "
            "`https://rdap.example/`; nothing is queried if this and the whois servers are "
            "both empty. It may have a private address"
        ),
    )
    whois_servers: tuple[types.WhoisServer, ...] = setting(
        (),
        _(
            "`host:port` or `ENDING=host:port`, separated by commas: whois servers to query when RDAP "
            "has no result; `ip=host:port` for addresses"
        ),
    )

    @property
    def is_enabled(self) -> bool:
        """True if a registry is configured."""
        return bool(self.rdap_url or self.whois_servers)


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The mail server for confirmed notices; no mail is sent while server or sender is empty."""

    smtp_url: types.SmtpUrl = setting(
        "",
        _(
            "mail server that sends confirmed notices when a person chooses to: `smtps://`, "
            "`smtp+starttls://` or, unencrypted, `smtp://`, with user and password as in "
            "`smtps://USER:PASSWORD@mail.example`"
        ),
        is_secret=True,
    )
    sender: types.MailAddress = setting(
        "", _("sender address of notices; replies go to the rights holder's address"), name="smtp_sender"
    )
    # RFC 5321 4.5.3.2 recommends minutes, because servers check for spam meanwhile; a whole mail may take 240 s
    # (webadmin.notices.services.smtp).
    timeout_s: Annotated[float, Interval(ge=1, le=240)] = setting(
        60.0, _("seconds to wait for a response from the mail server"), name="smtp_timeout_s"
    )

    @property
    def is_enabled(self) -> bool:
        """True if mail can be sent."""
        return bool(self.smtp_url and self.sender)


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    workers: Annotated[int, Interval(ge=1, le=256)] = setting(2, _("worker processes for fingerprints and matching"))
    crawlers: Annotated[int, Interval(ge=1, le=64)] = setting(2, _("sites crawled at the same time on one machine"))
    max_retries: Annotated[int, Interval(ge=0, le=100)] = setting(
        8, _("number of retries when a service does not respond")
    )
    retry_backoff_s: Annotated[float, Interval(ge=0.01, le=600)] = setting(
        2.0, _("pause before the first retry; doubled each time, up to 10 minutes")
    )
    sweep_interval_s: Annotated[float, Interval(ge=1, le=86_400)] = setting(
        60.0, _("how often the sweeper looks for leftovers")
    )


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """The store of evidence bundles, the timestamp authorities, and the retention of bundles."""

    url: types.EvidenceUrl = setting(
        "",
        _(
            "where evidence bundles are stored: `file:///FOLDER`, `s3://BUCKET/PREFIX` (extra `s3`), "
            "or another MongoDB as `mongodb://`"
        ),
        default=_("the page store"),
        name="evidence_url",
        is_secret=True,
    )
    tsa_urls: tuple[str, ...] = setting(
        (),
        _(
            "time stamp authorities (RFC 3161), separated by commas; each stamps the tree of every "
            "day; without one, evidence is not stamped"
        ),
        is_secret=True,
    )
    tsa_roots: str = setting(
        "",
        _(
            "the authorities' root certificates: one PEM file, or a folder with a `HOST.pem` for each; needed where"
            " there are authorities"
        ),
    )
    allow_private_tsa: bool = setting(
        False, _("`1`: the authorities may have private addresses; other addresses named in their certificates may not")
    )
    keep_years: Annotated[int, Interval(ge=0, le=1000)] = setting(
        0,
        _("removes bundles of closed cases after this many years and logs the removal; `0` keeps all forever"),
        name="evidence_keep_years",
    )
    screenshots: Literal["auto", "off"] = setting(
        "auto", _("`off`: evidence without screenshots and PDFs; `auto`: with them if Chromium is installed")
    )

    @property
    def draws(self) -> bool:
        """True if screenshots and PDFs are made when a browser is installed."""
        return self.screenshots == "auto"


@dataclass(frozen=True, slots=True)
class S3Settings:
    """The S3-compatible store of all `s3://` URLs (extra `s3`)."""

    endpoint_url: types.EndpointUrl = setting(
        "",
        _("`https://…` of the S3-compatible store of all `s3://` URLs"),
        default=_("Amazon's"),
        name="s3_endpoint_url",
    )
    region: str = setting(
        "", _("region of the store's buckets"), default=_("as boto3 finds it, else `us-east-1`"), name="s3_region"
    )
    access_key: str = setting(
        "",
        _("access key ID for the store"),
        default=_("as boto3 finds it"),
        name="s3_access_key",
        is_secret=True,
    )
    secret_key: str = setting(
        "", _("secret access key for the store"), default=_("as boto3 finds it"), name="s3_secret_key", is_secret=True
    )
    addressing: Literal["path", "virtual"] = setting(
        "path",
        _(
            "`path`: the bucket is part of the URL path; `virtual`: it precedes the host, as Aliyun "
            "OSS and Tencent COS require"
        ),
        name="s3_addressing",
    )


@dataclass(frozen=True, slots=True)
class WebSettings:
    secret_key: types.Key = setting(
        "",
        _("signs sessions, and encrypts the sites' passwords in the database"),
        default=_("generated and kept in `secrets.toml`"),
        is_secret=True,
    )
    allowed_hosts: tuple[types.WebName, ...] = setting(
        (
            "127.0.0.1",
            "localhost",
            "[::1]",
        ),
        _("host names served by the admin"),
    )
    trusted_origins: tuple[types.Origin, ...] = setting((), _("`https://…` origins of the admin behind a proxy"))
    time_zone: types.TimeZone = setting("Asia/Shanghai", _("time zone in which times are shown and schedules run"))
    language: Literal["zh-hans", "en"] = setting(
        "zh-hans",
        _(
            "`zh-hans` or `en`: default language of the admin and of reports; if set, also of the "
            "command line, which otherwise follows the terminal"
        ),
    )
    is_https: bool = setting(
        False, _("`1` behind a proxy that ends TLS: secure cookies, redirects, HSTS"), name="https"
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings by section. home: the folder of the embedded services' data, logs, secrets and exported reports."""

    home: Path
    services: ServiceSettings
    crawl: CrawlSettings
    pipeline: PipelineSettings
    web: WebSettings
    discovery: DiscoverySettings = field(default_factory=DiscoverySettings)
    registries: RegistrySettings = field(default_factory=RegistrySettings)
    mail: MailSettings = field(default_factory=MailSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    s3: S3Settings = field(default_factory=S3Settings)

    @property
    def mongo_url(self) -> str:
        """The URL of the page store, which may be the embedded one."""
        return self.services.mongo_url or sockets.mongo_url(self.home)

    @property
    def redis_url(self) -> str:
        """The URL of the Redis for broker and locks, and for the index unless `services.index_url` is set."""
        return self.services.redis_url or sockets.redis_url(self.home)

    @property
    def index_url(self) -> str:
        """The URL of the index. Its scheme distinguishes a single server from a cluster."""
        return self.services.index_url or self.redis_url

    @property
    def sqlite_path(self) -> Path:
        """The file of the admin database if ZHUIWEN_DATABASE_URL is not set."""
        return self.home / "admin.sqlite3"


def default_home() -> Path:
    """Return `var/` in a source checkout, or a folder in the user's home for an installed package."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").exists():
        return checkout / "var"
    return Path.home() / ".local" / "share" / "zhuiwen"
