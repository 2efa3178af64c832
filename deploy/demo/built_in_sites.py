"""The demo's seven sites, written into a folder from the works and a seed."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deploy.demo import forum_site, news_site, pirate_site, plan, publisher_sites, repost_site, traditional_site
from deploy.demo.composition import Composer
from deploy.demo.drafts import SiteDraft
from deploy.demo.library import load_library
from deploy.demo.plan import DemoPlan, SitePlan

DEFAULT_SEED = 20260101
SITES_FOLDER = "sites"
PUBLISHER, NEWSPAPER = "青梧文学", "澄江日报"

Build = Callable[[SiteDraft, Composer, str], SitePlan]


@dataclass(frozen=True, slots=True)
class _Order:
    """A site to be built, and who watches it."""

    key: str
    encoding: str
    charset: str
    rights_holder: str
    build: Build


ORDERS = (
    _Order(pirate_site.KEY, pirate_site.ENCODING, "utf-8", PUBLISHER, pirate_site.build),
    _Order(repost_site.KEY, repost_site.ENCODING, repost_site.CHARSET, PUBLISHER, repost_site.build),
    _Order(traditional_site.KEY, traditional_site.ENCODING, "big5", PUBLISHER, traditional_site.build),
    _Order(forum_site.KEY, forum_site.ENCODING, "utf-8", PUBLISHER, forum_site.build),
    _Order(news_site.KEY, news_site.ENCODING, "utf-8", NEWSPAPER, news_site.build),
    _Order(publisher_sites.PORTAL_KEY, publisher_sites.ENCODING, "utf-8", PUBLISHER, publisher_sites.build_portal),
    _Order(publisher_sites.PRESS_KEY, publisher_sites.ENCODING, "utf-8", PUBLISHER, publisher_sites.build_press),
)


def generate(folder: Path, seed: int = DEFAULT_SEED) -> DemoPlan:
    """Write every site below `folder`/sites and the plan as `folder`/expected.json.

    The same seed gives the same bytes. What an earlier run wrote is replaced at one stroke when all is written, so that
    a server of these files goes on serving.
    """
    library = load_library()
    building = folder / f"{SITES_FOLDER}.new"
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    sites = []
    for order in ORDERS:
        draft = SiteDraft(building / order.key, order.encoding, order.charset)
        composer = Composer(library, order.key, order.rights_holder, order.encoding, seed)
        sites.append(order.build(draft, composer, order.rights_holder))
    _put_in_place(building, folder / SITES_FOLDER)
    made = DemoPlan(seed, tuple(sites))
    plan.save(made, folder)
    return made


def _put_in_place(new: Path, place: Path) -> None:
    old = place.with_suffix(".old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)
