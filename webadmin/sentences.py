"""Sentences that other packages say and that are stored or passed on in English, in the language of whoever reads.

A crawl's fault or a file's fault is one English sentence with names and numbers in it. It is stored as it was said, and
found again here by its shape; one that is not known is shown as it is.
"""

import re
from collections.abc import Sequence
from functools import cache

from django.utils.translation import gettext, gettext_noop

# More exact ones first. What stands for %(reason)s, %(fault)s and %(unit)s is looked up in its turn.
SENTENCES: Sequence[str] = (
    # crawling: core.errors, crawler, pipeline
    gettext_noop("%(url)s answers with HTTP status %(status)s"),
    gettext_noop("%(url)s is larger than %(bytes)s bytes; raise ZHUIWEN_MAX_BODY_BYTES to read it"),
    gettext_noop("%(url)s is no web page: its content type is %(kind)s"),
    gettext_noop("%(url)s is no web page: %(kind)s"),
    gettext_noop("%(url)s does not answer within %(seconds)s seconds"),
    gettext_noop("%(url)s does not answer: the connection is refused; is the address right?"),
    gettext_noop("%(url)s does not answer: its host name is not known; is the address right?"),
    gettext_noop(
        "%(url)s is not fetched: the site's robots.txt answers with HTTP status %(status)s, which forbids everything"
        " for now; the next crawl asks again"
    ),
    gettext_noop("%(url)s is not fetched: the site's robots.txt forbids it"),
    gettext_noop("%(url)s is not fetched: %(reason)s, which forbids everything for now; the next crawl asks again"),
    gettext_noop("%(url)s was given up: %(reason)s"),
    gettext_noop("is given up: %(reason)s"),
    gettext_noop("reading it took longer than %(seconds)s s"),
    gettext_noop("reading it took more than %(size)s GB of memory, twice"),
    gettext_noop("reading it ended the reading process twice, by a fault"),
    gettext_noop("%(url)s does not answer (%(reason)s); try again later"),
    gettext_noop("not done within %(seconds)s s"),
    gettext_noop("the name servers do not answer"),
    gettext_noop(
        "the pattern %(pattern)s takes longer than %(seconds)s s on an address and counts as not matching there;"
        " write it without a repetition inside a repetition"
    ),
    gettext_noop("%(url)s is a refusal by the rule “%(rule)s”: %(seen)s"),
    gettext_noop("the crawl ends after %(count)s refusals in a row: %(fault)s"),
    gettext_noop("the crawl ends: %(fault)s"),
    gettext_noop("the crawl waits longer than %(seconds)s s: %(fault)s"),
    gettext_noop("the crawl has fetched %(bytes)s bytes, its budget"),
    gettext_noop("the site's budget of %(count)s %(unit)s a day is used up; the crawl goes on tomorrow"),
    gettext_noop("the site may be crawled at %(hours)s only; the crawl goes on then"),
    gettext_noop("every proxy of the site rests after failures"),
    gettext_noop("the proxy %(place)s is not used: %(reason)s"),
    gettext_noop("login, line %(number)s (%(step)s): %(reason)s"),
    gettext_noop("login, line %(number)s: %(reason)s"),
    gettext_noop("the login does not begin with an open step; write: open https://…"),
    gettext_noop("the login has no check step, so that nobody knows whether it worked; write: check SELECTOR"),
    gettext_noop("the login has more than %(count)s steps"),
    gettext_noop("a step is one of open, fill, submit, check"),
    gettext_noop("%(verb)s needs something after it"),
    gettext_noop("open needs a whole address, https://…"),
    gettext_noop("fill is written like: fill password = {password}"),
    gettext_noop("there is no secret value named %(name)s"),
    gettext_noop("%(what)s is not on the page"),
    gettext_noop("%(what)s is not on %(where)s: the login did not work"),
    gettext_noop("the form has no field %(name)s"),
    gettext_noop("%(host)s is not part of the site; add it to the site's domains if it is"),
    gettext_noop("the session ended %(count)s times; the login does not last"),
    gettext_noop("the site's passwords were kept with another key of this installation; enter them again"),
    gettext_noop("%(part)s is no span of hours; write it like 01:00-06:00, with commas between several"),
    gettext_noop("%(part)s goes beyond 24:00"),
    gettext_noop("%(part)s begins when it ends; leave the field empty for all day"),
    gettext_noop("the hours in which the site may be crawled never come"),
    gettext_noop("%(zone)s is no time zone; write it like Asia/Shanghai"),
    gettext_noop("%(status)s is no HTTP status; write it like 403"),
    gettext_noop("line %(number)s is written like: name = value"),
    gettext_noop("the rule %(rule)s has no condition, so that every page would be a refusal; give it one"),
    gettext_noop("the rule %(rule)s names the HTTP status %(status)s, which there is not"),
    gettext_noop("the rule %(rule)s has a pattern of redirects that cannot be used: %(fault)s"),
    gettext_noop("no page of %(site)s is stored at %(url)s"),
    gettext_noop("pages cannot be loaded in a browser: install the extra, zhuiwen[browser]"),
    gettext_noop(
        "pages cannot be loaded in a browser: there is no Chromium; install Debian's package chromium, or set"
        " ZHUIWEN_CHROMIUM to its path"
    ),
    gettext_noop("%(url)s grows larger than %(bytes)s bytes in the browser"),
    # what a refusal was recognised by: crawler.politeness.bans
    gettext_noop("“%(word)s” stands on it"),
    gettext_noop("HTTP status %(status)s"),
    gettext_noop("%(count)s characters of text"),
    gettext_noop("%(url)s sends headers without end"),
    gettext_noop("%(url)s is compressed %(count)s times over"),
    gettext_noop("%(url)s grows to %(ratio)s times its size when decompressed, which no page does"),
    gettext_noop("%(url)s declares entities of its own, which can stand for gigabytes"),
    gettext_noop("%(url)s does not load in the browser: %(kind)s"),
    gettext_noop("%(url)s leads to %(host)s, which is not part of the site"),
    gettext_noop("%(url)s is not fetched: %(reason)s"),
    # what an address is that is not fetched: core.addresses, crawler.fetching.addresses
    gettext_noop("%(address)s is %(network)s; to fetch it all the same, %(remedy)s"),
    gettext_noop("add %(place)s to ZHUIWEN_ALLOW_PRIVATE_HOSTS"),
    gettext_noop("%(url)s breaks off its answer (%(kind)s)"),
    gettext_noop("%(url)s is not there any more (%(status)s)"),
    gettext_noop("%(url)s changed while the site said that it had not; it is always fetched whole from now on"),
    gettext_noop("what the last visits found is not noted; they are made again: %(fault)s"),
    gettext_noop("it is not stored: %(fault)s"),
    gettext_noop("%(host)s is an own domain of %(holder)s (%(domain)s): it is not watched"),
    gettext_noop("%(host)s has a licence (%(licence)s): that a site moved there has to wait"),
    gettext_noop("the move %(number)s (%(move)s) was decided already: %(state)s"),
    gettext_noop("%(url)s redirects without end"),
    gettext_noop("%(url)s redirects in a circle"),
    gettext_noop("%(url)s redirects to %(host)s, which is not part of the site"),
    gettext_noop("%(url)s is in no encoding that gives text; if you know it, set the site's encoding"),
    gettext_noop("%(url)s has no main text of %(count)s Chinese characters or more"),
    gettext_noop("%(url)s is no sitemap, or too large a one"),
    gettext_noop("no sitemap was found at %(url)s"),
    gettext_noop("%(url)s is no feed and names none"),
    gettext_noop("%(url)s lists %(count)s pages of other hosts, most of %(host)s, which is not part of the site"),
    gettext_noop("%(url)s is kept without what stands on %(part)s and behind it"),
    gettext_noop("the site %(site)s is not crawled: its pages come from archive files"),
    # archives and searches: crawler.sources.archive_records, crawler.sources.search, pipeline.discovery
    gettext_noop("is damaged or no archive (%(reason)s)"),
    gettext_noop("breaks off or is damaged (%(reason)s)"),
    gettext_noop("%(path)s is being imported already; wait until that has ended"),
    gettext_noop("the site's robots.txt forbids it"),
    gettext_noop("it redirects to %(url)s, which is left out: %(reason)s"),
    gettext_noop("no search engine answered (%(engines)s); try again later"),
    gettext_noop("%(url)s is no proposal: %(state)s"),
    gettext_noop("%(url)s has stopped answering; the crawl ends here"),
    gettext_noop("%(url)s is not stored, and the crawl ends here: %(fault)s"),
    gettext_noop("%(url)s is not stored: %(fault)s"),
    gettext_noop("%(url)s could not be read: %(kind)s; please report this page"),
    gettext_noop("the site %(site)s has no address to start from; give it one"),
    gettext_noop("%(service)s does not answer at %(where)s; try: %(remedy)s"),
    # files of works: webadmin.uploads, webadmin.intake, webadmin.catalogue
    gettext_noop("there is no such file"),
    gettext_noop("is empty"),
    gettext_noop("holds no Chinese text"),
    gettext_noop("holds no Chinese text; if its pages are pictures, their text is needed"),
    gettext_noop("is none of the kinds that can be read: %(kinds)s, or a folder of chapters"),
    gettext_noop("is not text but %(kind)s"),
    gettext_noop("is text in no encoding that was tried (%(tried)s), or no text at all; save it as UTF-8"),
    gettext_noop("its encoding is doubtful: of %(tried)s, %(name)s fits best, but badly; save it as UTF-8"),
    gettext_noop("its encoding is doubtful: %(name)s fits best, but badly; save it as UTF-8"),
    gettext_noop("is %(name)s but broken at byte %(at)s: what stands there is no character; save it again as UTF-8"),
    gettext_noop("is an old Word file or one with a password; save it as .docx without a password"),
    gettext_noop("is no Word document, or a damaged one; save it again as .docx"),
    gettext_noop("is damaged or no %(kind)s file; save or download it again"),
    gettext_noop("is protected with a password; save it without one"),
    gettext_noop("is encrypted (digital rights management); an unprotected copy is needed"),
    gettext_noop("names no package document; it is damaged"),
    gettext_noop("lacks the part %(part)s; it is damaged"),
    gettext_noop("its part %(part)s is damaged; save or download it again"),
    gettext_noop("its part %(part)s is no XML; it is damaged"),
    gettext_noop("its part %(part)s cannot be unpacked; give it a plain name"),
    gettext_noop("unpacks to more than %(most)s MB of text; use zhuiwen work add for it"),
    gettext_noop("has more characters than one request may bring; use zhuiwen work add for it"),
    gettext_noop("has more chapters than one request may bring; use zhuiwen work add for it"),
    gettext_noop("has %(count)s more faults, which are not listed"),
    gettext_noop("only describes other files; send it in a .zip file together with them"),
    gettext_noop("its name is none that a file can have"),
    gettext_noop("[[work]] %(number)s: %(file)s is listed before; list each file once"),
    gettext_noop("%(name)s is no name that a file can have"),
    gettext_noop("cannot be kept while it is read (%(error)s)"),
    gettext_noop("cannot be read (%(error)s)"),
    gettext_noop("lists more than %(count)s works"),
    gettext_noop("lists no works; each needs a [[work]] table with its file"),
    gettext_noop("is no TOML: %(error)s"),
    gettext_noop("is no TOML that can be read: it is nested too deeply"),
    gettext_noop("%(count)s more lines are malformed"),
    gettext_noop("holds no chapter files; put .txt, .md, .html or .docx files into it"),
    gettext_noop("holds no chapter files (%(kinds)s) and no %(manifest)s"),
    gettext_noop("is not UTF-8; JSON lines must be"),
    gettext_noop("is no JSON (%(error)s)"),
    gettext_noop("is no JSON object"),
    gettext_noop('lacks "%(field)s", a string that is not empty'),
    gettext_noop('its "text" holds no Chinese text'),
    gettext_noop('its "author" is no string'),
    gettext_noop('its "chapter" is neither a number nor a title'),
    gettext_noop("the work has no title; give one with --title"),
    gettext_noop("《%(title)s》 has no chapter with Chinese text; nothing of it could be found"),
    gettext_noop("has no main text of %(count)s Chinese characters or more"),
    gettext_noop("redirects to %(url)s"),
    gettext_noop("%(selector)s is on it"),
)
# Of these nothing but the part after the colon says anything: they hold only where that is known.
PREFIXED: Sequence[str] = (gettext_noop("%(file)s, line %(line)s: %(reason)s"), gettext_noop("%(file)s: %(reason)s"))
_NESTED = frozenset({"reason", "fault", "unit", "seen", "network", "remedy"})
# Kept in the catalogue for the sentences that they stand in: of a budget; what a network is.
_UNITS = (gettext_noop("pages"), gettext_noop("bytes"))
_NETWORKS = (
    gettext_noop("a cloud's metadata service"),
    gettext_noop("a loopback address"),
    gettext_noop("the unspecified address"),
    gettext_noop("a link-local address"),
    gettext_noop("a multicast address"),
    gettext_noop("a private address"),
    gettext_noop("a reserved address"),
    gettext_noop("a name of the network that it is asked in"),
)
_SEVERAL = ", "  # between what a refusal was recognised by
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
MAX_CHARS = 2_000  # a longer sentence is shown as it is; the shapes are tried one after the other


def translated(sentence: str) -> str:
    """The sentence in the reader's language where its shape is known, else as it was said.

    >>> translated("不认识的话")
    '不认识的话'
    """
    if not sentence or len(sentence) > MAX_CHARS:
        return sentence
    whole = gettext(sentence)
    return whole if whole != sentence else _by_shape(sentence)


def translated_list(sentence: str) -> str:
    """Several sayings with commas between them, each in the reader's language.

    >>> translated_list("不认识的话, 又一句")
    '不认识的话, 又一句'
    """
    return _SEVERAL.join(translated(part) for part in sentence.split(_SEVERAL))


def _by_shape(sentence: str) -> str:
    for template, shape in _shapes():
        found = shape.fullmatch(sentence)
        if found is None:
            continue
        parts = found.groupdict()
        said = {name: _said(name, part) for name, part in parts.items()}
        if template not in PREFIXED or said != parts:
            return gettext(template) % said
    return sentence


def _said(name: str, part: str) -> str:
    if name == "seen":
        return translated_list(part)
    return translated(part) if name in _NESTED else part


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((template, _shape(template)) for template in (*SENTENCES, *PREFIXED))


def _shape(template: str) -> re.Pattern[str]:
    pieces = _PLACEHOLDER.split(template)
    # Names end where the fixed words begin; a URL or file name holds no line feed.
    pattern = "".join(f"(?P<{piece}>.+?)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))
    return re.compile(pattern)
