"""Reads a response. The crawl, `zhuiwen check` and `zhuiwen read` share `read_page`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from core.garbage import pause_collection
from core.marks import Mark
from core.obfuscations import Obfuscation, ObfuscationFound, merge_findings
from core.pages import FROM_DATA, FROM_SCRIPTS, Reading
from core.states import Rejection
from core.text import storable
from core.wording import Message
from crawler.books import chapter_starts, read_book
from crawler.characters.repertoire import count_han
from crawler.formats.archive import detect_kind
from crawler.links import net_disk_links
from crawler.main_text.extraction import (
    MIN_HAN_TO_KEEP,
    Extraction,
    LineFilter,
    extract,
    is_worth_reading,
    keep_all_lines,
)
from crawler.markup import lines, parse
from crawler.obfuscation.deobfuscation import MARKUP_ALONE, Deobfuscation, RenderContext, deobfuscate
from crawler.obfuscation.repairs import folded_lines, kind_classifier
from crawler.obfuscation.text_noise import add_noise_marks, clean_text
from crawler.obfuscation.text_origins import Origins
from crawler.opening import NO_RULES, OpenPage, ReadingRules, Rejected, open_page
from crawler.page_data.prose import prose_markup
from crawler.page_data.script_requests import MAX_HAN_OF_SHELL, ScriptData, fetch_texts, read_script_data

# Chosen: "please switch on JavaScript" has a tenth of the length of a chapter. Data of similar length do not replace
# the page's text.
MIN_RATIO_OF_DATA = 3
# Finding the main text takes 55 us per line; if a page has more lines, all of them are the text.
MAX_LINES_OF_PLAIN = 10_000


def read_page(
    body: bytes,
    headers: Mapping[str, str],
    url: str,
    rules: ReadingRules = NO_RULES,
    context: RenderContext = MARKUP_ALONE,
) -> Reading | Rejected:
    """Read a page: its text, title, author, time and encoding, and the obfuscations that were undone.

    headers: Content-Type and Content-Disposition are used; names may be in any case
    context: what is needed for rendering the page besides its bytes

    Return the reason if nothing can be read. Raises BadConfiguration if a selector of `rules` is invalid. No content of
    a page raises an exception.
    """
    kind = detect_kind(body)
    book = read_book(kind, body, headers, url) if kind else None
    if book is not None:
        return book.reading
    page = open_page(body, headers, url, rules)
    return page if isinstance(page, Rejected) else read_opened(page, rules, context=context)


def read_opened(
    page: OpenPage,
    rules: ReadingRules = NO_RULES,
    line_filter: LineFilter = keep_all_lines,
    context: RenderContext = MARKUP_ALONE,
) -> Reading | Rejected:
    """Read an open page, the second half of `read_page`. The tree of the page is changed.

    line_filter: removes the site's template
    """
    with pause_collection():
        reading = _read_text(page) if page.tree is None else _read_tree(page, rules, line_filter, context)
    return reading if isinstance(reading, Rejected) else _report_skipped_parts(reading, page)


def _report_skipped_parts(reading: Reading, page: OpenPage) -> Reading:
    """Return a reading that records which parts of the page were skipped."""
    skipped = list(dict.fromkeys(page.skipped))
    if not skipped:
        return reading
    page.notes.append(Message("page.slow-parts", url=page.url, parts=", ".join(skipped)))
    found = ObfuscationFound(Obfuscation.SLOW_PARTS, len(skipped), " ".join(skipped))
    return replace(reading, obfuscations=(found, *reading.obfuscations))


def _read_tree(
    page: OpenPage, rules: ReadingRules, line_filter: LineFilter, context: RenderContext
) -> Reading | Rejected:
    assert page.tree is not None
    has_scripts = next(page.tree.iter("script", "link"), None) is not None
    for_scripts = read_script_data(page.tree, page.url) if has_scripts else None
    reading = _read_markup(page, rules, line_filter, context)
    if (
        for_scripts is None
        or not for_scripts.may_be_written
        or (isinstance(reading, Reading) and count_han(reading.text) > MAX_HAN_OF_SHELL)
    ):
        return reading
    written = _read_data(page, for_scripts, context)
    is_longer = written is not None and len(written.text) > MIN_RATIO_OF_DATA * len(getattr(reading, "text", ""))
    return written if written is not None and is_longer else reading


def _read_markup(
    page: OpenPage, rules: ReadingRules, line_filter: LineFilter, context: RenderContext
) -> Reading | Rejected:
    """Read the text in the markup of a page."""
    assert page.tree is not None
    if page.is_plain and len(flat := lines(page.tree)) > MAX_LINES_OF_PLAIN:
        title = " ".join((page.tree.findtext(".//title") or "").split())
        return _reading_of_lines([line.text for line in flat], page, title)
    deobfuscation = _deobfuscate(page, context)
    page.notes += deobfuscation.notes
    page.skipped += deobfuscation.skipped
    extraction = extract(page.tree, page.url, rules.body_selector, rules.title_selector, line_filter)
    if extraction is None:
        return _no_text(page.url)
    reading = _reading(extraction, page, deobfuscation)
    texts = (*reading.text.splitlines(), *[line.text for line in reading.surroundings])
    net_disks = net_disk_links(page.tree, page.url, texts)
    return replace(_clean(reading, page), net_disks=net_disks)


def _deobfuscate(page: OpenPage, context: RenderContext) -> Deobfuscation:
    """Undo the obfuscations in a page's tree. A tree of plain markup has none, because it has no styles and scripts."""
    assert page.tree is not None
    if page.is_plain:
        return Deobfuscation(list(page.tree.iter()))
    return deobfuscate(page.tree, page.url, context)


def _read_data(page: OpenPage, for_scripts: ScriptData, context: RenderContext) -> Reading | None:
    """Read the text that scripts would write, or return None if there is none.

    It comes from data in the scripts or else from data that they request.
    """
    markup = prose_markup(for_scripts.scripts, for_scripts.title)
    extractor = FROM_SCRIPTS
    if not markup:
        texts = list(fetch_texts(for_scripts.requested_addresses(), context.resources(page.url)))
        markup = prose_markup(texts, for_scripts.title)
        extractor = FROM_DATA
    tree = parse(markup) if markup else None
    if tree is None:
        return None
    written = OpenPage(page.url, replace(page.decoded, text=markup), tree, skipped=page.skipped)
    reading = _read_markup(written, NO_RULES, keep_all_lines, context)
    return replace(reading, extractor=extractor) if isinstance(reading, Reading) else None


def _read_text(page: OpenPage) -> Reading | Rejected:
    """Read a page that has no markup."""
    kept = [line.strip(" \t\r\u3000\u00a0\ufeff") for line in storable(page.decoded.text).splitlines()]
    reading = _reading_of_lines([line for line in kept if line], page)
    return replace(reading, chapters=chapter_starts(reading.text)) if isinstance(reading, Reading) else reading


def _reading_of_lines(texts: Sequence[str], page: OpenPage, title: str = "") -> Reading | Rejected:
    """Return a reading whose text consists of all these lines."""
    decoded, text = page.decoded, storable("\n".join(texts))
    if not is_worth_reading([text]):
        return _no_text(page.url)
    reading = Reading(
        title=storable(title),
        text=text,
        encoding=decoded.encoding,
        is_encoding_doubtful=decoded.is_doubtful,
        extractor="plain",
        repairs=decoded.repairs,
    )
    return _clean(reading, page)


def _no_text(url: str) -> Rejected:
    return Rejected(Rejection.NO_MAIN_TEXT, Message("page.no-text", url=url, chars=MIN_HAN_TO_KEEP))


def _clean(reading: Reading, page: OpenPage) -> Reading:
    """Remove inserted noise from a reading, after the obfuscations in the markup have been undone."""
    clean = clean_text(reading.text, page.url)
    if clean.text == reading.text or count_han(clean.text) < MIN_HAN_TO_KEEP:
        return reading
    raw_text = reading.raw_text or reading.text
    return replace(
        reading,
        text=clean.text,
        raw_text=raw_text,
        marks=add_noise_marks(raw_text, reading.text, reading.marks, clean),
        obfuscations=merge_findings([*reading.obfuscations, *clean.obfuscations]),
    )


def _reading(extraction: Extraction, page: OpenPage, deobfuscation: Deobfuscation) -> Reading:
    decoded, containers = page.decoded, extraction.containers
    obfuscations = deobfuscation.list_obfuscations(extraction.text, containers)
    text = storable(extraction.text)
    raw_text = storable(deobfuscation.raw_text(containers, decoded.text)) if obfuscations else ""
    removed = deobfuscation.removed
    folded = folded_lines(removed, text, text.count("\n") + 1 if text else 0) if removed else []
    # The markup contains only storable characters, but character references such as &#1; may yield others.
    title, author, site_name = map(storable, (extraction.title, extraction.author, extraction.site_name))
    surrounding_lines = (*extraction.surroundings, *folded)
    surroundings = zip(surrounding_lines, list(map(storable, map(attrgetter("text"), surrounding_lines))), strict=True)
    marks: tuple[Mark, ...] = ()
    if raw_text and raw_text != text:
        origins = Origins.from_text(raw_text)
        origins.step(text, kind_classifier(removed, obfuscations))
        marks = origins.marks()
    return Reading(
        title=title,
        text=text,
        author=author,
        published=extraction.published,
        encoding=decoded.encoding,
        is_encoding_doubtful=decoded.is_doubtful,
        extractor=extraction.extractor,
        confidence=extraction.confidence,
        obfuscations=tuple(replace(one, example=storable(one.example)) for one in obfuscations),
        site_name=site_name,
        chapter_number=extraction.chapter_number,
        raw_text="" if raw_text == text else raw_text,
        marks=marks,
        left_out=tuple(map(storable, extraction.left_out)),
        repairs=decoded.repairs,
        surroundings=tuple(line if text is line.text else replace(line, text=text) for line, text in surroundings),
        posters=tuple(replace(each, name=storable(each.name)) for each in extraction.posters),
    )
