"""Reads Chinese numerals: 一百零三, 二〇四, 廿一, the formal 壹贰叁, in both scripts."""

DIGITS = {
    char: value
    for value, chars in enumerate(
        ("〇零○Ｏ", "一壹弌", "二贰貳两兩弍", "三叁參弎", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
    )
    for char in chars
}
UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
TENS = {"廿": 20, "卅": 30, "卌": 40}
MYRIADS = {"万": 10_000, "萬": 10_000}
NUMERAL_CHARS = "".join([*DIGITS, *UNITS, *TENS, *MYRIADS])
MAX_DIGITS = 9  # of a numeral without units; further digits are ignored


def chinese_number(text: str) -> int | None:
    """Return the value of a numeral, which may mix Chinese and Arabic digits, or None if the text is not a numeral.

    >>> [chinese_number(text) for text in ("一百零三", "二〇四", "廿一", "十", "1百2十", "春", "")]
    [103, 204, 21, 10, 120, None, None]
    """
    values = {char: int(char) if char.isdecimal() else DIGITS.get(char, -1) for char in text}
    if text and min(values.values()) >= 0:
        return int("".join(str(values[char]) for char in text[:MAX_DIGITS]))
    total = section = pending = 0
    for char in text:
        if values[char] >= 0:
            pending = pending * 10 + values[char]
        elif char in UNITS:
            section, pending = section + (pending or 1) * UNITS[char], 0
        elif char in TENS:
            section, pending = section + TENS[char], 0
        elif char in MYRIADS:
            total, section, pending = total + (section + pending or 1) * MYRIADS[char], 0, 0
        else:
            return None
    return total + section + pending if text else None
