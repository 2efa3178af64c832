"""书海通行, which publishes under a licence, and 青梧文学, which owns what it publishes."""

from deploy.demo.composition import Article, Composer
from deploy.demo.drafts import SiteDraft
from deploy.demo.page_themes import Dress, contents, in_paragraphs, write_articles, write_list
from deploy.demo.plan import PageVerdict, SitePlan

PORTAL_KEY, PRESS_KEY, ENCODING = "shuhai", "qingwu", "utf-8"
LICENSED_WORKS = ("river-town", "steelyard")
CHAPTERS = (1, 2, 3, 4)


def build_portal(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the licensed portal; one chapter of a work that the licence does not name stands there too."""
    dress = Dress("portal.html", "portal-article.html", in_paragraphs)
    lawful = composer.lawful
    articles = [
        *(lawful(f"/read/dukou-{number}", "river-town", number, PageVerdict.LICENSED) for number in CHAPTERS),
        lawful("/read/yigancheng", "steelyard", 1, PageVerdict.LICENSED),
        composer.copy("/read/jielaideyu-1", "borrowed-rain", 1),
    ]
    write_list(draft, dress, composer.index("/", "书架"), "正版图书，随身阅读。", contents(articles))
    write_articles(draft, dress, articles)
    draft.robots()
    return draft.finished(
        key=PORTAL_KEY,
        name_zh="书海通行",
        name_en="Shuhai Reading",
        role="licensed",
        rights_holder=rights_holder,
        licensed_works=LICENSED_WORKS,
    )


def build_press(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the rights holder's own site."""
    dress = Dress("press.html", "press-article.html", in_paragraphs)
    articles = [
        *_serial(composer, "river-town", "/dukou/"),
        *_serial(composer, "borrowed-rain", "/yu/"),
        composer.lawful("/prose/1", "steelyard", 1, PageVerdict.OWN),
        composer.lawful("/prose/2", "piano", 1, PageVerdict.OWN),
    ]
    write_list(draft, dress, composer.index("/", "目录"), "全部作品均由作者授权首发。", contents(articles))
    write_articles(draft, dress, articles)
    draft.robots()
    return draft.finished(
        key=PRESS_KEY, name_zh="青梧文学", name_en="Qingwu Literature", role="own", rights_holder=rights_holder
    )


def _serial(composer: Composer, key: str, base: str) -> list[Article]:
    return [composer.lawful(f"{base}{number}", key, number, PageVerdict.OWN) for number in CHAPTERS]
