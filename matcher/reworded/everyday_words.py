"""Words that most texts have, so that two texts that have one share nothing by it. Chosen by hand."""

_HAN = (
    "一个 一种 一样 一些 一次 一天 一起 一直 自己 时候 知道 什么 怎么 这样 那样 这个 那个 现在 已经 因为 所以 但是 "
    "可是 不是 没有 只是 还是 就是 可以 起来 出来 下来 过来 出去 回来 进来 看见 看到 听见 觉得 认为 开始 后来 以后 "
    "以前 之后 之前 今天 明天 昨天 地方 东西 事情 问题 人们 大家 别人 如果 虽然 然后 于是 而且 或者 非常 很多 许多 "
    "一切 所有 其他 第一 第二 每天 每个 几个 时间 年来 当时 有人 不能 不会 不要 应该 需要 可能 一定 似乎 好像 比如 "
    "例如 关于 通过 进行 成为 作为 由于 对于"
)
_LATIN = (
    "that this with from have been were they them their there then than what when where which while whose would could "
    "should about after again before because being between both does doing down each every from into itself just like "
    "made make many more most much must never nothing once only other over same some something such taken than these "
    "thing things think those through time under until upon very want well went will without your yours said says "
    "still came come back even ever here himself herself know known long look looked down also always another anything "
    "around away didn't don't isn't wasn't it's that's day days first last little good people year years asked told "
    "took found gave give gone left might mine myself ours part place put right saw seen side since soon"
)
EVERYDAY, EVERYDAY_LATIN = frozenset(_HAN.split()), frozenset(_LATIN.split())
