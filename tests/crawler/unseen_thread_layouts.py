"""More threads, and articles with remarks, written before anybody saw how they are read: what the reading is worth."""

# ruff: noqa: E501 - markup as pages have it

from collections.abc import Iterator

from tests.crawler.layouts import Layout, chapter, other, paragraphs
from tests.crawler.thread_layouts import BOOKS, BRIDGE, FERRY, FOOT, MENU, MORE, REMARKS, RICE, Post, links, page, talk

CAT = talk(
    "捡到一只受伤的橘猫，第一晚该怎么照顾",
    [
        "下班路上在车库门口捡的，后腿有一道口子，不深，已经不流血了。附近的医院都关门了，最早明天八点才开。",
        "现在放在纸箱里，垫了旧毛巾，不吃不喝，一直发抖。今晚需要注意什么？",
    ],
    "先保暖，热水袋裹两层毛巾放在箱子一角，别直接贴着它，太热了它能自己躲开。",
    "不要喂牛奶！很多猫喝了拉肚子，受伤的时候一脱水就麻烦了。温水放浅碟子里，一个小时看一次。",
    "纸箱上面盖块布，黑一点它就不抖了",
    [
        "伤口今晚别动，人用的碘酒和酒精都不要往上倒。明天去医院先拍片子，再说缝不缝。",
        "另外记得隔离，和家里别的猫分开至少两个礼拜，驱虫和检查做完再见面。",
    ],
    "楼主好人一生平安，明天记得来更新。",
    "更新：医生说骨头没事，缝了四针，已经开始吃饭了，取名叫车库。",
)
TEA = talk(
    "老茶缸里的茶垢到底要不要洗掉",
    "单位里几位老师傅都说茶垢养杯子，洗了可惜；我爱人说那是重金属，对身体不好。究竟听谁的？",
    [
        "茶垢的主要成分是茶多酚氧化以后的产物，加上水里的钙镁，本身谈不上有毒。",
        "但是杯壁不平，细菌容易藏在里面，隔夜茶尤其明显。从卫生的角度说，还是洗掉好。",
        "方法很简单：小苏打加一点点水调成糊，用软布擦，一分钟就亮了。",
    ],
    "紫砂壶可以养，搪瓷缸和玻璃杯没什么好养的，该洗就洗。",
    "我爷爷那只缸子用了四十年没洗过茶垢，老人家活到九十三。不是说茶垢好，是说这事没那么要紧。",
)


def unseen_threads() -> list[Layout]:
    """All pages, each made anew."""
    return [Layout(*each) for each in (*_boards(), *_answers())]


def unseen_articles() -> list[Layout]:
    """Articles with remarks below that are no part of them."""
    return [Layout(*each) for each in _articles()]


def _boards() -> Iterator[tuple[str, str, str]]:
    def old_discuz(number: int, post: Post) -> str:
        return f"""<div class="mainbox viewthread"><table cellspacing="0" id="pid{501 + number}"><tr><td class="postauthor"><cite><a href="space.php?uid={number}">{post.who}</a></cite><div class="avatar"></div><p><em>{["侠客", "掌柜", "小二"][number % 3]}</em></p><ul><li>UID {3000 + number}</li><li>精华 0</li><li>阅读权限 {10 * (number + 1)}</li><li>在线时间 {number * 4 + 1} 小时</li></ul></td>
<td class="postcontent"><div class="postinfo"><strong title="复制帖子链接到剪贴板">{number + 1}<sup>#</sup></strong><em>大 中 小</em> 发表于 2009-11-{post.day} 20:1{number} <a>只看该作者</a></div><div class="postmessage defaultpost"><h2>{"" if number else CAT.title}</h2><div id="postmessage_{501 + number}" class="t_msgfont">{"<br />".join(post.said)}</div></div></td></tr><tr><td class="postauthor"></td><td class="postcontent"><div class="postactions"><p><a>回复</a> <a>引用</a> <a>报告</a> <a>TOP</a></p></div></td></tr></table></div>"""

    yield (
        "a board's software of fifteen years ago",
        page(
            f"{CAT.title} - 猫狗之家 - 云溪论坛 - Powered by Discuz!",
            f"<div id='header'>{MENU}</div><div id='nav'><a>云溪论坛</a> » <a>猫狗之家</a> » {CAT.title}</div><div class='pages_btns'><span class='postbtn'><a>发新话题</a></span></div>"
            + "".join(old_discuz(number, post) for number, post in enumerate(CAT.posts))
            + f"<div id='footer'><p>当前时区 GMT+8, 现在时间是 2009-12-1 10:00</p><p>Powered by <b>Discuz!</b> 6.0.0 © 2001-2007</p></div>{FOOT}",
            "<meta name='keywords' content='猫'>",
        ),
        CAT.text,
    )

    def vbulletin(number: int, post: Post) -> str:
        return f"""<table id="post{70 + number}" class="tborder" width="100%"><tr><td class="thead">2010-11-{post.day}, 21:0{number}</td><td class="thead" align="right">#<a>{number + 1}</a></td></tr><tr><td class="alt2" width="175"><div id="postmenu_{70 + number}"><a class="bigusername">{post.who}</a></div><div class="smallfont">{["正式会员", "高级会员"][number % 2]}</div><div class="smallfont"><div>注册日期: Mar 200{number + 1}</div><div>住址: 澄江</div><div>帖子: {number * 23 + 6}</div></div></td>
<td class="alt1" id="td_post_{70 + number}"><div class="smallfont"><strong>{"回复: " if number else ""}{BRIDGE.title}</strong></div><hr size="1" /><div id="post_message_{70 + number}">{"<br /><br />".join(post.said)}</div><div>__________________<br />路在车轮下，{post.who}在路上。</div></td></tr><tr><td class="alt2">离线</td><td class="alt1"><a>引用回复</a></td></tr></table><br />"""

    yield (
        "tables of a foreign board's software, signatures without a name",
        page(
            f"{BRIDGE.title} - 单车天下论坛",
            f"{MENU}<table class='tborder'><tr><td><span class='navbar'><a>单车天下论坛</a> > <a>线路交流</a></span><h1>{BRIDGE.title}</h1></td></tr></table><div id='posts'>"
            + "".join(vbulletin(number, post) for number, post in enumerate(BRIDGE.posts))
            + "</div><div class='smallfont' align='center'>所有时间均为北京时间。现在的时间是 10:31。</div><div>Powered by vBulletin® 版本 3.8.4<br />版权所有 ©2000 - 2010</div>",
            "<meta name='generator' content='vBulletin 3.8.4' />",
        ),
        BRIDGE.text,
    )

    def flarum(number: int, post: Post) -> str:
        event = (
            "<div class='PostStream-item'><article class='EventPost Post DiscussionRenamedPost'><div><div class='EventPost-info'><a>老张修车</a> 于 2025年11月6日 更改标题为「茶垢」</div></div></article></div>"
            if number == 1
            else ""
        )
        return f"""<div class="PostStream-item" data-number="{number + 1}"><article class="CommentPost Post"><div><header class="Post-header"><ul><li class="item-user"><div class="PostUser"><h3 class="PostUser-name"><a><span class="username">{post.who}</span></a></h3></div></li><li class="item-meta"><div class="Dropdown PostMeta"><a class="Dropdown-toggle"><time>2025年11月{post.day}日</time></a></div></li></ul></header><div class="Post-body">{paragraphs(list(post.said))}</div><aside class="Post-actions"><ul><li>回复</li></ul></aside><footer class="Post-footer"><ul><li><a>Kevin</a> 觉得很赞</li></ul></footer></div></article></div>{event}"""

    yield (
        "Flarum with events between the posts",
        page(
            f"{TEA.title} - 茶话会",
            f"<div class='App'><header class='App-header'><a>茶话会</a><ul>{links('文档', '规范', '扩展')}</ul></header><main class='App-content'><header class='Hero DiscussionHero'><ul><li class='item-title'><h1 class='DiscussionHero-title'>{TEA.title}</h1></li></ul></header><div class='DiscussionPage-stream'><div class='PostStream'>"
            + "".join(flarum(number, post) for number, post in enumerate(TEA.posts))
            + "</div></div></main></div><footer><p>本站独立运行，与软件的作者无关。</p></footer>",
            "<meta name='application-name' content='茶话会'><link rel='canonical' href='https://tea.example/d/217-lao-cha-gang'>",
        ),
        TEA.text,
    )

    def nodebb(number: int, post: Post) -> str:
        return f"""<li component="post" class="{"" if number else "topic-owner-post"}" data-index="{number}"><div class="clearfix post-header"><small><strong><a href="/user/{number}">{post.who}</a></strong> <span class="group-label">{"版主" if number == 2 else ""}</span> <div class="visible"><a class="permalink" href="/post/{number}"><span class="timeago" title="2025-11-{post.day}">{9 - number} 个月前</span></a></div></small></div><div class="content" component="post/content">{paragraphs(list(post.said), " dir='auto'")}</div><div class="post-footer"><div component="user/signature" class="post-signature"><p>种花养草，与世无争。</p></div><a class="reply-count"><span>1 条回复</span> <span>最后回复</span></a><small><a>回复</a> <a>引用</a> <span class="votes">{number}</span></small></div></li>"""

    yield (
        "NodeBB with relative times",
        page(
            f"{BOOKS.title} | 纸上社区",
            f"{MENU}<div class='row'><div class='topic'><h1 component='post/header'><span class='topic-title'>{BOOKS.title}</span></h1><div class='topic-info'><a>求助</a> <span>6 帖子</span> <span>5 发布者</span> <span>812 浏览</span></div><ul component='topic' class='posts timeline'>"
            + "".join(nodebb(number, post) for number, post in enumerate(BOOKS.posts))
            + f"</ul></div></div>{FOOT}",
            "<meta property='og:url' content='https://paper.example/topic/311/shu-ye-shou-chao'>",
        ),
        BOOKS.text,
    )

    def phpwind(number: int, post: Post) -> str:
        return f"""<div class="read_t" id="readfloor_{number}"><table width="100%"><tr><td rowspan="2" class="floot_left"><div class="readName b"><a href="u.php?uid={number}">{post.who}</a></div><div>级别: {["新手上路", "骑士", "论坛版主"][number % 3]}</div><div class="user-info2"><p>发帖 <em>{number * 9 + 1}</em></p><p>铜币 <em>{number * 50}</em>枚</p><p>威望 <em>{number}</em>点</p></div></td><td class="floot_right"><div class="tipTop s6"><span class="fr"><a class="s2">{["楼主", "沙发", "板凳", "地板"][number] if number < 4 else f"{number}楼"}</a></span><span>发表于: 2012-11-0{post.day}</span></div><div id="p_{number}"><div class="f14" id="read_{800 + number}">{"<br>".join(post.said)}</div></div></td></tr><tr><td class="floot_bottom"><div class="sigline"></div><div class="signature">愿得一心人，白首不相离。</div><div class="tipad"><a>回复</a><a>引用</a><a>举报</a></div></td></tr></table></div>"""

    yield (
        "phpwind with floors and coins",
        page(
            f"{FERRY.title}|老照片 - 江边论坛 - Powered by phpwind",
            f"{MENU}<div id='breadCrumb'><a>江边论坛</a> > <a>老照片</a> > {FERRY.title}</div><div class='readTop'><span>阅读: 2310</span> <span>回复: 4</span> <h1 id='subject_tpc'>{FERRY.title}</h1></div><div id='pw_content'>"
            + "".join(phpwind(number, post) for number, post in enumerate(FERRY.posts))
            + "</div><div class='bottom'>Powered by phpwind v8.7 Certificate</div>",
        ),
        FERRY.text,
    )
    first, *others = CAT.posts
    replies = "".join(
        f"<li class='clearfix comment-item reply-item' id='{7700 + number}' data-cid='{7700 + number}'><div class='user-face'><a></a></div><div class='reply-doc content'><div class='bg-img-green'><h4><a href='/people/{number}'>{post.who}</a> {'(失眠)' if number == 2 else ''} <span class='pubtime'>2025-11-0{post.day} 23:1{number} 澄江</span></h4></div><p class='reply-content'>{'<br>'.join(post.said)}</p><div class='operation-div'><a>回应</a><a>赞 ({number})</a></div></div></li>"
        for number, post in enumerate(others)
    )
    yield (
        "group whose replies are called comments",
        page(
            f"{CAT.title}（猫咪互助小组）",
            f"{MENU}<div id='content'><h1>{CAT.title}</h1><div class='article'><div class='topic-content clearfix' id='topic-content'><div class='topic-doc'><h3><span class='from'>来自: <a>{first.who}</a></span> <span class='create-time'>2025-11-03 22:40:12</span></h3><div class='rich-content topic-richtext'>{paragraphs(list(first.said))}</div></div></div><div class='action-react'><a>赞 (3)</a> <a>收藏</a> <a>转发</a></div><ul class='topic-reply' id='comments'>{replies}</ul><div><a>只看楼主</a></div></div><div class='aside'><h2>最新讨论</h2><ul>{MORE}</ul></div></div>{FOOT}",
            "<link rel='canonical' href='https://group.example/group/topic/29940021/'>",
        ),
        CAT.text,
    )
    cells = "".join(
        f"<div id='r_{1200 + number}' class='cell'><table><tr><td width='48'></td><td width='auto'><div class='fr'><span class='no'>{number}</span></div><strong><a class='dark'>{post.who}</a></strong> <span class='ago'>{number * 7} 小时 {number} 分钟前</span><div class='reply_content'>{'<br>'.join(post.said)}</div></td></tr></table></div>"
        for number, post in enumerate(BRIDGE.posts[1:], 1)
    )
    yield (
        "cells of a community of programmers",
        page(
            f"{BRIDGE.title} - 第二自然",
            f"<div id='Top'>{MENU}</div><div id='Main'><div class='box'><div class='header'><a>第二自然</a> › <a>骑行</a><h1>{BRIDGE.title}</h1><small class='gray'><a>听雨的猫</a> · 1 天前 · 2046 次点击</small></div><div class='cell'><div class='topic_content'><div class='markdown_body'>{paragraphs(list(BRIDGE.posts[0].said))}</div></div></div><div class='topic_buttons'><span>2046 次点击 ∙ 3 人收藏</span><a>加入收藏</a></div></div><div class='box'><div class='cell'><span class='gray'>5 条回复 • 2025-11-20 10:41:20 +08:00</span></div>{cells}</div></div><div id='Rightbar'><div class='box'><h3>今日热议主题</h3>{links('机械键盘的润轴油', '租房该不该自己装网', '年假怎么拼最划算', wrap='<div class=cell>{}</div>')}</div></div><div id='Bottom'>关于 · 帮助文档 · 感谢</div>",
            "<meta property='og:url' content='/t/1051234'>",
        ),
        BRIDGE.text,
    )
    rows = "".join(
        f"<div class='floor'><div class='u'><img><a href='/user?id={number}'>{post.who}</a></div><div class='m'><div class='t'>第{number}楼 {post.time} <a>只看TA</a></div><div class='c'>{'<br/>'.join(post.said)}</div><div class='b'><span>亮了({number * 3})</span> <span>回复</span></div></div></div>"
        + (f"<div class='gg'><a href='/ad'>{'进口猫砂买二送一，今晚截止！'}</a></div>" if number == 3 else "")
        for number, post in enumerate(CAT.posts[1:], 1)
    )
    yield (
        "home-made board of a paper",
        page(
            f"{CAT.title}-宠物-大江社区",
            f"{MENU}<div class='main'><div class='ttl'><h2>{CAT.title}</h2><span>查看 901 / 回复 6</span></div><div class='floor first'><div class='u'><img><a>{CAT.posts[0].who}</a></div><div class='m'><div class='t'>楼主 {CAT.posts[0].time} <a>只看楼主</a></div><div class='c'>{'<br/>'.join(CAT.posts[0].said)}</div></div></div><div class='hot'><h3>这些回帖亮了</h3></div>{rows}</div>{FOOT}",
        ),
        CAT.text,
    )


def _answers() -> Iterator[tuple[str, str, str]]:
    question, *answers = TEA.posts
    items = "".join(
        f"<div class='ans-item'><div class='ans-head'><a class='name'>{post.who}</a><span class='tag'>{['茶艺师', '食品检验员', '退休工人'][number]}</span><span class='date'>{post.time}</span></div><div class='ans-body markdown-views'>{paragraphs(list(post.said))}</div><div class='ans-tool'><span>有帮助 {number}</span><span>评论</span><span>分享</span></div></div>"
        for number, post in enumerate(answers)
    )
    yield (
        "questions of a site for programmers",
        page(
            f"{TEA.title}-问答社区",
            f"<div class='toolbar'>{MENU}</div><div class='main'><div class='question-box'><h1>{TEA.title}</h1><div class='q-user'>{question.who} <span>2025-11-03 10:20</span> <span>浏览 355</span></div><div class='q-body'>{paragraphs(list(question.said))}</div><div class='q-tool'><span>写回答</span><span>好问题 2</span><span>关注问题</span></div></div><div class='ans-list'><div class='ans-title'>3条回答 <span>默认</span> <span>最新</span></div>{items}</div></div><div class='right'><h3>相关推荐</h3><ul>{MORE}</ul></div>{FOOT}",
            "<link rel='canonical' href='https://ask.example/questions/7701223'>",
        ),
        TEA.text,
    )
    doctors = "".join(
        f"<div class='sele_all marg_top'><div class='doctor_all'><div class='doc_img'></div><div class='doc_t_strip'><p><span class='doc_xinx'>{name}</span> <span>主治医师</span></p><p>擅长：内科常见病</p></div></div><div class='sele_txt'>{paragraphs(text, ' class=sele_p')}</div><p class='doc_time'>2025-11-0{4 + number} 15:2{number}</p><div class='thank'><a>感谢医生</a></div></div>"
        for number, (name, text) in enumerate(
            [
                (
                    "王守仁",
                    [
                        "根据你的描述，考虑是久坐引起的腰肌劳损，先不要做推拿，热敷比较稳妥。",
                        "每坐四十分钟起来走五分钟，床不要太软。两周没有好转，建议拍片检查。",
                    ],
                ),
                ("李秀兰", ["热敷的同时可以做小燕飞，每天三组，每组十个，疼得厉害就停。"]),
            ]
        )
    )
    asked = "坐办公室三年，最近弯腰的时候右边腰疼，早上起来最明显，活动一会儿就好一点，没有受过伤。请问是什么原因，需要去医院吗？"
    yield (
        "doctors answer a patient",
        page(
            "早上起来腰疼活动后减轻怎么回事_健康问答",
            f"{MENU}<div class='wrap'><div class='ask_l'><div class='ask_cont'><div class='ask_tit'>早上起来腰疼活动后减轻怎么回事</div><p class='mation'><span>男</span> <span>31岁</span> <span>提问于 2025-11-03 09:12</span></p><div class='txt_ms'>{asked}</div></div><div class='ask_hd'><h2>医生回答(2)</h2></div>{doctors}</div><div class='ask_r'><h3>热门专题</h3><ul>{MORE}</ul></div></div>{FOOT}",
        ),
        "早上起来腰疼活动后减轻怎么回事\n"
        + asked
        + "\n根据你的描述，考虑是久坐引起的腰肌劳损，先不要做推拿，热敷比较稳妥。\n每坐四十分钟起来走五分钟，床不要太软。两周没有好转，建议拍片检查。\n热敷的同时可以做小燕飞，每天三组，每组十个，疼得厉害就停。",
    )
    best, *rest = RICE.posts[1:]
    yield (
        "adopted answer first, in a list of definitions",
        page(
            f"{RICE.title}-家电问答",
            f"{MENU}<dl class='ask'><dt><h1>{RICE.title}</h1></dt><dd class='supply'>{RICE.posts[0].said[0]}</dd><dd class='by'>提问者：匿名 2025-11-03</dd></dl><div class='best'><h3>最佳答案</h3><div class='by'>{best.who} 2025-11-05</div><div class='con'>{paragraphs(list(best.said))}</div></div><h3>其他答案（2）</h3><dl class='others'>"
            + "".join(
                f"<dt>{post.who} <span>{post.time}</span></dt><dd><p>{post.said[0]}</p><p class='op'><a>赞同</a> <a>举报</a></p></dd>"
                for post in rest
            )
            + f"</dl><div class='rel'><h3>相关问题</h3><ul>{MORE}</ul></div>{FOOT}",
        ),
        RICE.text,
    )


def _articles() -> Iterator[tuple[str, str, str]]:
    lines = other("book-market")
    nested = "".join(
        f"<div class='cmt'><div class='cmt-user'><a>网友 {number}</a> [澄江市] <em>2025-11-0{number} 12:30</em></div><div class='cmt-text'>{text}</div><div class='cmt-sub'><div class='cmt-user'><a>小李</a> 回复 <a>网友 {number}</a> <em>2025-11-0{number} 13:0{number}</em></div><div class='cmt-text'>说得对，我也这么想，那天我就在现场。</div></div><div><a>展开3条回复</a></div></div>"
        for number, text in enumerate(REMARKS, 1)
    )
    yield (
        "news with remarks and answers to them",
        page(
            "关于冬季开市时间的说明 - 大江网",
            f"{MENU}<div class='content'><h1>关于冬季开市时间的说明</h1><div class='source'>大江网 2025-11-01 08:00</div><div class='article-content'>{paragraphs(lines)}</div><div class='cmt-box'><div class='cmt-hd'>跟帖 <em>4</em> 参与 <em>31</em></div><div class='cmt-hd'>热门跟帖</div>{nested}</div></div>{FOOT}",
        ),
        "\n".join(lines),
    )
    lines = other("wind-buyer")
    posts = "".join(
        f"<div class='post-comment' id='c{number}'><div class='post-author'>#{number} <a>访客</a> · {number} 天前</div><div class='post-body'><p>{text}</p></div></div>"
        for number, text in enumerate(REMARKS, 1)
    )
    yield (
        "blog on a community's host, its remarks numbered",
        page(
            "买风的人 - 言川的博客",
            f"{MENU}<article class='post'><h1>买风的人</h1><p class='meta'>言川 · 3 月前</p><div class='post-content'>{paragraphs(lines)}</div></article><section><h3>4 条回复</h3>{posts}</section>{FOOT}",
            "<link rel='canonical' href='https://community.example/blog-311-2.html'>",
        ),
        "\n".join(lines),
    )
    _, lines = chapter("borrowed-rain", 3)
    said = "".join(
        f"<li><b>书友{number}</b> <i>{number}楼</i> <i>2025-11-0{number} 20:1{number}</i><p>{text}</p></li>"
        for number, text in enumerate(REMARKS, 1)
    )
    yield (
        "chapter with a circle of readers below",
        page(
            "第三章 - 借来的雨 - 小书站",
            f"{MENU}<div class='read'><h1>第三章</h1><div id='chaptercontent'>{paragraphs(lines)}</div><div class='pages'><a>上一章</a> <a>目录</a> <a>下一章</a></div></div><div class='bookclub'><h3>书友圈</h3><p><a>发帖</a> <a>回帖</a></p><ul>{said}</ul></div>{FOOT}",
        ),
        "\n".join(lines),
    )
    lines = other("review-steelyard")
    yield (
        "column beside a box of questions",
        page(
            "读柏舟《一杆秤》 - 编辑室",
            f"{MENU}<div class='left'><h1>读柏舟《一杆秤》</h1><p>2025-11-12 编辑室</p><div class='body'>{paragraphs(lines)}</div><div class='say'><h3>读者来信</h3><ul>{said}</ul></div></div><div class='right'><h3>问答</h3><ul>{links('杆秤怎么看斤两？', '秤砣上的字是什么意思？', '哪里还能修秤？', wrap='<li>{} <span>12个回答</span></li>')}</ul></div>{FOOT}",
        ),
        "\n".join(lines),
    )
    lines = other("carrier-moving")
    yield (
        "short diary with more words below it than in it",
        page(
            "搬家四十七箱书 | 南窗",
            f"{MENU}<div class='entry'><h2>搬家四十七箱书</h2><div class='date'>2025年11月8日</div>{paragraphs(lines)}</div><div id='respond-list'><h4>大家的话</h4>"
            + "".join(
                f"<div class='say-item'><p class='who'>{name} 2025-11-1{number} 08:0{number}</p><p>{text}</p><p>{more}</p></div>"
                for number, (name, text, more) in enumerate(
                    zip(["甲", "乙", "丙", "丁"], REMARKS, reversed(REMARKS), strict=True)
                )
            )
            + f"</div>{FOOT}",
        ),
        "\n".join(lines),
    )
