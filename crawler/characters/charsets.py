"""What the charset labels of pages stand for: each by its largest superset, since pages use characters beyond it."""

_BY_LABEL = {
    **dict.fromkeys(
        ("gb2312", "gb_2312-80", "gbk", "x-gbk", "cp936", "ms936", "euc-cn", "gb18030", "chinese"), "gb18030"
    ),
    **dict.fromkeys(("big5", "big5-hkscs", "big5hkscs", "cn-big5", "x-x-big5", "csbig5", "cp950"), "big5hkscs"),
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16-le", "unicode"), "utf-16-le"),
    **dict.fromkeys(("utf-16be", "utf-16-be"), "utf-16-be"),
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252", "us-ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j"), "cp932"),
    "euc-jp": "euc_jp",
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "cp949"), "cp949"),
    **dict.fromkeys(("windows-1251", "cp1251"), "cp1251"),
    "koi8-r": "koi8-r",
}


def codec_of(label: str) -> str:
    """The codec that a charset label stands for, "" for one that no page should be read in.

    >>> codec_of("GB2312")
    'gb18030'
    """
    return _BY_LABEL.get(label.strip().strip("\"'").lower(), "")
