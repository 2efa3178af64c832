"""What the charset labels of pages stand for: each by its largest superset, since pages use characters beyond it."""

from w3lib.encoding import resolve_encoding

CHINESE = frozenset({"gb18030", "big5hkscs"})
UNICODE = frozenset({"utf-8", "utf-16-le", "utf-16-be"})
LATIN = frozenset(
    {
        *("cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "mac-roman"),
        *("iso8859-2", "iso8859-3", "iso8859-4", "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16"),
    }
)
# Of encodings for one language or script beside Chinese: the letters that text in them is made of.
SYLLABLES, KANA, RUSSIAN = "\uac00-\ud7a3", "\u3041-\u30fe", "А-Яа-яЁё"
HANGUL = f"\u3131-\u318e{SYLLABLES}"
LETTERS = {
    "cp949": HANGUL,
    **dict.fromkeys(("cp932", "euc_jp"), KANA),
    **dict.fromkeys(("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866"), "\u0400-\u052f"),
    **dict.fromkeys(("cp1253", "iso8859-7"), "\u0370-\u03ff"),
    **dict.fromkeys(("cp1255", "iso8859-8"), "\u0590-\u05ff"),
    **dict.fromkeys(("cp1256", "iso8859-6"), "\u0600-\u06ff"),
}
_READ = CHINESE | UNICODE | LATIN | LETTERS.keys()
# Labels of pages that w3lib does not know, and one that it reads more narrowly.
_MORE = {
    "x-gbk": "gb18030",
    **dict.fromkeys(("cn-big5", "x-x-big5", "cp950"), "big5hkscs"),
    "unicode-1-1-utf-8": "utf-8",
    **dict.fromkeys(("utf-16", "unicode"), "utf-16-le"),
    **dict.fromkeys(("windows-949", "ks_c_5601-1989"), "cp949"),
    "x-euc-jp": "euc_jp",
    "iso-8859-8-i": "iso8859-8",
}


def codec_of(label: str) -> str:
    """The codec that a charset label stands for, "" for one that no page should be read in.

    >>> codec_of("GB2312"), codec_of("utf-7")
    ('gb18030', '')
    """
    plain = label.strip().strip("\"'").lower()
    codec = _MORE.get(plain) or resolve_encoding(plain) or ""
    return codec if codec in _READ else ""
