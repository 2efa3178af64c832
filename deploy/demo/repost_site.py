"""转文天下: reposted articles on pages that say gb2312 and are GB 18030, text told apart by line breaks only."""

from random import Random

from deploy.demo.composition import Article, Composer
from deploy.demo.drafts import SiteDraft
from deploy.demo.edits import Edit, Step
from deploy.demo.page_themes import Dress, contents, with_breaks, write_articles, write_list
from deploy.demo.plan import SitePlan

KEY, ENCODING, CHARSET = "zhuanwen", "gb18030", "gb2312"
ON_FIRST_LIST = 8
CIRCLE = (("/go/1", "/go/2"), ("/go/2", "/go/3"), ("/go/3", "/go/1"))


def build(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the site and give its plan."""
    dress = Dress("repost.html", "repost-article.html", with_breaks, furniture=_hits)
    articles = [*_copies(composer), *_innocents(composer)]
    first, second = contents(articles[:ON_FIRST_LIST]), contents(articles[ON_FIRST_LIST:])
    write_list(draft, dress, composer.index("/", "美文精选"), "编辑每日推荐", [*first, ("/list_2.html", "下一页")])
    write_list(draft, dress, composer.index("/list_2.html", "往期文章"), "第二页", [*second, ("/", "上一页")])
    write_articles(draft, dress, articles)
    draft.robots()
    return draft.finished(
        key=KEY,
        name_zh="转文天下",
        name_en="Zhuanwen Reposts",
        role="mixed",
        rights_holder=rights_holder,
        redirects=CIRCLE,
    )


def _copies(composer: Composer) -> list[Article]:
    copy = composer.copy
    return [
        copy("/a/2025/1001.html", "steelyard", 1),
        copy("/a/2025/1002.html", "piano", 1, title="搬钢琴的老师傅，一开口全楼都安静了"),
        copy("/a/2025/1003.html", "steelyard", 1, Step(Edit.SPACES, 0.10), Step(Edit.ZERO_WIDTH, 0.05)),
        copy("/a/2025/1004.html", "piano", 1, Step(Edit.HOMOPHONES, 0.10)),
        copy("/a/2025/1005.html", "river-town", 2, Step(Edit.SHUFFLED, 0.60), title="半夜渡船上的自行车"),
        copy("/a/2025/1006.html", "borrowed-rain", 1, Step(Edit.PINYIN_IN_PLACE, 0.05)),
        copy("/a/2025/1007.html", "river-town", 4, Step(Edit.DROPPED, 0.20), title="一盏马灯的故事"),
        copy(
            "/a/2025/1008.html",
            "piano",
            1,
            Step(Edit.HOMOPHONES, 0.08),
            Step(Edit.ADVERTISEMENTS, 0.08),
            Step(Edit.SPACES, 0.05),
        ),
        copy("/a/2025/1009.html", "steelyard", 1, Step(Edit.PINYIN_IN_BRACKETS, 0.06), title="爷爷的秤"),
    ]


def _innocents(composer: Composer) -> list[Article]:
    """Nothing of the watching holder's; the first two carry reports of the other one."""
    return [
        composer.copy("/a/2025/1010.html", "market", 1),
        composer.copy("/a/2025/1011.html", "stone-bridges", 1, title="七座古桥该怎么修"),
        composer.innocent("/a/2025/1012.html", "recipe"),
        composer.innocent("/a/2025/1013.html", "book-market"),
        composer.innocent("/a/2025/1014.html", "closed-lane"),
    ]


def _hits(article: Article) -> dict[str, str]:
    return {"hits": str(Random(article.path).randint(200, 90_000))}  # noqa: S311 - a counter for show
