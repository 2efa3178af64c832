"""Threads of forums and questions with answers, as their software sets them, each with what is its text: title and posts.

Beside them articles with remarks below, whose text ends above the remarks. All words are our own; the boxes follow the
habits of real software: user boxes, ranks, signatures, buttons, counters, advertisements between posts.
"""

# ruff: noqa: E501 - markup as pages have it

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deploy.demo.substitution import in_traditional
from tests.crawler.layouts import Layout, other, paragraphs


@dataclass(frozen=True, slots=True)
class Post:
    """Who wrote what on which day of November 2025."""

    who: str
    said: tuple[str, ...]
    day: int = 3

    @property
    def time(self) -> str:
        return f"2025-11-{self.day} 1{self.day % 10}:2{self.day % 7}"


@dataclass(frozen=True, slots=True)
class Talk:
    """A title, the first post and the others."""

    title: str
    posts: tuple[Post, ...]

    @property
    def text(self) -> str:
        return "\n".join([self.title, *(line for post in self.posts for line in post.said)])


def talk(title: str, *said: Sequence[str] | str) -> Talk:
    """A thread of what people of made names said, one after the other."""
    names = ["听雨的猫", "老张修车", "Momo_2008", "一苇渡江", "豆腐脑咸党", "Kevin", "北窗", "晚风吹过河"]
    whole = [(each,) if isinstance(each, str) else tuple(each) for each in said]
    posts = [Post(names[n % len(names)], lines, n + 3) for n, lines in enumerate(whole)]
    return Talk(title, tuple(posts))


BOOKS = talk(
    "梅雨天书页受潮发黄，有什么办法补救",
    [
        "家里的书柜靠着北墙，今年梅雨下了二十多天，前天整理的时候发现最下面一格的书全潮了，边上一圈黄印子。",
        "里面有几本是爷爷留下来的线装书，舍不得扔。晒也不敢晒，怕纸脆。请教各位，有没有稳妥一点的办法？",
    ],
    "千万别直接晒太阳，纸会卷，颜色也回不来。我是把书竖起来，书页散开，用风扇对着墙吹，吹两三天就干了。",
    "同意楼上",
    "线装书最好一页一页垫吸水纸，上面压一块平整的木板，每半天换一次纸。黄印子去不掉，但是不会再往里走。我家的族谱就是这么救回来的。",
    "冷冻也行，装进密封袋放冰箱冷冻室，霉菌就不长了，慢慢处理不着急",
    "谢谢大家！已经按四楼的办法垫上了，纸是去文具店买的生宣，效果不错。",
)
FERRY = talk(
    "有人还记得老鹳渡的末班船吗？",
    other("last-ferry"),
    [
        "我外婆家就在对岸，小时候每个周末都坐，船头那盏马灯到现在还记得。",
        "后来修了桥，渡口就没人去了，前年回去看，石阶上全是青苔。",
    ],
    "船票两毛，学生半价，自行车另算一毛。",
    "楼主写得真好，看得鼻子发酸",
    "马灯是后来换的，最早是火把，我爹撑过那条船，他说最怕的不是风，是起雾。",
)
RICE = talk(
    "电饭煲煮出来的米饭总是夹生，是哪里出了问题？",
    "换了新米以后，按内胆刻度加水，煮出来中间总有一层硬芯，换了两只锅都一样，是米的问题还是我的操作不对？",
    [
        "先看米。新米含水高，本来应该少放水；你说夹生，多半是米放得太久，外面糊了里面还没吃透水。煮之前泡半个小时再按开关。",
        "其次看锅。内胆底下如果粘了饭粒，和加热盘贴不平，火力就只有一半。用湿布把加热盘擦干净，再听一听底下有没有咔的一声。",
        "还有一点容易忽略：跳闸以后不要马上开盖，焖十五分钟，硬芯基本就没有了。",
    ],
    "我也遇到过，最后发现是海拔的原因。我们这里一千八百米，水不到九十五度就开了，普通电饭煲煮不透，换成压力的就好了。",
    "加一小勺油，饭粒分开，受热也匀。水量比刻度多一指节，煮好焖一会儿再翻松。",
)
BRIDGE = talk(
    "周末骑行去看石桥，求一条不绕路的线",
    ["打算周六一早从东门出发，下午四点前回来，想把下游那三座石桥都看一遍。", "车是普通的公路车，烂路走不了太多。"],
    "沿河堤走到水文站再上省道，前半段全是柏油，只有过村子那八百米是碎石。",
    "别走省道，周末全是大货车",
    "第二座桥在修护栏，只能推车过去，桥面上钉了木板。建议先看最远的，回来再看近的，顺风。",
    "水文站旁边有一家面馆，十点以后才开门，凉面一绝。",
)


def page(title: str, body: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title>{head}</head><body>{body}</body></html>"


def links(*names: str, wrap: str = "<li>{}</li>") -> str:
    return "".join(wrap.format(f"<a href='/{number}.html'>{name}</a>") for number, name in enumerate(names))


MENU = f"<div id='nv'><ul>{links('首页', '版块', '导读', '排行榜', '登录', '立即注册')}</ul></div>"
MORE = links("阳台种菜的第三年", "旧家具翻新记录贴", "本周末的二手书集市", "河堤夜跑安全提示", "菜场早点地图")
FOOT = "<div id='ft'><p>澄江社区 版权所有 ICP备2025000001号</p><p>社区言论由发布者个人负责，与本站立场无关。</p></div>"
ADS = ["本地搬家找大力，老客户八折，当天来人当天搬完！", "考证不求人，三个月拿下，学不会全额退款！"]


def thread_layouts() -> list[Layout]:
    """The threads that served to write the reading of threads."""
    made = [*_boards(), *_lists(), *_short(), *_home_made(), *_programs(), *_questions()]
    return [Layout(name, markup, text) for name, markup, text in made]


def _boards() -> Iterator[tuple[str, str, str]]:
    def discuz(number: int, post: Post) -> str:
        label = ["楼主", "沙发", "板凳", "地板"][number] if number < 4 else f"{number + 1}#"
        edited = f"<i class='pstatus'>本帖最后由 {post.who} 于 {post.time} 编辑</i><br>" if number == 0 else ""
        notice = (
            "<div class='modact'><a href='/misc'>本主题由 版主小李 于 2025-11-4 10:00 设置高亮</a></div>"
            if number == 0
            else ""
        )
        return f"""<div id="post_{8801 + number}"><table id="pid{8801 + number}" class="plhin"><tr><td class="pls" rowspan="2"><div class="pls favatar"><div class="pi"><div class="authi"><a href="space-uid-{number}.html" class="xw1">{post.who}</a></div></div>
<div class="tns xg2"><table><tr><th><p><a>{number + 3}</a></p>主题</th><th><p><a>{number * 7 + 2}</a></p>帖子</th><td><p><a>{number * 31 + 5}</a></p>积分</td></tr></table></div><p><em><a>{["新手上路", "中级会员", "高级会员"][number % 3]}</a></em></p><dl class="pil cl"><dt>积分</dt><dd>{number * 31 + 5}</dd></dl><ul class="xl xl2 o cl"><li class="pm2"><a>发消息</a></li></ul></div></td>
<td class="plc"><div class="pi"><strong><a id="postnum{number}"><em>{label}</em></a></strong><div class="pti"><div class="authi"><em id="authorposton{number}">发表于 {post.time}</em><span class="pipe">|</span><a>只看该作者</a></div></div></div>
<div class="pct"><div class="pcb"><div class="t_fsz"><table><tr><td class="t_f" id="postmessage_{8801 + number}">{edited}{"<br />".join(post.said)}</td></tr></table>{notice}</div></div></div></td></tr>
<tr><td class="plc plm"><div class="sign" style="max-height:100px">{["人生若只如初见，何事秋风悲画扇。", "专业维修各种摩托，电话见签名档，童叟无欺。"][number % 2]}</div></td></tr><tr><td class="pls"></td><td class="plc"><div class="po hin"><div class="pob cl"><em><a class="fastre">回复</a></em><p><a>举报</a></p></div></div></td></tr></table></div>{f"<div class='a_pr'><a href='/ad'>{ADS[0]}</a></div>" if number == 1 else ""}"""

    yield (
        "Discuz! board: tables, ranks, signatures, a notice of the moderator",
        page(
            f"{BOOKS.title} - 生活百科 - 澄江社区 - Powered by Discuz!",
            f"{MENU}<div id='pt'><a>澄江社区</a> › <a>生活</a> › <a>生活百科</a></div><div id='postlist' class='pl bm'><table><tr><td class='pls'><div class='hm'>查看: 1842|回复: 5</div></td><td class='plc'><h1 class='ts'><span id='thread_subject'>{BOOKS.title}</span></h1><span><a>[复制链接]</a></span></td></tr></table>"
            + "".join(discuz(number, post) for number, post in enumerate(BOOKS.posts))
            + f"</div><div id='f_pst'><table><tr><td>您需要登录后才可以回帖 <a>登录</a> | <a>立即注册</a></td></tr></table></div>{FOOT}",
            "<meta name='generator' content='Discuz! X3.4'>",
        ),
        BOOKS.text,
    )

    def phpbb(number: int, post: Post) -> str:
        return f"""<div id="p{310 + number}" class="post has-profile bg{number % 2 + 1}"><div class="inner"><dl class="postprofile" id="profile{310 + number}"><dt class="has-profile-rank"><a class="username" href="./memberlist.php?u={number}">{post.who}</a></dt><dd class="profile-rank">{["普通会员", "版主"][number % 2]}</dd><dd class="profile-posts"><strong>帖子:</strong> <a>{number * 13}</a></dd><dd class="profile-joined"><strong>注册时间:</strong> 2019-0{number + 1}-12 08:30</dd></dl>
<div class="postbody"><div id="post_content{310 + number}"><h3><a href="#p{310 + number}">{"Re: " if number else ""}{FERRY.title}</a></h3><ul class="post-buttons"><li><a title="引用">引用</a></li></ul><p class="author"><a>帖子</a>由 <strong><a class="username">{post.who}</a></strong> » {post.time}</p><div class="content">{"<br>".join(post.said)}</div><div id="sig{310 + number}" class="signature">愿你出走半生，归来仍是少年。（{post.who}）</div></div></div></div></div><hr class="divider">"""

    yield (
        "phpBB: profiles beside posts, joined dates, a signature of each",
        page(
            f"{FERRY.title} - 老照片论坛",
            f"{MENU}<div id='page-body'><h2 class='topic-title'><a href='./viewtopic.php?t=310'>{FERRY.title}</a></h2>"
            + "".join(phpbb(number, post) for number, post in enumerate(FERRY.posts))
            + f"<div class='action-bar'>5 篇帖子 • 分页: 1 / 1</div></div><div class='copyright'>Powered by phpBB® Forum Software</div>{FOOT}",
            "<link rel='canonical' href='http://old.example/viewtopic.php?t=310'>",
        ),
        FERRY.text,
    )

    def xenforo(number: int, post: Post) -> str:
        reactions = "<div class='reactionsBar'><a>听雨的猫, Kevin 与其他 3 人</a></div>" if number == 1 else ""
        return f"""<article class="message message--post js-post" id="js-post-{77 + number}" data-author="{post.who}"><div class="message-inner"><div class="message-cell message-cell--user"><section class="message-user"><h4 class="message-name"><a class="username">{post.who}</a></h4><h5 class="userTitle message-userTitle">{["会员", "资深会员", "管理成员"][number % 3]}</h5><div class="message-userExtras"><dl class="pairs pairs--justified"><dt>注册</dt><dd>2021-08-0{number + 1}</dd></dl><dl class="pairs pairs--justified"><dt>消息</dt><dd>{number * 17 + 4}</dd></dl></div></section></div>
<div class="message-cell message-cell--main"><div class="message-main"><header class="message-attribution"><ul class="message-attribution-main listInline"><li class="u-concealed"><a><time class="u-dt" datetime="2025-11-0{post.day}T10:00:00+0800">2025-11-0{post.day}</time></a></li></ul><ul class="message-attribution-opposite"><li><a>#{number + 1}</a></li></ul></header><div class="message-content"><div class="message-userContent lbContainer"><article class="message-body js-selectToQuote"><div class="bbWrapper">{"<br />".join(post.said)}</div></article></div><aside class="message-signature"><div class="bbWrapper">骑得慢一点，看得多一点。</div></aside></div><footer class="message-footer">{reactions}</footer></div></div></div></article>"""

    yield (
        "XenForo: articles with attributions, stated as a posting of a forum",
        page(
            f"{BRIDGE.title} | 两轮论坛",
            f"{MENU}<div class='p-title'><h1 class='p-title-value'>{BRIDGE.title}</h1></div><div class='p-description'><ul><li><a>听雨的猫</a></li><li><a>2025-11-03</a></li></ul></div><div class='block-body js-replyNewMessageContainer'>"
            + "".join(xenforo(number, post) for number, post in enumerate(BRIDGE.posts))
            + f"</div><div class='p-body-sidebar'><h3>热门主题</h3><ul>{MORE}</ul></div>{FOOT}",
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":"DiscussionForumPosting","headline":"线"}</script>',
        ),
        BRIDGE.text,
    )

    def discourse(number: int, post: Post) -> str:
        return f"""<div id='post_{number + 1}' itemprop='comment' itemscope itemtype='http://schema.org/Comment' class='topic-body crawler-post'><div class='crawler-post-meta'><span class="creator" itemprop='author'><a rel='nofollow' href='/u/{number}'><span itemprop='name'>{post.who}</span></a></span><span class="crawler-post-infos"><time datetime='2025-11-0{post.day}T08:00:00Z' class='post-time'>{post.time}</time><span itemprop='position'>{number + 1}</span></span></div><div class='post' itemprop='text'>{paragraphs(list(post.said))}</div><div itemprop='interactionStatistic'><span class='post-likes'>{number + 2} 个赞</span></div></div>"""

    yield (
        "Discourse as crawlers are shown it",
        page(
            f"{RICE.title} - 生活技巧 - 厨房小组",
            f"<header><a href='/'>厨房小组</a></header><div id='main-outlet'><div id='topic-title'><h1><a href='/t/topic/88'>{RICE.title}</a></h1><div class='topic-category'><a>生活技巧</a></div></div><div itemscope itemtype='http://schema.org/DiscussionForumPosting'>"
            + "".join(discourse(number, post) for number, post in enumerate(RICE.posts))
            + f"</div><div id='related-topics'><h2>相关话题</h2><table>{links('炖汤要不要撇沫', '高压锅煮豆子', '铁锅怎么开锅才不粘', wrap='<tr><td>{}</td><td>3</td><td>2025 年10 月 5 日</td></tr>')}</table></div></div><footer>由 Discourse 驱动</footer>",
            "<meta name='generator' content='Discourse 3.4.0'>",
        ),
        RICE.text,
    )


def _lists() -> Iterator[tuple[str, str, str]]:
    def reply(number: int, post: Post) -> str:
        return f"""<div class="reply" id="reply{number}" data-floor="{number}"><div class="avatar"><a href="/{number}"></a></div><div id="reply-{4100 + number}"><div class="infos"><div class="info"><a class="user-name">{post.who}</a> <a class="reply-floor" href="#reply{number}">#{number}</a> <a class="time">{12 - number} 天前</a></div><div class="markdown">{paragraphs(list(post.said))}</div><div class="actions"><a class="likeable">{number} 个赞</a></div></div></div></div>"""

    first, *others = BOOKS.posts
    yield (
        "first post in a card, replies in a list of another make",
        page(
            f"{BOOKS.title} · 旧书社",
            f"<div class='navbar'>{MENU}</div><div id='main'><div class='topic-detail card'><div class='card-header'><h1 class='media-heading'><a class='node'>求助</a> {BOOKS.title}</h1><div class='info'><a>{first.who}</a> · 13 天前 · 最后由 <a>Kevin</a> 回复于 2 天前 · 1350 次阅读</div></div><div class='card-body markdown'>{paragraphs(list(first.said))}</div><div class='card-footer'><a>2 个赞</a></div></div><div id='replies' class='card'><div class='total'>共收到 5 条回复</div><div class='items'>"
            + "".join(reply(number, post) for number, post in enumerate(others, 1))
            + f"</div></div><div class='box' id='reply'>需要 <a>登录</a> 后方可回复，如果你还没有账号请 <a>注册新账号</a></div></div><div id='sidebar'><div class='user-card'><div>{first.who}</div><div>藏书不多，读书更少。</div></div></div>{FOOT}",
            "<meta name='generator' content='Homeland 3.9.0'>",
        ),
        BOOKS.text,
    )

    def floor(number: int, post: Post) -> str:
        nested = (
            f"""<div class="core_reply_content"><ul><li class="lzl_single_post"><div class="lzl_cnt"><a class="at">北窗</a>: <span class="lzl_content_main">{_NESTED[0]}</span><div class="lzl_content_reply"><span class="lzl_time">2025-11-9 08:10</span><a>回复</a></div></div></li>
<li class="lzl_single_post"><div class="lzl_cnt"><a class="at">老张修车</a>: <span class="lzl_content_main">{_NESTED[1]}</span><div class="lzl_content_reply"><span class="lzl_time">2025-11-9 09:32</span><a>回复</a></div></div></li><li class="lzl_li_pager"><a>我也说一句</a></li></ul></div>"""
            if number == 1
            else ""
        )
        return f"""<div class="l_post l_post_bright"><div class="d_author"><ul class="p_author"><li class="d_name"><a>{post.who}</a></li><li class="l_badge"><div class="p_badge"><a class="user_badge"><div class="d_badge_title">{["初级粉丝", "中级粉丝", "铁杆会员"][number % 3]}</div><div class="d_badge_lv">{number + 4}</div></a></div></li></ul></div><div class="d_post_content_main"><div class="p_content"><div class="j_ueg_post_content p_forbidden_tip">该楼层疑似违规已被系统折叠 <a>隐藏此楼</a><a>查看此楼</a></div><div id="post_content_{5600 + number}" class="d_post_content">{"<br>".join(post.said)}</div></div>
<div class="core_reply"><div class="core_reply_tail"><div class="post-tail-wrap"><span>来自<a>Android客户端</a></span><span class="tail-info">{number + 1}楼</span><span class="tail-info">{post.time}</span></div></div>{nested}</div></div></div>""" + (
            f"<div class='ad-wrapper'><a href='/ad'><div>{ADS[1]}</div></a><div>2025-11-20 广告</div></div>"
            if number == 2
            else ""
        )

    body = [BRIDGE.title]
    for number, post in enumerate(BRIDGE.posts):
        body += post.said
        body += [f"北窗: {_NESTED[0]}", f"老张修车: {_NESTED[1]}"] if number == 1 else []
    yield (
        "floors with answers to answers, times below the posts",
        page(
            f"{BRIDGE.title}【骑行吧】_澄江贴吧",
            f"{MENU}<div class='card_title'><a>骑行吧</a> 关注：1,858 贴子：4,488</div><div class='l_thread_info'><ul><li class='l_reply_num'>5回复贴，共1页</li></ul></div><div class='core_title_wrap'><h3 class='core_title_txt'>{BRIDGE.title}</h3><ul><li><a>只看楼主</a></li><li><a>收藏</a></li></ul></div><div class='p_postlist' id='j_p_postlist'>"
            + "".join(floor(number, post) for number, post in enumerate(BRIDGE.posts))
            + f"</div><div class='region_bright'><h4>贴吧热议榜</h4><ul>{MORE}</ul></div>{FOOT}",
        ),
        "\n".join(body),
    )

    def item(number: int, post: Post) -> str:
        return f"<li><div class='bd'><div class='hd'><b>{post.who}</b> <em>{number}楼</em> <span>{number + 2}小时前</span></div><p>{'</p><p>'.join(post.said)}</p><div class='op'><a>支持(0)</a> <a>引用</a></div></div></li>"

    yield (
        "boxes that name nothing: paragraphs in a list, known by labels",
        page(
            f"{FERRY.title}-城南旧事-本地论坛",
            f"{MENU}<div class='w'><h1>{FERRY.title}</h1><div class='x'><span>楼主</span><span>听雨的猫</span><span>2025-11-03 10:20</span><a>只看楼主</a></div><div class='y'>{paragraphs(list(FERRY.posts[0].said))}</div><div class='z'><a>赞 12</a> <a>收藏</a> <a>举报</a></div><ul class='k'>"
            + "".join(item(number, post) for number, post in enumerate(FERRY.posts[1:], 2))
            + f"</ul><div class='z'><a>发表新帖</a></div></div><div class='r'><h4>热门话题</h4><ul>{MORE}</ul></div>{FOOT}",
        ),
        FERRY.text,
    )


def _short() -> Iterator[tuple[str, str, str]]:
    """Threads of few words, in traditional characters, without a time: what the others do not have."""
    few = talk(
        "南门的早点摊还在吗", "上周去没见着，是不是搬走了？", "搬到菜场里面了", "第三个门进去就是", "谢谢，明天去"
    )
    floors = "".join(
        f"<div class='reply'><div class='reply-user'><a href='/space?uid={number}'>{post.who}</a></div><div class='reply-time'>{number + 1}楼 2025-11-1{number} 08:00</div><div class='reply-text'>{post.said[0]}</div></div>"
        for number, post in enumerate(few.posts)
    )
    yield (
        "thread of forty characters below a hundred links",
        page(
            f"{few.title} - 早点地图 - 澄江论坛",
            f"{MENU}<div>{links(*(f'热门话题第{number}期：{name}' for number in range(12) for name in ('旧书集市', '河堤步道')))}</div><div class='thread'><h1>{few.title}</h1><div><a>只看楼主</a></div>{floors}</div>{FOOT}",
            "<link rel='canonical' href='http://bbs.example/thread-8812-1-1.html'>",
        ),
        few.text,
    )
    rows = "".join(
        f"<div class='plc cl' id='pid{number}'><ul class='authi'><li class='grey'><em>{number + 1}樓</em><a href='home.php?mod=space&uid={number}'>{post.who}</a></li><li class='grey rela'>發表於 {post.time}</li></ul><div class='message'>{'<br>'.join(map(in_traditional, post.said))}</div><div class='sign'>{in_traditional('愿风吹过每一片麦田。')}</div><div><a>檢舉</a> <a>引言</a></div></div>"
        for number, post in enumerate(BOOKS.posts)
    )
    yield (
        "board in traditional characters",
        page(
            f"{in_traditional(BOOKS.title)} - 居家生活 - 島上論壇",
            f"<div><a>島上論壇</a> &gt; <a>居家生活</a></div><h2>{in_traditional(BOOKS.title)}</h2><div>瀏覽: 1203 | 回覆: 5</div><div><a>只看樓主</a></div>{rows}<footer>島上論壇 版權所有</footer>",
        ),
        in_traditional(BOOKS.text),
    )
    nameless = "".join(
        f"<div class='answer-card'><div class='from'><a href='/people/{number}'>{post.who}</a></div><div class='to-read'>{paragraphs(list(post.said))}</div><div class='foot'><button>赞</button></div></div>"
        for number, post in enumerate(RICE.posts[1:])
    )
    yield (
        "answers without any time",
        page(
            f"{RICE.title} - 有问",
            f"{MENU}<div class='question'><h1>{RICE.title}</h1><div class='question-text'>{RICE.posts[0].said[0]}</div></div><h2>全部回答</h2>{nameless}<div><a>写回答</a></div>{FOOT}",
        ),
        RICE.text,
    )


def _home_made() -> Iterator[tuple[str, str, str]]:
    """Boards that many sites run in their own dress: little in them says what they are."""
    first, *others = BRIDGE.posts
    cells = "".join(
        f"<div class='cell reply_area reply_item' id='5f1c9a{number}e8d33b0012ab'><div class='author_content'><a href='/user/{number}' class='user_avatar'></a><div class='user_info'><a class='dark reply_author' href='/user/{number}'>{post.who}</a><a class='reply_time'>{number}楼•{number + 1} 年前</a></div><div class='user_action'><span>{number or ''}</span></div></div><div class='reply_content from-{number}'><div class='markdown-text'>{paragraphs(list(post.said))}</div></div></div>"
        for number, post in enumerate(others, 1)
    )
    yield (
        "community of a library: cells below a topic",
        page(
            f"{BRIDGE.title} - 节点骑行社区",
            f"{MENU}<div id='content'><div class='panel'><div class='header topic_header'><span class='topic_full_title'>{BRIDGE.title}</span><div class='changes'><span>发布于 3 年前</span> <span>作者 <a>{first.who}</a></span> <span>1203 次浏览</span> <span>来自 问答</span></div></div><div class='inner topic'><div class='topic_content'><div class='markdown-text'>{paragraphs(list(first.said))}</div></div></div></div><div class='panel'><div class='header'><span class='col_fade'>5 回复</span></div>{cells}</div></div><div id='sidebar'><div class='panel'><div class='header'>无人回复的话题</div><ul>{MORE}</ul></div></div>{FOOT}",
        ),
        BRIDGE.text,
    )
    first, *others = BOOKS.posts
    items = "".join(
        f"<li data-id='{number}' class='{'jieda-daan' if number == 1 else ''}'><div class='detail-about detail-about-reply'><a class='fly-avatar' href='/u/{number}'></a><div class='fly-detail-user'><a href='/u/{number}' class='fly-link'><cite>{post.who}</cite></a></div><div class='detail-hits'><span>2025-11-{post.day}</span></div></div><div class='detail-body jieda-body photos'>{paragraphs(list(post.said))}</div><div class='jieda-reply'><span class='jieda-zan'>赞 <em>{number}</em></span> <span>回复</span></div></li>"
        for number, post in enumerate(others, 1)
    )
    yield (
        "board whose posts are called solutions",
        page(
            f"{BOOKS.title} 飞读社区",
            f"{MENU}<div class='fly-panel detail-box'><h1>{BOOKS.title}</h1><div class='fly-detail-info'><span>提问</span> <span>已结</span></div><div class='detail-about'><a class='fly-avatar'></a><div class='fly-detail-user'><a><cite>{first.who}</cite></a> <span>2025-11-03</span></div><div class='detail-hits'><span>悬赏：20飞币</span></div></div><div class='detail-body photos'>{paragraphs(list(first.said))}</div></div><div class='fly-panel detail-box' id='flyReply'><fieldset><legend>回帖</legend></fieldset><ul class='jieda' id='jieda'>{items}</ul></div><div class='fly-panel'><h3>本周热议</h3><dl>{links('装修师傅哪里找', '旧自行车换什么胎', '河堤夜跑', wrap='<dd>{} <span>16</span></dd>')}</dl></div>{FOOT}",
        ),
        BOOKS.text,
    )
    question, *answers = RICE.posts
    items = "".join(
        f"<div class='aw-item' id='answer_list_{number}'><div class='mod-head'><a class='anchor'></a><p><a class='aw-user-name' href='/people/{number}'>{post.who}</a> - <span class='text-color-999'>认真回答每一个问题</span></p><p class='text-color-999 aw-agree-by'>赞同来自: <a>北窗</a></p></div><div class='mod-body clearfix'><div class='markitup-box'>{'<br>'.join(post.said)}</div></div><div class='mod-footer'><div class='meta clearfix'><span class='pull-right'>2025-11-{post.day} 12:20</span><a>{number}</a> <a>0 条评论</a> <a>分享</a></div></div></div>"
        for number, post in enumerate(answers, 1)
    )
    yield (
        "questions of a knowledge community",
        page(
            f"{RICE.title} - 知灶社区",
            f"{MENU}<div class='aw-mod aw-question-detail'><div class='mod-head'><h1>{RICE.title}</h1></div><div class='mod-body'><div class='content markitup-box'>{question.said[0]}</div></div><div class='mod-footer'><div class='meta'><span>2025-11-03</span> <a>添加评论</a> <a>分享</a></div></div></div><div class='aw-mod'><div class='mod-head'><h2>3 个回复</h2></div><div class='mod-body aw-feed-list'>{items}</div></div><div class='aw-replay-box'><p>要回复问题请先<a>登录</a>或<a>注册</a></p></div><div class='aw-side-bar'><h3>问题状态</h3><ul><li>最新活动: 2025-11-12</li><li>浏览: 2310</li><li>关注: 4 人</li></ul></div>{FOOT}",
        ),
        RICE.text,
    )


def _programs() -> Iterator[tuple[str, str, str]]:
    """Forums that are programs: what they show where scripts do not run, and what where these ran."""
    posts = "".join(
        f"<article><div class='PostUser'><h3 class='PostUser-name'>{post.who}</h3></div><div class='Post-body'>{paragraphs(list(post.said))}</div></article><hr>"
        for post in RICE.posts
    )
    yield (
        "Flarum before its scripts ran: the posts stand in noscript",
        page(
            f"{RICE.title} - 灶台边",
            f"<div id='app' class='App'><div id='drawer'><header id='header' class='App-header'><div id='home-link'><a href='/'>灶台边</a></div></header></div><main class='App-content'><div id='content'></div><div id='flarum-loading' style='display: none'>正在加载…</div><noscript><div class='Alert'><div class='container'>要完整使用本站，请打开浏览器的脚本功能。</div></div></noscript><noscript id='flarum-content'><div class='container'><h1>{RICE.title}</h1><div>{posts}</div></div></noscript></main></div><script>document.getElementById('flarum-loading').style.display = 'block';</script>",
            "<link rel='canonical' href='https://zao.example/d/88'>",
        ),
        RICE.text,
    )
    rendered = "".join(
        f"<div class='topic-post clearfix regular'><article id='post_{number + 1}' class='boxed onscreen-post' data-post-id='{900 + number}'><div class='row'><div class='topic-avatar'></div><div class='topic-body clearfix'><div class='topic-meta-data'><div class='names trigger-user-card'><span class='first username'><a href='/u/{number}'>{post.who}</a></span><span class='user-title'>{['普通用户', '活跃用户', '领导者'][number % 3]}</span></div><div class='post-infos'><div class='post-info post-date'><a class='post-date'><span class='relative-date'>{['2023 年10 月', '11 天', '17 小时', '3月17日'][number % 4]}</span></a></div></div></div><div class='regular contents'><div class='cooked'>{paragraphs(list(post.said))}</div><section class='post-menu-area clearfix'><nav class='post-controls'><span>{number} 个赞</span> <button>回复</button></nav></section></div></div></div></article></div>"
        for number, post in enumerate(CATS.posts)
    )
    yield (
        "Discourse after its scripts ran: relative dates, titles of members",
        page(
            f"{CATS.title} - 日常 - 灶台边",
            f"<div id='main-outlet'><div id='topic-title'><div class='title-wrapper'><h1><a class='fancy-title'>{CATS.title}</a></h1><div class='topic-category'><a>日常</a></div></div></div><div class='posts-wrapper'><div class='post-stream'>{rendered}</div></div><div class='more-topics'><h3>新建和未读话题</h3><table class='topic-list'>{links('炖汤要不要撇沫', '高压锅煮豆子', '铁锅怎么开锅', wrap='<tr><td>{}</td><td>3</td><td>17 天</td></tr>')}</table></div></div><noscript><div class='scriptless'>{paragraphs(list(CATS.posts[0].said))}</div></noscript>",
            "<meta name='generator' content='Discourse 3.4.0'><meta id='data-discourse-setup'>",
        ),
        CATS.text,
    )


CATS = talk(
    "猫总在凌晨四点把人叫醒",
    "每天四点整蹲在枕头边上叫，不理它就伸爪子拍脸，喂了也不吃，只是要人起来陪它走一圈。有什么办法让它睡到六点？",
    ["睡前陪它玩到喘气为止，再喂一顿，猫吃饱了才会睡长觉。", "坚持一个星期，中间千万不要理它，理一次前功尽弃。"],
    "换成自动喂食器，定在四点半，它就去蹲喂食器了",
    "我家的试过，没用，后来把卧室门关上，叫了三个晚上就不叫了。",
)
_NESTED = ("那八百米现在也铺好了，上个月刚通的车。", "真的吗，那我这周就去，省得换外胎")


def _questions() -> Iterator[tuple[str, str, str]]:
    question, *answers = RICE.posts

    def answer(number: int, post: Post) -> str:
        return f"""<div class="List-item"><div class="ContentItem AnswerItem" itemprop="suggestedAnswer" itemscope itemtype="http://schema.org/Answer"><div class="ContentItem-meta"><div class="AuthorInfo"><span class="UserLink AuthorInfo-name"><a href="/people/{number}">{post.who}</a></span><div class="AuthorInfo-detail">{["二十年家庭煮夫", "材料学在读", "爱吃米饭"][number % 3]}</div></div><div class="Voters"><button>{number * 128 + 3} 人赞同了该回答</button></div></div><div class="RichContent"><div class="RichContent-inner"><span class="RichText ztext CopyrightRichText-richText" itemprop="text">{paragraphs(list(post.said))}</span></div><div class="ContentItem-time"><a><span>发布于 {post.time}</span></a></div><div class="ContentItem-actions"><button>赞同 {number * 128 + 3}</button><button>{number + 4} 条评论</button><button>分享</button><a>收藏</a></div></div></div></div>"""

    side = f"<div class='Question-sideColumn'><div class='Card'><h2>关于作者</h2><div>老张修车</div><div>修车三十年，煮饭四十年。</div></div><div class='Card SimilarQuestions'><h2>相关问题</h2><ul>{links('高原上怎么煮面条？', '砂锅饭的锅巴怎么才香？', '糙米要泡多久？', wrap='<li>{} 12 个回答</li>')}</ul></div></div>"
    yield (
        "question with answers of several people, as an encyclopaedia of opinions has them",
        page(
            f"{RICE.title} - 问吧",
            f"<header class='AppHeader'>{MENU}</header><div class='QuestionPage' itemscope itemtype='http://schema.org/Question'><div class='QuestionHeader'><h1 class='QuestionHeader-title'>{RICE.title}</h1><div class='QuestionRichText'><span class='RichText ztext' itemprop='text'>{question.said[0]}</span></div><div><button>关注问题</button><button>写回答</button><button>邀请回答</button><span>2 条评论</span></div></div><div class='Question-main'><div class='Question-mainColumn'><h4 class='List-headerText'><span>3 个回答</span></h4><div class='List'>"
            + "".join(map(answer, range(3), answers))
            + f"</div></div>{side}</div></div>{FOOT}",
        ),
        RICE.text,
    )

    def voted(number: int, post: Post, kind: str) -> str:
        comment = (
            "<ul class='comments-list'><li class='comment'><div class='comment-body'><span class='comment-copy'>泡过了再煮确实好，谢谢！</span> – <a class='comment-user'>听雨的猫</a> <span class='comment-date'>11月6日 9:12</span></div></li></ul>"
            if number == 1
            else ""
        )
        return f"""<div id="{kind}-{9000 + number}" class="{kind}" itemscope itemtype="https://schema.org/{kind.title()}"><div class="post-layout"><div class="votecell"><div class="js-vote-count">{number + 3}</div></div><div class="{kind}cell post-layout--right"><div class="s-prose js-post-body" itemprop="text">{paragraphs(list(post.said))}</div><div class="post-signature"><div class="user-info"><div class="user-action-time">{"回答" if number else "提问"}于 2025年11月{post.day}日 9:1{number}</div><div class="user-details"><a>{post.who}</a><span class="reputation-score">{number * 211 + 1}</span></div></div></div></div></div>{comment}</div>"""

    text = RICE.text.split("\n")
    at = text.index(RICE.posts[1].said[-1]) + 1
    yield (
        "question and answers with votes, times below",
        page(
            f"{RICE.title} - 厨房问答",
            f"<header>{MENU}</header><div id='content' itemscope itemtype='https://schema.org/QAPage'><div id='question-header'><h1><a href='/questions/9000'>{RICE.title}</a></h1></div><div><span>提问于 今天</span> <span>浏览 1,203</span></div><div id='mainbar'>"
            + voted(0, RICE.posts[0], "question")
            + "<div id='answers'><div id='answers-header'><h2>3 个回答</h2></div>"
            + "".join(voted(number, post, "answer") for number, post in enumerate(answers, 1))
            + f"</div><h2>您的回答</h2><form><p>请确保回答的是问题本身，并写明理由。</p></form></div><div id='sidebar'><h4>相关问题</h4><div>{MORE}</div></div></div>{FOOT}",
        ),
        "\n".join([*text[:at], "泡过了再煮确实好，谢谢！", *text[at:]]),
    )
    best, *rest = answers
    yield (
        "best answer in a box of its own above the other answers",
        page(
            f"{RICE.title}_澄江知道",
            f"<div id='header'>{MENU}</div><div class='qb-content'><div class='wgt-ask'><h1><span class='ask-title'>{RICE.title}</span></h1><div class='line mt-5 q-content'><span class='con'>{question.said[0]}</span></div><div class='ask-info'><span>浏览 1024 次</span> <span>提问时间：2025-11-03</span></div></div><div class='wgt-best'><div class='hd'><span>最佳答案</span></div><div class='best-answerer'><a>老张修车</a> 推荐于 2025-11-05</div><div class='best-text mb-10'>{'<br>'.join(best.said)}</div><div class='eval'><a>112</a> <a>9</a> <a>评论</a></div></div><div class='wgt-answers'><div class='hd'><h2>其他回答（2）</h2></div>"
            + "".join(
                f"<div class='answer line'><div class='line info'><a class='user-name'>{post.who}</a> <span class='pos-time'>2025-11-0{post.day}</span></div><div class='line content'><div class='answer-text'><span>{'<br>'.join(post.said)}</span></div></div><div class='line bottom'><a>赞</a> <a>踩</a> <a>评论</a></div></div>"
                for post in rest
            )
            + f"</div></div><div class='qb-side'><h3>相关问题</h3><ul>{links('电饭煲内胆掉漆还能用吗', '煮饭放多少水合适', '糙米饭怎么煮才软', wrap='<li>{}<span>2025-10-02</span></li>')}</ul></div>{FOOT}",
        ),
        RICE.text,
    )
    yield (
        "question with a single answer",
        page(
            f"{BRIDGE.title}？ - 骑行问答",
            f"{MENU}<div class='question-detail'><h1 class='question-title'>{BRIDGE.title}？</h1><div class='question-user'>听雨的猫 提问于 2025-11-03</div><div class='question-content'>{paragraphs(list(BRIDGE.posts[0].said))}</div></div><div class='answers-wrap'><h3>1个回答</h3><div class='answer-item'><div class='answer-user'><a>老张修车</a><span>回答于 2025-11-05</span></div><div class='answer-content'><p>{BRIDGE.posts[3].said[0]}</p></div><div class='answer-bar'><a>有用(3)</a><a>评论</a></div></div></div><div class='answer-form'><h3>我来回答</h3></div>{FOOT}",
        ),
        "\n".join([f"{BRIDGE.title}？", *BRIDGE.posts[0].said, *BRIDGE.posts[3].said]),
    )


def articles_with_remarks() -> list[Layout]:
    """Articles whose text ends above what readers remark, in boxes that look like posts."""
    return [Layout(name, markup, "\n".join(other(key))) for name, key, markup in _articles()]


REMARKS = (
    "看完想起小时候，外公也是撑船的。",
    "写得好，支持作者，希望多发这样的文章。",
    "楼主说的桥我上个月还去过，现在不收费了。",
    "这篇文章的观点我不太同意，事情没有这么简单，背后还有很多原因没有讲到。",
)


def _articles() -> Iterator[tuple[str, str, str]]:
    remarks = "".join(
        f"<div class='item'><div class='user'><a>网友{number}</a> <span class='floor'>{number}楼</span> <span class='time'>2025-11-0{number} 10:12</span></div><div class='content'><p>{text}</p></div><div class='act'><a>回复</a> <a>顶(3)</a> <a>举报</a></div></div>"
        for number, text in enumerate(REMARKS, 1)
    )
    yield (
        "news with remarks in floors",
        "bridge-walk",
        page(
            "一天看五座半石桥 - 澄江晚报",
            f"{MENU}<div class='article'><h1>一天看五座半石桥</h1><div class='info'>2025-11-01 09:00 来源：澄江晚报</div><div class='text'>{paragraphs(other('bridge-walk'))}</div></div><div class='post-list'><h3>网友评论</h3><div>共 4 条回复</div>{remarks}</div><div><h3>热门文章</h3><ul>{MORE}</ul></div>{FOOT}",
        ),
    )
    names = ("沙发", "板凳", "地板", "4楼")
    yield (
        "blog that calls its first remarks sofa, bench and floor",
        "recipe",
        page(
            "雪菜豆腐的做法 | 小灶",
            f"{MENU}<div id='content'><div class='post'><h2 class='entry-title'>雪菜豆腐的做法</h2><div class='meta'>2025年11月3日 · 分类：家常菜</div><div class='entry'>{paragraphs(other('recipe'))}</div></div><div id='replies'><h3>4 条回复</h3><ol>"
            + "".join(
                f"<li id='reply-{number}'><div class='vcard'><cite>访客{number}</cite> <span>{names[number]}</span> <a>2025年11月{number + 4}日 20:11</a></div><div class='body'><p>{text}</p></div><a>回复</a></li>"
                for number, text in enumerate(REMARKS)
            )
            + f"</ol></div></div>{FOOT}",
            "<meta name='generator' content='WordPress 6.7'>",
        ),
    )
    yield (
        "portal of a board's software",
        "market-evening",
        page(
            "老码头早市搬家记 - 澄江社区 - Powered by Discuz!",
            f"{MENU}<div id='ct'><div class='bm vw'><div class='h hm'><h1 class='ph'>老码头早市搬家记</h1><p class='xg1'>2025-11-3 08:30 | 发布者: 市井版 | 查看: 812 | 评论: 4</p></div><div class='d'><table class='vwtb'><tr><td id='article_content'>{paragraphs(other('market-evening'))}</td></tr></table></div></div><div id='comment' class='bm'><h3>最新评论</h3><div id='comment_ul'>"
            + "".join(
                f"<dl id='comment_{number}_li' class='ptm'><dt><span class='y'><a>引用</a></span><a class='xw1'>会员{number}</a> <span class='xg1'>2025-11-{number + 4} 09:1{number}</span></dt><dd>{text}</dd></dl>"
                for number, text in enumerate(REMARKS)
            )
            + f"</div></div></div>{FOOT}",
            "<meta name='generator' content='Discuz! X3.4'><link rel='canonical' href='http://bbs.example/portal.php?mod=view&aid=12'>",
        ),
    )
    yield (
        "news under an address of topics, with boxes that are called so",
        "closed-lane",
        page(
            "夜班司机的二十分钟 - 澄江新闻",
            f"{MENU}<div class='topic'><div class='topic-head'><h1>夜班司机的二十分钟</h1><p>2025-11-02 22:10 澄江新闻</p></div><div class='topic-body'>{paragraphs(other('closed-lane'))}</div></div><div class='talkback'><h3>大家在说</h3>{remarks}</div>{FOOT}",
            "<link rel='canonical' href='http://news.example/news/topics/2025-1102.html'>",
        ),
    )
    yield (
        "diary of a programmer with remarks that have been answered",
        "weather",
        page(
            "把天气预报接进闹钟 - 代码随笔",
            f"{MENU}<div id='main'><div class='post'><h1 class='postTitle'>把天气预报接进闹钟</h1><div class='postBody'>{paragraphs(other('weather'))}</div><div class='postDesc'>posted @ 2025-11-03 21:00 阅读(312) 评论(4)</div></div><div id='comments'><h3>评论列表</h3>"
            + "".join(
                f"<div class='feedbackItem'><div class='feedbackListSubtitle'><a class='layer'>#{number}楼</a> {'[<span>楼主</span>]' if number == 2 else ''} <span class='comment_date'>2025-11-0{number + 3} 12:0{number}</span> <a>读者{number}</a></div><div class='feedbackCon'><div class='blog_comment_body'>{text}</div></div></div>"
                for number, text in enumerate(REMARKS, 1)
            )
            + f"</div></div>{FOOT}",
        ),
    )
    yield (
        "column with a question as its title, and an invitation to ask",
        "review-ferry",
        page(
            "一部小长篇凭什么让人读两遍？ - 书评周刊",
            f"{MENU}<div class='question-banner'><a>我要提问</a></div><div class='detail'><h1>一部小长篇凭什么让人读两遍？</h1><div class='byline'>2025-11-05 10:00</div><div class='detail-body'>{paragraphs(other('review-ferry'))}</div></div><div class='remark-list'><div class='remark-title'>读者评论 (4)</div>{remarks}</div><div class='hot-question'><h4>编辑部问答</h4><ul>{MORE}</ul></div>{FOOT}",
        ),
    )


def lists_of_threads() -> list[Layout]:
    """Pages that only lead to threads: without a text of their own."""
    return [Layout(name, markup, "") for name, markup in _lists_of_threads()]


_OTHER_TALKS = (
    ("阳台种菜第三年的一点心得", "从一盆小葱开始，到现在四季都有得吃，把踩过的坑写在这里，给想试试的人提个醒……"),
    ("旧家具翻新要不要去掉老漆", "收了一张七十年代的写字台，桌面漆起了皮，想重新上木蜡油，又怕磨坏了木纹……"),
    ("河堤夜跑遇到野狗怎么办", "最近水文站那一段多了三四条流浪狗，晚上跑过去会跟着人叫，大家一般怎么处理……"),
    ("孩子三年级字写得歪歪扭扭", "坐姿和握笔都纠正过，写作业一快就原形毕露，有没有过来人说说后来是怎么好的……"),
    ("公交改线以后去南站怎么走", "以前一趟车直达，现在要换两次，带着行李很不方便，有没有少走路的办法……"),
)


def _lists_of_threads() -> Iterator[tuple[str, str]]:
    rows = "".join(
        f"<tbody id='normalthread_{number}'><tr><td class='icn'></td><th><a class='s xst' href='thread-{700 + number}-1-1.html'>{title}</a></th><td class='by'><cite><a href='space-uid-{number}.html'>老张修车</a></cite><em><span>2025-11-{number + 1}</span></em></td><td class='num'><a>{number + 3}</a><em>{number * 90}</em></td><td class='by'><cite><a>Kevin</a></cite><em><a>2025-11-{number + 2} 10:0{number}</a></em></td></tr></tbody>"
        for number, (title, _) in enumerate(_OTHER_TALKS)
    )
    yield (
        "board of a forum",
        page(
            "生活百科 - 澄江社区 - Powered by Discuz!",
            f"{MENU}<div id='pt'><a>澄江社区</a> › <a>生活百科</a></div><div class='bm_h'><h1>生活百科</h1><span>今日: 3 | 主题: 2207</span></div><div id='threadlist'><table>{rows}</table></div><div id='f_pst'><a>发表新帖</a></div>{FOOT}",
            "<meta name='generator' content='Discuz! X3.4'><link rel='canonical' href='http://bbs.example/forum-38-1.html'>",
        ),
    )
    items = "".join(
        f"<div class='question-item'><h3 class='question-title'><a href='/questions/{number + 900}'>{title}？</a></h3><p class='excerpt'><a href='/questions/{number + 900}'>{text}</a></p><div class='info'><a href='/people/{number}'>Kevin</a> <span>提问于 {number + 1} 小时前</span> <span>{number + 2} 个回答</span> <span>浏览 {number * 31 + 7}</span></div></div>"
        for number, (title, text) in enumerate(_OTHER_TALKS)
    )
    yield (
        "list of questions with their beginnings",
        page(
            "最新问题 - 厨房问答",
            f"{MENU}<div class='main'><h1>最新问题</h1><div class='question-list'>{items}</div><div class='pages'><a>下一页</a></div></div>{FOOT}",
            "<link rel='canonical' href='https://ask.example/questions'>",
        ),
    )
