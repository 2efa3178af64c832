"""墨香阁: a site of pirated novels as there are thousands: catalogue, chapters, some of them on two pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from deploy.demo.composition import Article, Composer, halves
from deploy.demo.drafts import SiteDraft, rendered
from deploy.demo.edits import Edit, Step
from deploy.demo.page_themes import Dress, contents, with_double_breaks, write_list
from deploy.demo.plan import SitePlan

KEY, ENCODING = "moxiang", "utf-8"
DRESS = Dress("pirate.html", "pirate-chapter.html", with_double_breaks, "pirate-list.html")
STYLE = "body{font-family:SimSun}#content{font-size:19px;line-height:2}.ad960{height:60px}\n"
CLOSED_AREA = "/vip/"
MISSING_PAGE = "/book/3071/9005.html"


@dataclass(frozen=True, slots=True)
class Book:
    """A book of the site: its catalogue and its pages in reading order."""

    catalogue: str
    title: str
    pages: tuple[Article, ...]

    @property
    def chapters(self) -> list[Article]:
        """The first page of each."""
        return [page for page in self.pages if not _is_second(page)]


def build(draft: SiteDraft, composer: Composer, rights_holder: str) -> SitePlan:
    """Write the site and give its plan."""
    books = (_river_town(composer), _borrowed_rain(composer), _tales(composer))
    closed = composer.copy(f"{CLOSED_AREA}8001.html", "steelyard", 1)
    _write_lists(draft, composer, books, closed)
    for book in books:
        _write_chapters(draft, book)
    draft.page(closed.plan, _chapter(Book("/", "一杆秤", ()), closed, None, None), is_listed=False)
    draft.file("/style.css", STYLE, "text/css; charset=utf-8")
    draft.robots(CLOSED_AREA, with_sitemap=True)
    draft.sitemap()
    return draft.finished(
        key=KEY,
        name_zh="墨香阁小说网",
        name_en="Moxiang Novels",
        role="pirate",
        rights_holder=rights_holder,
        forbidden_paths=(closed.path,),
        missing_paths=(MISSING_PAGE,),
    )


def _river_town(composer: Composer) -> Book:
    base, key = "/book/3071/", "river-town"
    first = composer.copy(f"{base}9001.html", key, 1)
    fourth = composer.copy(f"{base}9004.html", key, 4, Step(Edit.HIDDEN, 0.05))
    pages = (
        *halves(first, f"{base}9001_2.html"),
        composer.copy(f"{base}9002.html", key, 2, Step(Edit.ADVERTISEMENTS, 0.12)),
        composer.copy(f"{base}9003.html", key, 3, Step(Edit.ZERO_WIDTH, 0.15)),
        *halves(fourth, f"{base}9004_2.html"),
    )
    return Book(base, composer.work(key).title, pages)


def _borrowed_rain(composer: Composer) -> Book:
    base, key = "/book/3188/", "borrowed-rain"
    pages = (
        composer.copy(f"{base}9101.html", key, 1),
        composer.copy(f"{base}9102.html", key, 2, Step(Edit.HOMOPHONES, 0.10)),
        composer.copy(f"{base}9103.html", key, 3, Step(Edit.HOMOPHONES, 0.25)),
        composer.copy(f"{base}9104.html", key, 4, Step(Edit.PINYIN_IN_BRACKETS, 0.08)),
    )
    return Book(base, composer.work(key).title, pages)


def _tales(composer: Composer) -> Book:
    """A book that is nobody's whose rights are watched here."""
    base = "/book/3205/"
    pages = (composer.innocent(f"{base}9201.html", "last-ferry"), composer.innocent(f"{base}9202.html", "wind-buyer"))
    return Book(base, "乡土短篇集", pages)


def _write_lists(draft: SiteDraft, composer: Composer, books: Sequence[Book], closed: Article) -> None:
    catalogues = [(book.catalogue, f"《{book.title}》最新章节") for book in books]
    home = [*catalogues, (closed.path, "【贵宾专享】一杆秤")]
    write_list(draft, DRESS, composer.index("/", "免费小说在线阅读"), "海量小说，每日更新。", home, heading="本站推荐")
    ranking = [(book.chapters[-1].path, book.chapters[-1].title) for book in books]
    write_list(draft, DRESS, composer.index("/top/", "小说排行榜"), "按周点击排列。", ranking, heading="周榜")
    for book, more in zip(books, ([(MISSING_PAGE, "番外 桥")], [], []), strict=True):
        plan = composer.index(book.catalogue, book.title)
        write_list(draft, DRESS, plan, "全文在线阅读", [*contents(book.chapters), *more], heading="正文")


def _write_chapters(draft: SiteDraft, book: Book) -> None:
    pages = book.pages
    for at, page in enumerate(pages):
        previous = _begins_before(pages, at)
        following = pages[at + 1] if at + 1 < len(pages) else None
        markup = _chapter(book, page, previous, following)
        draft.page(page.plan, markup, is_listed=not _is_second(page))  # it is read as a part of the first


def _begins_before(pages: Sequence[Article], at: int) -> Article | None:
    """What "back" leads to: the first page of the same chapter or, from there, of the chapter before."""
    return next((page for page in reversed(pages[:at]) if not _is_second(page)), None)


def _is_second(page: Article) -> bool:
    return page.path.endswith("_2.html")


def _chapter(book: Book, page: Article, previous: Article | None, following: Article | None) -> str:
    main = rendered(
        DRESS.article,
        title=escape(page.title),
        book=escape(book.title),
        catalogue=book.catalogue,
        author=escape(page.author),
        published=page.published,
        body=DRESS.body(page.lines),
        previous=previous.path if previous else book.catalogue,
        previous_label="上一页" if _is_second(page) else "上一章",
        next=following.path if following else book.catalogue,
        next_label="下一页" if following and _is_second(following) else "下一章",
    )
    return DRESS.page(page.title, main)
