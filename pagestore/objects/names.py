"""Converts keys to names that both file systems and S3 stores accept, so that one store can be copied to the other.

Characters other than letters, digits and a few signs are written as %XX of their UTF-8. So is a dot at the start of a
part: names with a leading dot remain free for other files. A key whose parts consist of `A-Za-z0-9_-=+@,` and inner
dots is its own name.
"""

from urllib.parse import quote, unquote

from core.errors import BrokenInvariant

MAX_PART_BYTES = 255  # per part, the limit of file systems
MAX_NAME_BYTES = 800  # the limit of S3 is 1,024, including the store's prefix (core.service_urls)

_UNQUOTED = "=+@,"  # in addition to what `quote` never escapes: letters, digits, _.-~
_EMPTY_PART = "%"  # an empty part; `quote` never writes a single "%"


def stored_name(key: str) -> str:
    """Return the name under which a key is stored. Raises BrokenInvariant if it is too long.

    >>> stored_name("3f/3f07.gz"), stored_name("../正"), stored_name("a//b")
    ('3f/3f07.gz', '%2E./%E6%AD%A3', 'a/%/b')
    """
    parts = [_quote_part(part) or _EMPTY_PART for part in key.split("/")]
    if max(map(len, parts)) > MAX_PART_BYTES or len("/".join(parts)) > MAX_NAME_BYTES:
        raise BrokenInvariant("store.object-key", key=key[:100], most=MAX_NAME_BYTES, part=MAX_PART_BYTES)
    return "/".join(parts)


def stored_prefix(prefix: str) -> str:
    """Return the common prefix of the names of all keys that begin with `prefix`.

    >>> stored_prefix(""), stored_prefix("3f/"), stored_prefix("a//b")
    ('', '3f/', 'a/%/b')
    """
    *whole, last = prefix.split("/")
    return "/".join([*(_quote_part(part) or _EMPTY_PART for part in whole), _quote_part(last)])


def key_named(name: str) -> str | None:
    """Return the key that is stored under a name, or None if there is no such key.

    >>> key_named("%2E./%E6%AD%A3"), key_named(".probe"), key_named("folder/")
    ('../正', None, None)
    """
    key = "/".join("" if part == _EMPTY_PART else unquote(part, errors="surrogatepass") for part in name.split("/"))
    try:
        return key if stored_name(key) == name else None
    except BrokenInvariant:
        return None


def _quote_part(part: str) -> str:
    quoted = quote(part, safe=_UNQUOTED, errors="surrogatepass")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted
