"""Pages of our own in the layouts that Chinese sites are made of, each with what stands on it.

The texts are the demo's. What surrounds them follows real sites' habits and none of their words: portals with lists
beside and below the text, forums, novel sites that set advertisements between paragraphs, government tables, old
table layouts, applications whose boxes have no names, list pages without a text.
"""

# ruff: noqa: E501 - markup as pages have it

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from deploy.demo.library import load_library
from deploy.demo.substitution import in_traditional

HOME = "http://site.example/"


@dataclass(frozen=True, slots=True)
class Layout:
    """One page. text: "" where the page has none; encoding: of the bytes; published: YYYY-MM-DD or ""."""

    name: str
    markup: str
    text: str
    title: str = ""
    author: str = ""
    published: str = ""
    chapter_number: int | None = None
    encoding: str = "utf-8"

    @property
    def body(self) -> bytes:
        return self.markup.encode(self.encoding, "xmlcharrefreplace")


_LIBRARY = load_library()
_TITLES = [text.title for text in _LIBRARY.others.values()]
_TITLES += [chapter.title for work in _LIBRARY.works.values() for chapter in work.chapters]


def layouts() -> list[Layout]:
    """All pages, each made anew."""
    return [*_news(), *_official(), *_novels(), *_forums(), *_personal(), *_applications(), *_lists()]


def other(key: str) -> list[str]:
    """The paragraphs of one of the demo's short texts."""
    return [line for line in _LIBRARY.others[key].text.split("\n") if line.strip()]


def chapter(work: str, number: int) -> tuple[str, list[str]]:
    """Title and paragraphs of a chapter of one of the demo's works."""
    found = _LIBRARY.works[work].chapter(number)
    lines = [line for line in found.text.split("\n") if line.strip()]
    return found.title, [line for line in lines if not line.startswith("本报记者")]


def paragraphs(lines: list[str], attributes: str = "") -> str:
    return "\n".join(f"<p{attributes}>{line}</p>" for line in lines)


def _head(title: str, more: str = "", charset: str = "utf-8") -> str:
    return f'<!DOCTYPE html><html><head><meta charset="{charset}"><title>{title}</title>{more}</head>'


def _links(first: int, number: int, wrap: str = "<li>{}</li>") -> str:
    """Links that carry the titles of other texts, as lists of recommended articles do."""
    titles = [_TITLES[(first + step) % len(_TITLES)] for step in range(number)]
    return "".join(wrap.format(f'<a href="/{first + step}.html">{title}</a>') for step, title in enumerate(titles))


_MENU = "".join(
    f'<a href="/{n}/">{w}</a>' for n, w in enumerate(("首页", "新闻", "财经", "体育", "娱乐", "读书", "房产", "汽车"))
)
_NEWS_FOOT = (
    "<div class='f'><p>关于我们 | 联系我们 | 广告服务 | 招聘信息</p><p>澄江网版权所有 未经书面授权不得转载或建立镜像</p>"
    "<p>增值电信业务经营许可证：澄B2-20260001 信息网络传播视听节目许可证 0100001 号 举报电话：0800-000000</p></div>"
)


def _news() -> Iterator[Layout]:
    lines = other("last-ferry")
    yield Layout(
        "portal with two side columns, more news and comments below",
        _head("末班摆渡_澄江新闻_澄江网", '<meta name="author" content="沈知微">')
        + f"<body><div class='top'>{_MENU}</div><div class='l'><ul>{_links(0, 12)}</ul></div>"
        f"<div class='m'><h1>末班摆渡</h1><div class='i'>2026-03-04 08:12 来源：澄江晚报</div>"
        f"<div class='t'>{paragraphs(lines)}<p>（编辑：许闻）</p></div>"
        f"<div><h3>网友评论</h3><div class='comment-list'><p>写得真好，我外公以前也是摆渡的，看得想哭。</p>"
        f"<p>那条船现在还在吗？有机会想去看看，谢谢小编。</p></div></div><h3>更多新闻</h3><ul>{_links(4, 10)}</ul></div>"
        f"<div class='r'><h3>热点</h3><ul>{_links(8, 10)}</ul></div>{_NEWS_FOOT}</body></html>",
        "\n".join(lines),
        "末班摆渡",
        "沈知微",
        "2026-03-04",
    )
    lines = other("recipe")
    yield Layout(
        "news whose side list has summaries of several sentences",
        _head("雪菜豆腐的做法 - 澄江生活网")
        + f"<body>{_MENU}<div id='c1'><h1>雪菜豆腐的做法</h1><p class='src'>澄江生活 2026年1月5日 文/周小满</p>"
        f"{paragraphs(lines)}</div><div id='c2'>"
        + "".join(
            f"<dl><dt><a href='/{n}'>{_TITLES[n]}</a></dt><dd>{other('weather')[0][:46]}……<a href='/{n}'>详细</a></dd></dl>"
            for n in range(6)
        )
        + f"</div>{_NEWS_FOOT}</body></html>",
        "\n".join(lines),
        "雪菜豆腐的做法",
        "周小满",
        "2026-01-05",
    )
    lines = other("weather")
    yield Layout(
        "old portal of nested tables in GB2312, text parted by br",
        "<html><head><meta http-equiv='Content-Type' content='text/html; charset=gb2312'><title>澄江天气_澄江在线"
        f"</title></head><body><table width=760><tr><td>{_MENU}</td></tr></table><table width=760><tr>"
        f"<td width=180><table><tr><td>{_links(3, 14, '·{}<br>')}</td></tr></table></td><td><table><tr><td align=center>"
        "<font size=4><b>澄江天气</b></font></td></tr><tr><td align=center>http://www.chengjiang.example  2003年11月08日"
        "09:31  澄江日报</td></tr><tr><td class=zw><font id=zoom>"
        + "<br><br>".join(f"　　{line}" for line in lines)
        + f"</font></td></tr><tr><td><b>相关链接：</b><br>{_links(9, 6, '·{}(2003-11-07 10:20)<br>')}</td></tr></table></td>"
        "</tr></table><table><tr><td align=center>Copyright 2003 澄江在线 版权所有</td></tr></table></body></html>",
        "\n".join(lines),
        "澄江天气",
        "",
        "2003-11-08",
        encoding="gb2312",
    )
    lines = other("market-evening")
    yield Layout(
        "news with pictures, captions and a box of related news inside the text",
        _head("老码头菜场换了地方|菜场|搬家_江城新闻", "<meta property='og:title' content='老码头菜场换了地方'>")
        + f"<body><nav>{_MENU}</nav><article><h1>老码头菜场换了地方</h1><div><span>2026-02-18 07:00:00</span><span>江城报</span>"
        f"</div><figure><img src=a.jpg></figure><p>{lines[0]}</p><div class='relate-box'><h4>相关阅读</h4><ul>{_links(1, 4)}"
        f"</ul></div>{paragraphs(lines[1:])}<p><a href='/app'>打开江城新闻客户端，查看更多精彩内容</a></p></article>"
        f"<aside><ul>{_links(2, 16)}</ul></aside>{_NEWS_FOOT}</body></html>",
        "\n".join(lines),
        "老码头菜场换了地方",
        "",
        "2026-02-18",
    )
    lines = other("bridge-walk")
    yield Layout(
        "photo story: short paragraphs, each under its picture",
        _head("周末去云溪，看了五座半桥 - 图片频道 - 澄江网")
        + f"<body><div class=h>{_MENU}</div><h1>周末去云溪，看了五座半桥</h1><div class=info>图片来源：作者供图　2025-10-12</div>"
        "<div class=pics>"
        + "".join(f"<div class=pic><img src={n}.jpg><div class=txt>{line}</div></div>" for n, line in enumerate(lines))
        + f"</div><div class=more><h2>推荐图集</h2>{_links(0, 8, '<div><img src=x.jpg>{}</div>')}</div>{_NEWS_FOOT}",
        "\n".join(lines),
        "周末去云溪，看了五座半桥",
        "",
        "2025-10-12",
    )
    title, lines = chapter("stone-bridges", 1)
    yield Layout(
        "traditional newspaper with the heading outside the article",
        _head(f"{in_traditional(title)} - 生活 - 翰墨日報", "<meta property='og:site_name' content='翰墨日報'>")
        + f"<body><header><h2><a href='/'>翰墨日報</a></h2></header><h1>{in_traditional(title)}</h1>"
        "<div class='story__bar'>2024/05/06 04:10　記者 林以寧／澄江報導</div><section>"
        + in_traditional(paragraphs(lines))
        + "</section><div class='ad'>不用抽 不用搶 現在用APP看新聞 保證天天中獎 點我下載APP 按我看活動辦法</div>"
        f"<div><h3>延伸閱讀</h3><ul>{in_traditional(_links(5, 8))}</ul></div><footer>翰墨日報 著作權所有</footer></body></html>",
        in_traditional("\n".join(lines)),
        in_traditional(title),
        "林以寧",
        "2024-05-06",
    )
    lines = other("last-ferry")[:2]
    yield Layout(
        "short notice under a long menu with descriptions",
        _head("停航通知--澄江渡口管理处")
        + "<body><div class=menu>"
        + "".join(f"<li><a href='/{n}'>{t}</a><p>{t}，内容丰富，欢迎查看。</p></li>" for n, t in enumerate(_TITLES[:9]))
        + f"</div><div class=box><div class=tt>停航通知</div>{paragraphs(lines)}<p style='text-align:right'>澄江渡口管理处</p>"
        "<p style='text-align:right'>2026年4月1日</p></div></body></html>",
        "\n".join([*lines, "澄江渡口管理处", "2026年4月1日"]),
        "停航通知",
        "",
        "2026-04-01",
    )


def _official() -> Iterator[Layout]:
    title, lines = chapter("market", 1)
    yield Layout(
        "government page with a table of particulars above the text",
        _head(f"{title}-澄江市人民政府", "<meta name='PubDate' content='2026-05-20 16:40'>")
        + f"<body><div class='nav'>{_MENU}</div><div class='pos'>当前位置：<a href='/'>首页</a> &gt; <a href='/z'>政务公开</a></div>"
        "<table class='xxgk'><tr><td>索引号</td><td>000014349/2026-00087</td><td>主题分类</td><td>城乡建设</td></tr>"
        "<tr><td>发文机关</td><td>澄江市人民政府</td><td>成文日期</td><td>2026年05月18日</td></tr></table>"
        f"<div class='title'>{title}</div><div id='UCAP-CONTENT'>{paragraphs(lines)}</div>"
        "<div class='tools'>【字体：<a>大</a> <a>中</a> <a>小</a>】<a>打印本页</a> <a>关闭窗口</a></div>"
        "<div class='foot'>主办：澄江市人民政府办公室 网站标识码：0000000001 澄公网安备 00000000000001号</div></body></html>",
        "\n".join(lines),
        title,
        "葛明远",
        "2026-05-20",
    )
    lines = other("market-evening")
    rows = [
        ("东区", "水产、豆制品", "一百二十个"),
        ("西区", "蔬菜、干货", "八十六个"),
        ("南区", "早点、杂货", "四十个"),
    ]
    table = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    yield Layout(
        "notice with a table inside the text",
        _head("关于老码头菜场搬迁的通告 - 澄江市市场管理局")
        + f"<body><div>{_MENU}</div><div class='article'><h1>关于老码头菜场搬迁的通告</h1><div>发布时间：2026-06-01　来源：市场管理局</div>"
        f"<div class='con'>{paragraphs(lines[:2])}<table>{table}</table>{paragraphs(lines[2:])}</div></div></body></html>",
        "\n".join([*lines[:2], *(cell for row in rows for cell in row), *lines[2:]]),
        "关于老码头菜场搬迁的通告",
        "",
        "2026-06-01",
    )
    title, lines = chapter("observatory", 1)
    yield Layout(
        "school page without a single class name, everything in tables",
        f"<html><head><title>{title}</title></head><body><table><tr><td>{_MENU}</td></tr><tr><td><table><tr><td>"
        f"{_links(2, 8, '{}<br>')}</td><td><p align=center>{title}</p><p align=center>作者：马老师 点击数：1204 更新时间：2009-9-10</p>"
        + "".join(f"<p>&nbsp;&nbsp;&nbsp; {line}</p>" for line in lines)
        + "<p align=right>上一篇：没有了 下一篇：没有了</p></td></tr></table></td></tr></table></body></html>",
        "\n".join(lines),
        title,
        "马老师",
        "2009-09-10",
        encoding="gb18030",
    )


_NOVEL_ADS = (
    "一秒记住【小书站】www.site.example，精彩小说无弹窗免费阅读！",
    "本站网址：www.site.example，手机用户请访问 m.site.example",
    "天才一秒记住本站地址：site.example 最快更新！无广告！",
)


def _novel(
    name: str, body: str, number: int, work: str = "river-town", encoding: str = "utf-8", dress: str = "plain"
) -> Layout:
    title, lines = chapter(work, number)
    book = _LIBRARY.works[work]
    turn = "<div><a href='1.html'>上一章</a> ← <a href='./'>章节目录</a> → <a href='3.html'>下一章</a> <a>加入书签</a></div>"
    shown = {
        "plain": f"<h1>{title}</h1>{turn}{body}{turn}",
        "book above": f"<h1><a href='./'>{book.title}</a></h1><h2>{title}</h2><div>作者：{book.author}</div>{turn}{body}{turn}",
        "table": f"<table><tr><td><b>{title}</b></td></tr><tr><td>{turn}</td></tr><tr><td>{body}</td></tr></table>",
    }[dress]
    return Layout(
        name,
        _head(f"{title}_{book.title}_小书站", f"<meta property='og:novel:author' content='{book.author}'>")
        + f"<body><div class='head'><h3><a href='/'>小书站</a></h3>{_MENU}</div><div class='w'>{shown}</div>"
        f"<div class='ft'><p>小说{book.title}所有内容均来自互联网或网友上传，小书站只为原作者{book.author}的小说进行宣传。欢迎各位书友支持"
        f"{book.author}并收藏{book.title}最新章节。</p></div></body></html>",
        "\n".join(lines),
        title,
        book.author,
        "",
        number,
        encoding,
    )


def _novels() -> Iterator[Layout]:
    _, lines = chapter("river-town", 1)
    spaced = "<br /><br />".join(f"&nbsp;&nbsp;&nbsp;&nbsp;{line}" for line in lines)
    yield _novel("chapter parted by br with an indent of nbsp", f"<div id='content'>{spaced}</div>", 1)
    _, lines = chapter("river-town", 2)
    yield _novel(
        "chapter in paragraphs, book above the chapter", f"<div>{paragraphs(lines)}</div>", 2, dress="book above"
    )
    _, lines = chapter("river-town", 3)
    with_ads = [line for n, text in enumerate(lines) for line in (text, *_ad(n))]
    boxes = "".join(line if line.startswith("<") else f"<p>{line}</p>" for line in with_ads)
    yield _novel("chapter with boxes of advertisements between paragraphs", f"<div class='nr'>{boxes}</div>", 3)
    _, lines = chapter("river-town", 4)
    yield _novel("chapter of bare divs", "".join(f"<div>{line}</div>" for line in lines), 4)
    _, lines = chapter("borrowed-rain", 1)
    halves = (
        f"<div class='part'>{paragraphs(lines[:6])}</div><div class='gg'><a href='/vip'>充值优惠，首充送书券</a></div>"
    )
    yield _novel(
        "chapter in two boxes around an advertisement",
        f"{halves}<div class='part'>{paragraphs(lines[6:])}</div>",
        1,
        "borrowed-rain",
    )
    _, lines = chapter("borrowed-rain", 2)
    marked = "".join(
        f"<section data-p='{n}'><span>{line}</span><i class='n'>{n % 7}</i></section>" for n, line in enumerate(lines)
    )
    layout = _novel("chapter whose paragraphs carry counters of remarks", f"<main>{marked}</main>", 2, "borrowed-rain")
    yield Layout(
        layout.name, layout.markup.replace("<i class='n'>0</i>", ""), layout.text, layout.title, layout.author, "", 2
    )
    _, lines = chapter("borrowed-rain", 3)
    joined = "\r\n".join(f"　　{line}" for line in lines)
    yield _novel("chapter in one pre element, GBK", f"<pre>{joined}</pre>", 3, "borrowed-rain", "gbk", "table")
    _, lines = chapter("borrowed-rain", 4)
    yield _novel(
        "chapter in an article of custom elements",
        f"<x-reader><x-page>{paragraphs(lines)}</x-page></x-reader>",
        4,
        "borrowed-rain",
    )


def _ad(number: int) -> tuple[str, ...]:
    return (f"<div class='a{number}'><a href='/ad'>{_NOVEL_ADS[0]}</a></div>",) if number % 4 == 3 else ()


def _forums() -> Iterator[Layout]:
    lines = other("thread-rain")
    answers = [
        "我也看到过这本，后半本改得面目全非，气死人。",
        "楼主说的是哪一家？我去看看，顺便也问问作者知不知道。",
        "同意楼上，这种事情不能不管，支持作者。",
    ]
    posts = [("雨巷", lines), *((f"网友{n}", [text]) for n, text in enumerate(answers))]
    body = "".join(
        f"<table class='post'><tr><td class='who'>{who}<br>等级：会员<br>帖子：12</td><td class='what'><div class='d'>发表于 2026-1-{n + 2} 10:0{n}</div>"
        f"<div class='message'>{'<br>'.join(texts)}</div><div class='sign'><a>回复</a> <a>举报</a> <a>支持</a></div></td></tr></table>"
        for n, (who, texts) in enumerate(posts)
    )
    yield Layout(
        "forum thread in tables: the posts are the text",
        _head("有人看过《借来的雨》吗 - 读书闲谈 - 澄江社区")
        + f"<body><div>{_MENU}</div><h1>有人看过《借来的雨》吗</h1>{body}</body></html>",
        "\n".join(line for _, texts in posts for line in texts),
        "有人看过《借来的雨》吗",
        "",
        "2026-01-02",
    )
    lines = other("wind-buyer")
    answer = f"<div class='RichText'>{paragraphs(lines)}</div>"
    yield Layout(
        "question and one long answer",
        _head("有哪些让你难忘的民间故事？ - 问吧")
        + f"<body><header>{_MENU}</header><div class='q'><h1>有哪些让你难忘的民间故事？</h1></div><div class='a'><div><span>作者：言川</span></div>{answer}"
        "<div><button>赞同 128</button><a>12 条评论</a><a>分享</a><a>收藏</a></div></div>"
        f"<div class='side'><div>相关问题</div>{_links(3, 6, '<div>{} <span>23 个回答</span></div>')}</div></body></html>",
        "\n".join(lines),
        "有哪些让你难忘的民间故事？",
        "言川",
    )


def _personal() -> Iterator[Layout]:
    lines = other("bridge-walk")
    comments = "".join(
        f"<li class='comment'><cite>访客{n}</cite><p>{text}</p></li>" for n, text in enumerate(other("review-ferry"))
    )
    yield Layout(
        "blog whose comments are longer than half of its text",
        _head("看桥记 | 言川的博客", "<meta name='author' content='言川'>")
        + f"<body><div id='sidebar'><h3>最近文章</h3><ul>{_links(0, 8)}</ul></div><div id='main'><article class='post'><h1>看桥记</h1><time datetime='2025-11-03T20:10:00+08:00'>"
        f"2025年11月3日</time><div class='entry'>{paragraphs(lines)}</div></article><section id='comments'><h3>{len(lines)} 条评论</h3><ol class='commentlist'>{comments}</ol></section></div></body></html>",
        "\n".join(lines),
        "看桥记",
        "言川",
        "2025-11-03",
    )
    lines = other("recipe")
    steps = "".join(f"<li>{line}</li>" for line in lines)
    yield Layout(
        "recipe whose steps are a list",
        _head("雪菜豆腐 - 家常菜")
        + f"<body>{_MENU}<h1>雪菜豆腐</h1><div class='recipe'><ol>{steps}</ol></div><ul class='hot'>{_links(1, 9)}</ul></body></html>",
        "\n".join(lines),
        "雪菜豆腐",
    )
    lines = other("review-steelyard")
    yield Layout(
        "review with long quotations in blockquote",
        _head("读《一杆秤》 - 书评")
        + f"<body><h1>读《一杆秤》</h1><p>作者：陆拾</p><div><p>{lines[0]}</p><blockquote><p>{lines[1]}</p></blockquote>{paragraphs(lines[2:])}</div>"
        f"<div class='tags'>标签：<a>小说</a> <a>书评</a></div></body></html>",
        "\n".join(lines),
        "读《一杆秤》",
        "陆拾",
    )
    poem = ["渡口无人水自流", "青禾抱册过中洲", "半江灯火半江雾", "一叶乌篷一叶秋"] * 2
    yield Layout(
        "poem in short lines",
        _head("渡口夜泊 - 澄江诗社")
        + f"<body>{_MENU}<h1>渡口夜泊</h1><div class='s'>{'<br>'.join(poem)}</div><div>{_links(2, 6, '{} ')}</div></body></html>",
        "\n".join(poem),
        "渡口夜泊",
    )


def _applications() -> Iterator[Layout]:
    lines = other("book-market")
    sections = "".join(f"<section><section><p><span>{line}</span></p></section></section>" for line in lines)
    yield Layout(
        "article of a messenger: sections inside sections",
        _head("旧书摊通告", "<meta property='og:title' content='旧书摊通告'><meta name='author' content='澄江旧书'>")
        + f"<body><div id='js_article'><h1 class='rich_media_title'>旧书摊通告</h1><div id='meta_content'><span>原创</span> <span>澄江旧书</span> <em>2026-02-02 18:30</em></div>"
        f"<div id='js_content'>{sections}</div><div>阅读 1.2万 赞 236 在看 45</div><div>喜欢此内容的人还喜欢</div></div></body></html>",
        "\n".join(lines),
        "旧书摊通告",
        "澄江旧书",
        "2026-02-02",
    )
    names = count(1)
    lines = other("wind-buyer")
    hashed = "".join(f"<div class='css-{next(names):x}a9'><span data-text='true'>{line}</span></div>" for line in lines)
    yield Layout(
        "application with generated class names",
        _head("买风的人 - 读读")
        + f"<body><div id='root'><div class='css-1k'><div>{_links(1, 8, '<div><span>{}</span></div>')}</div><div class='css-2m'><div class='css-3x'>买风的人</div>{hashed}"
        f"</div><div class='css-9z'>下载读读，阅读全文。新人注册即送三十天会员，千万好书免费畅读。</div></div></div></body></html>",
        "\n".join(lines),
        "买风的人",
    )
    lines = other("last-ferry")
    yield Layout(
        "mobile page with a floating bar and a collapsed tail",
        _head("末班摆渡")
        + f"<body><div class='bar'><span>打开</span><span>关注</span></div><div class='art'><h1>末班摆渡</h1>{paragraphs(lines[:3])}<div class='fold'>{paragraphs(lines[3:])}</div>"
        f"<div class='open'>展开全文</div></div><div class='feed'>{_links(0, 9, '<div class=card><div>{}</div><div>读书频道 3评</div></div>')}</div></body></html>",
        "\n".join(lines),
        "末班摆渡",
    )
    title, lines = chapter("steelyard", 1)
    yield Layout(
        "library page with notes and numbers in the margin",
        _head(f"{title} - 在线文库")
        + f"<body><ul class='crumb'>{_links(0, 3)}</ul><h2>{title}</h2><div class='doc'>{''.join(f'<p>{line}<sup>[{n}]</sup></p>' for n, line in enumerate(lines, 1))}</div>"
        f"<div class='down'>下载文档到电脑，方便使用。还剩 3 页未读，继续阅读</div></body></html>",
        "\n".join(f"{line}[{n}]" for n, line in enumerate(lines, 1)),
        title,
    )
    title, lines = chapter("piano", 1)
    yield Layout(
        "Big5 page whose heading is shorter than the site's name",
        "<html><head><meta http-equiv='Content-Type' content='text/html; charset=big5'>"
        f"<title>{in_traditional(title)} | 翰墨書坊文藝網</title></head><body><div id='top'><h3><a href='/'>翰墨書坊文藝網</a></h3></div><div><h1>{in_traditional(title)}</h1>"
        f"<div class='meta'>作者：梁秋白 ／ 發表於 2011-07-08</div><div class='txt'>{in_traditional(paragraphs(lines))}</div></div><div id='foot'>本站內容由會員提供</div></body></html>",
        in_traditional("\n".join(lines)),
        in_traditional(title),
        "梁秋白",
        "2011-07-08",
        encoding="big5",
    )
    title, lines = chapter("bridge-cables", 1)
    yield Layout(
        "digital newspaper: page numbers, a heading above the heading, no closing tags",
        f"<html><head><title>澄江日报-{title}</title></head><body><table><tr><td>第07版：副刊<td><a href=1>上一版</a> <a href=2>下一版</a><tr><td>"
        f"<td><p>澄江故事<p><b>{title}</b><p>□ 莫北山<td></table><div id=ozoom>{''.join(f'<p>　　{line}' for line in lines)}</div>",
        "\n".join(lines),
        title,
        "莫北山",
    )


def _lists() -> Iterator[Layout]:
    yield Layout(
        "front page of a portal",
        _head("澄江网") + f"<body>{_MENU}<ul>{_links(0, 40)}</ul>{_NEWS_FOOT}</body></html>",
        "",
    )
    rows = "".join(
        f"<tr><td>{n}</td><td><a href='/{n}'>{t}</a></td><td>2026-01-0{n % 9 + 1}</td></tr>"
        for n, t in enumerate(_TITLES)
    )
    yield Layout(
        "table of contents of an archive", _head("文章列表") + f"<body>{_MENU}<table>{rows}</table></body></html>", ""
    )
    chapters = "".join(f"<dd><a href='/{n}.html'>第{n}章 {_TITLES[n % len(_TITLES)]}</a></dd>" for n in range(1, 80))
    yield Layout(
        "catalogue of a novel",
        _head("渡口无灯全文阅读") + f"<body><h1>渡口无灯</h1><dl>{chapters}</dl></body></html>",
        "",
    )
    results = "".join(
        f"<div class='r'><h3><a href='/{n}'>{t}</a></h3><span>2026-01-02</span></div>"
        for n, t in enumerate(_TITLES[:10])
    )
    yield Layout(
        "results of a search",
        _head("搜索：渡口") + f"<body><form><input name=q></form>{results}<div>1 2 3 下一页</div></body></html>",
        "",
    )
    yield Layout(
        "page that asks for a login",
        _head("登录 - 小书站")
        + f"<body>{_MENU}<form>用户名<input> 密码<input><button>登录</button></form><p>还没有账号？<a href='/r'>立即注册</a></p></body></html>",
        "",
    )
