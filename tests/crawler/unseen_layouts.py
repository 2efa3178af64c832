"""More pages of our own, written after the extraction was finished and never used to change it: what it is worth."""

# ruff: noqa: E501 - markup as pages have it

from collections.abc import Iterator

from deploy.demo.substitution import in_traditional
from tests.crawler.layouts import Layout, chapter, other, paragraphs


def unseen_layouts() -> list[Layout]:
    """All pages, each made anew."""
    return [*_pages()]


def _html(title: str, body: str, head: str = "") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def _titles(*names: str) -> str:
    return "".join(f"<li><a href='/{number}'>{name}</a></li>" for number, name in enumerate(names))


_HOT = _titles("今年的新米上市了", "老城区公交线路调整", "三家书店同日开业", "图书馆延长开放时间", "河堤步道全线贯通")


def _pages() -> Iterator[Layout]:
    _, lines = chapter("borrowed-rain", 2)
    replies = ["沙发，先占楼再看。写得真像我们单位的事。", "楼主继续，等着看下一章，别太监了。"]
    posts = "".join(
        f"<div id='post_{number}'><table class='plhin'><tr><td class='pls'><div class='authi'><a href='/u'>会员{number}</a></div><p>主题 {number}</p><p>积分 {number * 31}</p></td>"
        f"<td class='plc'><div class='pti'><em>发表于 2012-3-{number + 1} 21:15</em></div><div class='pct'><table><tr><td class='t_f'>{'<br>'.join(texts)}</td></tr></table></div>"
        f"<div class='sign'>生活不止眼前的苟且，还有读不懂的诗。</div></td></tr></table></div>"
        for number, texts in enumerate([lines, *([text] for text in replies)])
    )
    yield Layout(
        "board with ids for posts, signatures and counters",
        _html(
            "[原创] 损耗栏 - 原创文学 - 云溪论坛",
            f"<div id='pt'><a>云溪论坛</a> › <a>原创文学</a></div><h1><span>[原创] 损耗栏</span></h1><div id='postlist'>{posts}</div><div id='ft'>Powered by 论坛程序</div>",
        ),
        "\n".join([*lines, *replies]),
    )
    _, lines = chapter("river-town", 2)
    yield Layout(
        "chapter right in the body of a telephone's page",
        _html(
            "裹着手帕的铃",
            f"<a href='/'>首页</a>|<a href='/x'>书架</a><br/>渡口无灯<br/>第二章 裹着手帕的铃<br/><a href='1'>上页</a>|<a href='m'>目录</a>|<a href='3'>下页</a><br/>{'<br/>'.join(lines)}<br/><a href='1'>上页</a>|<a href='m'>目录</a>|<a href='3'>下页</a><br/>[<a href='/'>返回首页</a>] 10:24",
        ),
        "\n".join(lines),
    )
    lines = other("wind-buyer")
    yield Layout(
        "page of 1999: centred font, rules, a counter",
        _html(
            "买风的人",
            f"<p align=center><font size=5 color=blue>买风的人</font></p><hr>{''.join(f'<p><font size=3>　　{line}</font>' for line in lines)}<hr><p align=center><a href='index.htm'>回主页</a> 您是第 10234 位访客</p>",
        ),
        "\n".join(lines),
    )
    title, lines = chapter("steelyard", 1)
    yield Layout(
        "column with the author's card and a summary below",
        _html(
            f"{title}_读书频道_江城网",
            f"<div class='wrap'><div class='left'><h1>{title}</h1><div class='meta'>2026年02月11日 09:10 | 陆沉舟</div><div class='text'>{paragraphs(lines)}</div><div class='author-card'><img><h4>陆沉舟</h4><p>江城作家协会会员，著有散文集两种，长期关注老街与手艺人。</p></div><div class='share'>分享到：微信 微博</div></div><div class='right'><h3>热门文章</h3><ol>{_HOT}</ol></div></div>",
        ),
        "\n".join(lines),
    )
    lines = other("review-ferry")
    yield Layout(
        "encyclopaedia-like page with a box of facts and references",
        _html(
            "渡口无灯_澄江百科",
            f"<div class='content'><h1>渡口无灯</h1><table class='infobox'><tr><th>作者</th><td>闻笛</td></tr><tr><th>体裁</th><td>长篇小说</td></tr></table><h2>评价</h2>{paragraphs(lines)}<h2>参考资料</h2><ol class='refs'><li><a href='a'>江城书评</a> 2025-03-01</li><li><a href='b'>读书周报</a> 2025-03-09</li><li><a href='c'>澄江日报副刊</a> 2025-04-02</li></ol></div>",
        ),
        "评价\n" + "\n".join(lines),
    )
    title, lines = chapter("market", 1)
    pushes = "".join(
        f"<div class='push'><span>推 </span><span>user{number}</span><span>: {text}</span></div>"
        for number, text in enumerate(("好懷念的市場", "小時候每天都去", "推一個，寫得真好"))
    )
    yield Layout(
        "bulletin board in one box, with pushes below",
        _html(
            f"[新聞] {in_traditional(title)} - 看板 Town",
            f"<div id='main-content'><div class='article-metaline'><span>作者</span><span>bridge (橋)</span></div><div class='article-metaline'><span>標題</span><span>[新聞] {in_traditional(title)}</span></div>{in_traditional(chr(10).join(f'<br>{line}<br>' for line in lines))}<span class='f2'>※ 發信站: 批踢踢實業坊</span>{pushes}</div>",
        ),
        in_traditional("\n".join(lines)),
    )
    title, lines = chapter("observatory", 1)
    yield Layout(
        "page that begins with a consent notice and ends with a subscription",
        _html(
            f"{title} | 山地周刊",
            f"<div class='cookie'><p>我们使用必要的技术手段改善您的浏览体验。继续浏览即表示您同意我们的隐私条款，您也可以随时更改设置。</p><button>同意</button></div><header><a href='/'>山地周刊</a></header><article><h1>{title}</h1><p class='by'>文／简宁</p>{paragraphs(lines)}</article><section class='sub'><h3>订阅山地周刊</h3><p>每周五上午，我们把最好的文章送到您的邮箱里，随时可以退订。</p></section>",
        ),
        "\n".join(lines),
    )
    title, lines = chapter("piano", 1)
    half = len(lines) // 2
    yield Layout(
        "long story with a pull quote and a picture in the middle",
        _html(
            f"{title}-在人间-凤城网",
            f"<div class='banner'><ul>{_HOT}</ul></div><div class='story'><h1>{title}</h1><p>{'</p><p>'.join(lines[:half])}</p><div class='img'><img><p class='cap'>图片由受访者提供</p></div><p>{'</p><p>'.join(lines[half:])}</p></div><div class='rec'><h2>往期回顾</h2><ul>{_HOT}</ul></div>",
        ),
        "\n".join([*lines[:half], "图片由受访者提供", *lines[half:]]),
    )
    lines = other("closed-lane")
    yield Layout(
        "blog of a portal: tags, counters and neighbours around the text",
        _html(
            "封道的夜晚_言川_澄江博客",
            f"<div class='SG_conn'><div class='articalTitle'><h2>封道的夜晚</h2><span class='time'>(2010-06-21 23:40:11)</span></div><div class='articalTag'><table><tr><td>标签：<a>杂谈</a></td><td>分类：<a>随笔</a></td></tr></table></div><div class='articalContent'>{''.join(f'<div>　　{line}</div><div><br></div>' for line in lines)}</div><div class='IL'>阅读(328) ┊ 评论(12) ┊ 收藏(3) ┊ 转载(0)</div><div>前一篇：<a href='1'>河边的树</a></div><div>后一篇：<a href='3'>雨后</a></div></div>",
        ),
        "\n".join(lines),
    )
    lines = other("book-market")
    answers = "".join(
        f"<dt>问：{question}</dt><dd>{line}</dd>"
        for question, line in zip(("什么时候开市？", "摊位怎么申请？", "有什么规矩？"), lines, strict=False)
    )
    yield Layout(
        "questions and answers as a list of definitions",
        _html(
            "旧书市问答-澄江图书馆", f"<div><a href='/'>首页</a></div><h1>旧书市问答</h1><dl class='qa'>{answers}</dl>"
        ),
        "\n".join(
            text
            for question, line in zip(("什么时候开市？", "摊位怎么申请？", "有什么规矩？"), lines, strict=False)
            for text in (f"问：{question}", line)
        ),
    )
    title, lines = chapter("bridge-cables", 1)
    yield Layout(
        "application page whose paragraphs are separate boxes with an advertisement of three sentences",
        _html(
            f"{title} - 快读",
            f"<div id='app'><div class='_1h'>{title}</div><div class='_2b'>{''.join(f'<div class=_3p>{line}</div>' for line in lines[:3])}<div class='_9ad'><div>高考志愿怎么填？名师一对一指导。名额有限，点击领取免费试听课。</div></div>{''.join(f'<div class=_3p>{line}</div>' for line in lines[3:])}</div></div>",
        ),
        "\n".join(lines),
    )
    _, lines = chapter("river-town", 4)
    yield Layout(
        "chapter with remarks of readers below it, longer than a paragraph each",
        _html(
            "第四章 双套结-渡口无灯-墨香阁",
            f"<div class='read'><h1>第四章 双套结</h1><div class='txt'>{paragraphs(lines)}</div></div><div class='review'><h3>本章评论</h3><div class='item'><b>读者甲</b><p>这一章写得太好了，双套结的伏笔从第一章就埋下了，看到这里忍不住回头又翻了一遍。</p></div><div class='item'><b>读者乙</b><p>船工的话我最喜欢，一句多余的都没有，作者一定在水边住过，不然写不出来。</p></div></div><div class='guess'><h3>猜你喜欢</h3><ul>{_HOT}</ul></div>",
        ),
        "\n".join(lines),
    )
