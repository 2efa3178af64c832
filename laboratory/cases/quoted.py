"""Pages that quote: sentences short enough to be no copy, and phrases that belong to nobody."""

from collections.abc import Iterator
from random import Random

from core.errors import BadInput
from core.text import TextRange
from fingerprint.readings import code_points
from laboratory.cases import bench as benches
from laboratory.cases.bench import Bench
from laboratory.cases.conditions import Size
from laboratory.cases.grams import folded
from laboratory.cases.made import Page, Taken, middle
from laboratory.cases.sources import Kind
from laboratory.draws import between, generator, one_of
from laboratory.edits.scripts import SCRIPTS
from laboratory.edits.sentences import CLOSINGS, sentence_ends
from laboratory.scores.detection_quality import Case

GREY_CHARS = (20, 35)  # Han characters of a sentence that is reuse, but not a copy
SHORT_CHARS = (8, 16)  # of a quotation that must not be reported
QUOTATIONS = (2, 3)
PHRASES = (8, 12)  # set phrases put into one page
PHRASE_CHARS = (6, 10)  # a phrase of 12 would count as shared wording by itself
MIN_WORKS_FOR_PHRASE = 5
OPENINGS = "“‘「『（(《【"

# Introductions of a quotation: {title} is the work, {left} and {right} the quotation marks of the page's script.
LEADS = (
    "《{title}》里说：{left}{text}{right}",
    "正如《{title}》所写：{left}{text}{right}",
    "有书为证，{left}{text}{right}，见《{title}》。",
    "{left}{text}{right}这句话出自《{title}》。",
    "古人云：{left}{text}{right}",
)
MARKS = {False: ("“", "”"), True: ("「", "」")}


def negatives(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield innocent pages: unchanged outside texts, texts with short quotations, and texts with set phrases."""
    for kind in Kind:
        for text in bench.outside[kind][: size.negative[kind]]:
            yield Case("negative", str(kind), 0, text)
    for count in range(size.negative["short-quotations"]):
        yield _short_quotations(bench, count)
    if len(bench.works) >= MIN_WORKS_FOR_PHRASE:
        for count in range(size.negative["set-phrases"]):
            yield _set_phrases(bench, count)


def grey(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield unrelated pages with one sentence of a work, on every second page in quotation marks and with its title."""
    for count in range(size.grey):
        for attack in ("marked", "unmarked"):
            rng = generator(bench.seed, "grey", attack, count)
            taken = _sentence(bench, rng, GREY_CHARS)
            carrier = bench.carrier(rng)
            page, place = Page(), middle(carrier, rng)
            page.write(carrier[:place])
            before, after = _lead(bench, taken, carrier, rng) if attack == "marked" else ("", "")
            page.write(before)
            page.add(bench, taken, (), 0)
            page.write(after + carrier[place:])
            yield Case("grey", attack, 0, page.text, tuple(page.passages))


def _short_quotations(bench: Bench, count: int) -> Case:
    """Return a page with short quotations. Raises BadInput if the works have no sentence that short."""
    rng = generator(bench.seed, "short-quotations", count)
    for _ in range(benches.MAX_TRIES):
        text = bench.carrier(rng)
        for _ in range(between(rng, *QUOTATIONS)):
            taken = _sentence(bench, rng, SHORT_CHARS)
            place = middle(text, rng)
            before, after = _lead(bench, taken, text, rng)
            quoted = bench.works[taken.work].text[taken.place.start : taken.place.end]
            text = text[:place] + before + quoted + after + text[place:]
        if not bench.shelf.has_common_run(text):
            return Case("negative", "short-quotations", 0, text)
    raise BadInput("laboratory.no-quotations")


def _set_phrases(bench: Bench, count: int) -> Case:
    rng = generator(bench.seed, "set-phrases", count)
    for _ in range(benches.MAX_TRIES):
        text = bench.carrier(rng)
        for phrase in _phrases(bench, rng, between(rng, *PHRASES)):
            place = middle(text, rng)
            text = f"{text[:place]}{phrase}，{text[place:]}"
        if not bench.shelf.sharing(text):
            return Case("negative", "set-phrases", 0, text)
    raise BadInput("laboratory.no-phrases")


def _phrases(bench: Bench, rng: Random, wanted: int) -> list[str]:
    """Return phrases that many works contain; fewer if the works do not have that many."""
    found: list[str] = []
    for _ in range(MAX_PAGES_FOR_PHRASES):
        work = bench.works[benches.weighted(bench, rng)]
        place = benches.page_range(work, rng)
        text = work.text[place.start : place.end]
        runs = bench.shelf.common_runs(text, MIN_WORKS_FOR_PHRASE, *PHRASE_CHARS)
        if runs:
            run = one_of(rng, runs)
            found.append(text[run.start : run.end].replace("\n", ""))
        if len(found) >= wanted:
            break
    return found


def _sentence(bench: Bench, rng: Random, chars: tuple[int, int]) -> Taken:
    """Return a whole sentence of that many Han characters that occurs once in one work only."""
    for _ in range(benches.MAX_TRIES):
        work = benches.weighted(bench, rng)
        text = bench.works[work].text
        place = _drawn_sentence(text, benches.page_range(bench.works[work], rng), chars, rng)
        if place is not None and not bench.shelf.elsewhere(work, place.start, place.end, text[place.start : place.end]):
            return Taken(work, place, ())
    raise BadInput("laboratory.no-sentences", least=chars[0], most=chars[1])


def _drawn_sentence(text: str, within: TextRange, chars: tuple[int, int], rng: Random) -> TextRange | None:
    part = text[within.start : within.end]
    ends = sentence_ends(code_points(part)).tolist()
    fitting = []
    for start, end in zip([0, *ends], ends, strict=False):
        sentence = part[start:end]
        inner = sentence.strip().strip(OPENINGS + CLOSINGS + "\n")
        if "\n" not in inner and chars[0] <= folded(inner)[0].size <= chars[1]:
            first = within.start + start + sentence.index(inner)
            fitting.append(TextRange(first, first + len(inner)))
    return one_of(rng, fitting) if fitting else None


def _lead(bench: Bench, taken: Taken, carrier: str, rng: Random) -> tuple[str, str]:
    """Return the text before and after a quotation on this page."""
    left, right = MARKS[SCRIPTS.is_traditional(code_points(carrier))]
    lead = one_of(rng, LEADS).format(title=bench.works[taken.work].title, left=left, right=right, text="\0")
    before, after = lead.split("\0")
    return before, after


MAX_PAGES_FOR_PHRASES = 60
