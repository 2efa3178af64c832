"""每日快闻: a news aggregator, watched by the newspaper; one of its pages declares an encoding that it is not in."""

from dataclasses import replace

from deploy.demo.composition import Article, Composer
from deploy.demo.drafts import SiteDraft
from deploy.demo.edits import Edit, Step
from deploy.demo.page_themes import Dress, contents, in_paragraphs, write_articles, write_list
from deploy.demo.plan import SitePlan, WorkRef

KEY, ENCODING = "kuaiwen", "utf-8"
ENCODING_OF_THE_LIAR = "gb18030"


def build(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the site and give its plan."""
    dress = Dress("news.html", "news-article.html", in_paragraphs)
    articles = [*_copies(composer), *_innocents(composer)]
    write_list(draft, dress, composer.index("/", "今日要闻"), "为您聚合", contents(articles))
    write_articles(draft, dress, articles)
    draft.robots(with_sitemap=True)
    draft.sitemap()
    return draft.finished(
        key=KEY, name_zh="每日快闻", name_en="Kuaiwen Daily", role="mixed", rights_holder=rights_holder
    )


def _copies(composer: Composer) -> list[Article]:
    copy = composer.copy
    two_reports = (WorkRef("bridge-cables", 1), WorkRef("market", 1))
    lie = copy("/news/20250.html", "market", 1, title="一夜搬空三百多个摊位")
    return [
        copy("/news/20241.html", "market", 1),
        copy("/news/20242.html", "bridge-cables", 1, Step(Edit.ADVERTISEMENTS, 0.12)),
        copy("/news/20243.html", "observatory", 1, Step(Edit.DROPPED, 0.20), title="粮仓顶上看星星"),
        copy("/news/20244.html", "stone-bridges", 1, Step(Edit.SHUFFLED, 0.60)),
        copy("/news/20245.html", "observatory", 1, Step(Edit.HIDDEN, 0.05)),
        copy("/news/20246.html", "bridge-cables", 1, Step(Edit.ZERO_WIDTH, 0.15), title="大桥上的夜班工人"),
        copy("/news/20247.html", "stone-bridges", 1, Step(Edit.HOMOPHONES, 0.25)),
        composer.patchwork("/news/20248.html", "这座城市的两个夜晚", "快闻编辑", two_reports, 0.50),
        replace(lie, plan=replace(lie.plan, encoding=ENCODING_OF_THE_LIAR)),
    ]


def _innocents(composer: Composer) -> list[Article]:
    keys = ("market-evening", "weather", "bridge-walk", "closed-lane")
    return [composer.innocent(f"/news/{number}.html", key) for number, key in enumerate(keys, 20261)]
