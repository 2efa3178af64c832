"""Patterns written in simplified characters that match traditional ones as well."""

import re

# Of the characters in labels of forums; 回复 is 回覆 there, and 帖子 may be 貼子.
_TRADITIONAL = dict(
    zip(
        "楼发复帖问题网满荐优质写业个条医专师热阅读点击浏览数关闭对编辑审删撑开为赞谢欢还没无举报评论内间时刚钟"
        "于来写访围观积动亮现线长电达转顶贴驱载录册图证历项选该",
        "樓發覆貼問題網滿薦優質寫業個條醫專師熱閱讀點擊瀏覽數關閉對編輯審刪撐開為讚謝歡還沒無舉報評論內間時剛鐘"
        "於來寫訪圍觀積動亮現線長電達轉頂貼驅載錄冊圖證歷項選該",
        strict=True,
    )
)


def in_both_scripts(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Compile a pattern without classes of such characters, so that each of them matches both of its forms."""
    return re.compile("".join(_both(character) for character in pattern), flags)


def _both(character: str) -> str:
    other = _TRADITIONAL.get(character, character)
    return character if other == character else f"[{character}{other}]"
