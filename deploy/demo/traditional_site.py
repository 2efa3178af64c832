"""翰墨書坊: copies in traditional characters on Big5 pages; what Big5 lacks stands as numeric references."""

from deploy.demo.composition import Article, Composer
from deploy.demo.drafts import SiteDraft
from deploy.demo.edits import Edit, Step
from deploy.demo.page_themes import Dress, Lines, contents, in_paragraphs, write_articles, write_list
from deploy.demo.plan import SitePlan
from deploy.demo.substitution import in_traditional

KEY, ENCODING = "hanmo", "big5"
CORNER_QUOTES = str.maketrans("“”‘’", "「」『』")
S2T, S2TW = Step(Edit.TRADITIONAL), Step(Edit.TRADITIONAL_TAIWAN)


def build(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the site and give its plan."""
    dress = Dress("big5.html", "big5-article.html", _body, translate=in_traditional)
    articles = [*_copies(composer), *_innocents(composer)]
    write_list(draft, dress, composer.index("/", "本站首页"), "请点选文章", contents(articles))
    write_articles(draft, dress, articles)
    draft.robots()
    return draft.finished(
        key=KEY, name_zh="翰墨書坊", name_en="Hanmo Library", role="pirate", rights_holder=rights_holder
    )


def _copies(composer: Composer) -> list[Article]:
    copy = composer.copy
    return [
        copy("/novel/r1.html", "river-town", 1, S2T),
        copy("/novel/r3.html", "river-town", 3, S2TW),
        copy("/novel/b2.html", "borrowed-rain", 2, S2T),
        copy("/novel/b3.html", "borrowed-rain", 3, Step(Edit.ADVERTISEMENTS, 0.10), S2T),
        copy("/novel/b4.html", "borrowed-rain", 4, Step(Edit.EXCERPT, 0.35), S2TW),
        copy("/prose/piano.html", "piano", 1, S2TW),
        copy("/prose/steelyard.html", "steelyard", 1, Step(Edit.HOMOPHONES, 0.10), S2T),
    ]


def _innocents(composer: Composer) -> list[Article]:
    return [
        composer.innocent("/prose/wind.html", "wind-buyer", S2T),
        composer.innocent("/prose/ferry.html", "last-ferry", S2TW),
        composer.innocent("/life/soup.html", "recipe", S2T),
    ]


def _body(lines: Lines) -> str:
    return in_paragraphs(lines).translate(CORNER_QUOTES)
