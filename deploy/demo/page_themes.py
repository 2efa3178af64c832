"""How a site looks: its templates, and how it sets paragraphs; articles go in, pages come out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from deploy.demo.composition import Article
from deploy.demo.drafts import SiteDraft, rendered
from deploy.demo.plan import PagePlan

Lines = Sequence[str]


@dataclass(frozen=True, slots=True)
class Dress:
    """The templates of one site. `furniture`: what its article template shows besides the article itself."""

    shell: str
    article: str
    body: Callable[[Lines], str]
    listing: str = "list.html"
    translate: Callable[[str], str] = field(default=str)
    furniture: Callable[[Article], dict[str, str]] = field(default=lambda _article: {})

    def page(self, title: str, main: str) -> str:
        """A whole page around `main`."""
        return rendered(self.shell, title=escape(self.translate(title)), main=main)

    def article_page(self, article: Article, previous: Article | None, following: Article | None) -> str:
        main = rendered(
            self.article,
            title=escape(self.translate(article.title)),
            author=escape(self.translate(article.author)),
            published=article.published,
            body=self.body(article.lines),
            **self._neighbour("previous", previous),
            **self._neighbour("next", following),
            **self.furniture(article),
        )
        return self.page(article.title, main)

    def list_page(self, title: str, note: str, links: Sequence[tuple[str, str]], *, heading: str = "") -> str:
        """A page of links; each a path and the words that lead there."""
        tag = "dd" if heading else "li"
        items = "\n".join(f"<{tag}>{anchor(path, self.translate(words))}</{tag}>" for path, words in links)
        main = rendered(
            self.listing,
            title=escape(self.translate(title)),
            note=escape(self.translate(note)),
            heading=escape(heading),
            links=items,
        )
        return self.page(title, main)

    def _neighbour(self, role: str, article: Article | None) -> dict[str, str]:
        path, title = (article.path, self.translate(article.title)) if article else ("/", self.translate("首页"))
        return {role: path, f"{role}_title": escape(title)}


def write_articles(draft: SiteDraft, dress: Dress, articles: Sequence[Article]) -> None:
    """Write a page for each article, linked to its neighbours."""
    for previous, article, following in with_neighbours(articles):
        draft.page(article.plan, dress.article_page(article, previous, following))


def write_list(
    draft: SiteDraft, dress: Dress, plan: PagePlan, note: str, links: Sequence[tuple[str, str]], *, heading: str = ""
) -> None:
    """Write a page of links."""
    draft.page(plan, dress.list_page(plan.title, note, links, heading=heading))


def with_neighbours(articles: Sequence[Article]) -> Iterator[tuple[Article | None, Article, Article | None]]:
    """Each article between the one before and the one after it."""
    return zip([None, *articles[:-1]], articles, [*articles[1:], None], strict=True)


def anchor(path: str, words: str) -> str:
    return f'<a href="{escape(path)}">{escape(words)}</a>'


def contents(articles: Sequence[Article]) -> list[tuple[str, str]]:
    """The links that lead to the articles."""
    return [(article.path, article.title) for article in articles]


def in_paragraphs(lines: Lines) -> str:
    return "\n".join(f"<p>{line}</p>" for line in lines)


def with_breaks(lines: Lines) -> str:
    """One element, paragraphs told by line breaks and indented with ideographic spaces."""
    return "<br>\n".join(f"\u3000\u3000{line}" for line in lines)


def with_double_breaks(lines: Lines) -> str:
    """One element, an empty line after each paragraph, indented with hard spaces."""
    return "<br /><br />\n".join(f"&nbsp;&nbsp;&nbsp;&nbsp;{line}" for line in lines)
