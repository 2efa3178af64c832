"""Whether a page without the passages may be a wall in its place: login, payment, CAPTCHA, a parked domain.

Nobody can tell for certain, so what may be a wall is not to be seen: a removal that is said too late harms nobody.
"""

from core.wording import Message
from matcher.calibration import DEFAULT as CALIBRATION
from records.models import Address

# A page with more is more than such a notice, as crawler.politeness.bans has it.
MAX_NOTICE_CHARS = 400
# Below it no page could have been found to copy anything, so that nothing is said by its having no passages.
MIN_CHARS = CALIBRATION.min_matched_tokens
# All lists are chosen, not measured: what Chinese and foreign sites write in place of a text that they withhold, or
# have taken down.
WALLS = (
    *("登录", "登錄", "登入", "登陆", "注册", "註冊", "验证", "驗證", "订阅", "訂閱", "会员", "會員", "付费", "付費"),
    *("购买", "購買", "充值", "解锁", "解鎖", "下载app", "vip", "log in", "login", "sign in", "captcha", "subscribe"),
    *("繁忙", "稍后", "稍後", "维护", "維護", "数据库", "資料庫", "maintenance", "try again", "internal error"),
)
# Such words that stand in no menu or foot of a page: they tell a wall also where a page says that nothing is there.
DEMANDS = (
    *("请登录", "請登錄", "请先登录", "登录后", "登錄後", "登入后", "登入後", "验证码", "驗證碼", "安全验证"),
    *("订阅后", "付费", "付費", "购买", "購買", "充值", "解锁", "解鎖", "please log in", "sign in to", "captcha"),
    *("繁忙", "稍后", "稍後", "维护", "維護", "暂停", "数据库", "maintenance", "try again", "internal error"),
    "suspended",
)
# Whole phrases: a foot says "版权所有" or "copyright" on every page.
TAKEN_DOWN = (
    *("下架", "已删除", "已刪除", "被删除", "被刪除", "已移除", "已屏蔽", "因版权", "因版權", "版权原因", "版權原因"),
    *("版权方", "版權方", "涉嫌侵权", "涉嫌侵權", "侵权投诉", "侵權投訴", "has been removed", "been deleted"),
    *("no longer available", "copyright claim", "copyright infring"),
)
NOT_THERE = (
    *TAKEN_DOWN,
    *("不存在", "找不到", "未找到", "没有找到", "沒有找到", "无法找到", "無法找到", "已失效", "404", "not found"),
    "not exist",
)


def says_not_there(text: str) -> bool:
    """Whether a page says of its own that what was asked for is not there, and asks for nothing in its place."""
    said = text.casefold()
    return any(word in said for word in NOT_THERE) and not any(word in said for word in DEMANDS)


def wall(text: str, text_digest: str, site: int, page: str) -> Message | None:
    """Why a page with this text in place of the passages is not to be seen; None where it is the page itself."""
    said, size = text.casefold(), len("".join(text.split()))
    is_notice = size <= MAX_NOTICE_CHARS
    if is_notice and (word := next((word for word in WALLS if word in said), "")):
        return Message("removal.wall", word=word)
    if is_notice and any(word in said for word in TAKEN_DOWN):
        return None
    if size < MIN_CHARS:
        return Message("removal.little-text", chars=size)
    elsewhere = Address.objects.filter(site=site, text_digest=text_digest).exclude(page_id__in=["", page])
    return Message("removal.same-elsewhere") if text_digest and elsewhere.exists() else None
