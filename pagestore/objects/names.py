"""Keys as names that a file system and an S3 store both take: the same in both, so that one may be copied to the other.

All but letters, digits and a few signs is written as %XX of its UTF-8; so is a point that begins a part of a key, which
leaves names with one free for other files. A key whose parts are of `A-Za-z0-9_-=+@,` and points is its own name.
"""

from urllib.parse import quote, unquote

from core.errors import BrokenInvariant

MAX_PART_BYTES = 255  # of one part, as file systems have it
MAX_NAME_BYTES = 800  # S3 takes 1,024, the prefix of the store included (core.service_urls)

_AS_THEY_ARE = "=+@,"  # beside what `quote` never writes: letters, digits, _.-~
_NOTHING = "%"  # an empty part; `quote` never writes it alone


def stored_name(key: str) -> str:
    """Return the name under which a key is kept. Raises BrokenInvariant for one that is too long.

    >>> stored_name("3f/3f07.gz"), stored_name("../正"), stored_name("a//b")
    ('3f/3f07.gz', '%2E./%E6%AD%A3', 'a/%/b')
    """
    parts = [_quote_part(part) or _NOTHING for part in key.split("/")]
    if max(map(len, parts)) > MAX_PART_BYTES or len("/".join(parts)) > MAX_NAME_BYTES:
        raise BrokenInvariant("store.object-key", key=key[:100], most=MAX_NAME_BYTES, part=MAX_PART_BYTES)
    return "/".join(parts)


def stored_prefix(prefix: str) -> str:
    """Return the prefix of the names of all keys that begin with `prefix`.

    >>> stored_prefix(""), stored_prefix("3f/"), stored_prefix("a//b")
    ('', '3f/', 'a/%/b')
    """
    *whole, last = prefix.split("/")
    return "/".join([*(_quote_part(part) or _NOTHING for part in whole), _quote_part(last)])


def key_named(name: str) -> str | None:
    """Return the key of a name; None if no key has it.

    >>> key_named("%2E./%E6%AD%A3"), key_named(".probe"), key_named("folder/")
    ('../正', None, None)
    """
    key = "/".join("" if part == _NOTHING else unquote(part, errors="surrogatepass") for part in name.split("/"))
    try:
        return key if stored_name(key) == name else None
    except BrokenInvariant:
        return None


def _quote_part(part: str) -> str:
    quoted = quote(part, safe=_AS_THEY_ARE, errors="surrogatepass")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted
