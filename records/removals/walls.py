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
# Both lists are chosen, not measured: what Chinese and foreign sites write in place of a text that they withhold, or
# have taken down.
WALLS = (
    *("登录", "登錄", "登入", "登陆", "注册", "註冊", "验证", "驗證", "订阅", "訂閱", "会员", "會員", "付费", "付費"),
    *("购买", "購買", "充值", "解锁", "解鎖", "下载app", "vip", "log in", "login", "sign in", "captcha", "subscribe"),
)
TAKEN_DOWN = (
    *("下架", "已删除", "已刪除", "被删除", "被刪除", "已移除", "已屏蔽", "不存在", "版权", "版權", "侵权", "侵權"),
    *("has been removed", "been deleted", "no longer available", "copyright"),
)


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
