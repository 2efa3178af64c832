"""槐树下: a forum where most of what is posted is people's own, and some of it is not."""

from random import Random

from deploy.demo.composition import Article, Composer
from deploy.demo.drafts import SiteDraft
from deploy.demo.edits import Edit, Step
from deploy.demo.page_themes import Dress, contents, in_paragraphs, write_articles, write_list
from deploy.demo.plan import SitePlan, WorkRef

KEY, ENCODING = "huaishu", "utf-8"
OVERSIZED = "/attach/dump.html"
REPLIES = (
    ("路过一只猫", "先占个座，晚上回来细看。"),
    ("芦花荡", "写得真好，楼主多发一点。"),
    ("骑慢车的人", "想起我老家也有这么一处，可惜没拍照片。"),
    ("铁皮水桶", "排版有点乱，手机上看着费劲。"),
    ("老农二号", "谢谢分享，已转给家里人。"),
)


def build(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the site and give its plan."""
    dress = Dress("forum.html", "forum-thread.html", in_paragraphs, furniture=_reply)
    threads = [*_conversation(composer), *_excerpts(composer), *_copies(composer)]
    write_list(draft, dress, composer.index("/", "全部主题"), "闲谈、读书、走路、做饭", contents(threads))
    write_articles(draft, dress, threads)
    draft.robots()
    return draft.finished(
        key=KEY,
        name_zh="槐树下论坛",
        name_en="Under the Locust Tree",
        role="mixed",
        rights_holder=rights_holder,
        oversized_paths=(OVERSIZED,),
    )


def _conversation(composer: Composer) -> list[Article]:
    keys = ("review-ferry", "review-steelyard", "thread-rain", "last-ferry", "wind-buyer", "bridge-walk")
    return [composer.innocent(f"/thread/{number}", key) for number, key in enumerate(keys, 501)]


def _excerpts(composer: Composer) -> list[Article]:
    """Three posts with an excerpt of the watching holder's, and one with the other holder's."""
    return [
        composer.excerpted("/thread/511", "carrier-ferry", "river-town", 3, 0.30),
        composer.excerpted("/thread/512", "carrier-rain", "borrowed-rain", 1, 0.30),
        composer.excerpted("/thread/513", "carrier-moving", "piano", 1, 0.25),
        composer.excerpted("/thread/514", "carrier-bridges", "stone-bridges", 1, 0.50),
    ]


def _copies(composer: Composer) -> list[Article]:
    copy, shuffled = composer.copy, Step(Edit.SHUFFLED, 0.60)
    novels = (WorkRef("river-town", 2), WorkRef("borrowed-rain", 2))
    prose = (WorkRef("steelyard", 1), WorkRef("piano", 1))
    return [
        composer.patchwork("/thread/521", "原创短篇：夜班的人", "槐花饭", novels, 0.50),
        composer.patchwork("/thread/522", "随笔两则，手痒写的", "槐花饭", prose, 0.50),
        copy("/thread/523", "borrowed-rain", 4, shuffled, title="原创：对数"),
        copy("/thread/524", "piano", 1, Step(Edit.PINYIN_IN_PLACE, 0.06), title="转一个搬琴的故事"),
        copy("/thread/525", "river-town", 3, shuffled, Step(Edit.HOMOPHONES, 0.08), Step(Edit.HIDDEN, 0.04)),
        copy("/thread/526", "river-town", 2, Step(Edit.SPACES, 0.12), title="这个悬疑开头不错"),
    ]


def _reply(article: Article) -> dict[str, str]:
    replier, reply = Random(article.path).choice(REPLIES)  # noqa: S311 - talk
    return {"replier": replier, "reply": reply}
