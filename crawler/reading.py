"""What the crawler reads in a response: the one function that the crawl, `zhuiwen check` and `zhuiwen read` share."""

from collections.abc import Mapping
from dataclasses import replace

from core.pages import Reading
from core.states import Rejection
from core.text import storable
from core.wording import Message
from crawler.books import chapters_of, read_book
from crawler.characters.decoding import Decoded
from crawler.characters.repertoire import count_han
from crawler.main_text.extraction import MIN_HAN_TO_KEEP, Extraction, Sieve, everything, extract, is_worth_reading
from crawler.obfuscation.deobfuscation import MARKUP_ALONE, Deobfuscation, RenderContext, deobfuscate
from crawler.obfuscation.text_repairs import cleaned, merged
from crawler.opening import NO_RULES, OpenPage, ReadingRules, Rejected, open_page
from crawler.sources.net_disks import net_disk_links


def read_page(
    body: bytes,
    headers: Mapping[str, str],
    url: str,
    rules: ReadingRules = NO_RULES,
    context: RenderContext = MARKUP_ALONE,
) -> Reading | Rejected:
    """What stands on a page: text, title, author, time, encoding, and the obfuscations of markup that were undone.

    headers: names in any case; Content-Type and Content-Disposition are looked at. context: what there is beside the
    bytes. Raises BadConfiguration for a selector of `rules` that cannot be read, and nothing for anything that a page
    may contain.
    """
    book = read_book(body, headers, url)
    if book is not None:
        return book.reading
    page = open_page(body, headers, url, rules)
    return page if isinstance(page, Rejected) else read_opened(page, rules, context=context)


def read_opened(
    page: OpenPage, rules: ReadingRules = NO_RULES, sieve: Sieve = everything, context: RenderContext = MARKUP_ALONE
) -> Reading | Rejected:
    """The second half of `read_page`; the page's tree is used up. sieve: takes out what is the site's template."""
    if page.tree is None:
        return _read_plain(page.decoded, page.url)
    net_disks = net_disk_links(page.tree, page.url)
    deobfuscation = deobfuscate(page.tree, page.url, context)
    extraction = extract(page.tree, page.url, rules.body_selector, rules.title_selector, sieve)
    if extraction is None:
        return _no_text(page.url)
    return replace(_cleaned(_reading(extraction, page, deobfuscation), page.url), net_disks=net_disks)


def _read_plain(decoded: Decoded, url: str) -> Reading | Rejected:
    kept = [line.strip(" \t\r\u3000\u00a0\ufeff") for line in storable(decoded.text).splitlines()]
    text = "\n".join(line for line in kept if line)
    if not is_worth_reading([text]):
        return _no_text(url)
    reading = Reading(
        title="",
        text=text,
        encoding=decoded.encoding,
        is_encoding_doubtful=decoded.is_doubtful,
        extractor="plain",
        repairs=decoded.repairs,
    )
    clean = _cleaned(reading, url)
    return replace(clean, chapters=chapters_of(clean.text))


def _no_text(url: str) -> Rejected:
    return Rejected(Rejection.NO_MAIN_TEXT, Message("page.no-text", url=url, chars=MIN_HAN_TO_KEEP))


def _cleaned(reading: Reading, url: str) -> Reading:
    """A reading without what was strewn into its text; what its markup hid was undone before."""
    clean = cleaned(reading.text, url)
    if clean.text == reading.text or count_han(clean.text) < MIN_HAN_TO_KEEP:
        return reading
    obfuscations = merged([*reading.obfuscations, *clean.obfuscations])
    return replace(reading, text=clean.text, raw_text=reading.raw_text or reading.text, obfuscations=obfuscations)


def _reading(extraction: Extraction, page: OpenPage, deobfuscation: Deobfuscation) -> Reading:
    decoded, tree = page.decoded, page.tree
    obfuscations = deobfuscation.found(tree, extraction.text) if tree is not None else ()
    raw_text = deobfuscation.raw_text(tree, extraction.text, decoded.text) if tree is not None and obfuscations else ""
    # The markup was clean; character references (&#1;) bring in what cannot be stored all the same.
    return Reading(
        title=storable(extraction.title),
        text=storable(extraction.text),
        author=storable(extraction.author),
        published=extraction.published,
        encoding=decoded.encoding,
        is_encoding_doubtful=decoded.is_doubtful,
        extractor=extraction.extractor,
        confidence=extraction.confidence,
        obfuscations=tuple(replace(one, example=storable(one.example)) for one in obfuscations),
        site_name=storable(extraction.site_name),
        chapter_number=extraction.chapter_number,
        raw_text="" if raw_text == extraction.text else storable(raw_text),
        left_out=tuple(storable(line) for line in extraction.left_out),
        repairs=decoded.repairs,
        beside=tuple(replace(line, text=storable(line.text)) for line in extraction.beside),
    )
