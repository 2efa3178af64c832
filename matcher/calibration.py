"""The thresholds of the matcher, with their unit, reason and source.

The benchmark: 165 works (25.1 M characters) and 8,665 pages under 31 kinds and strengths of edits, 2026. Its figures
and the tried ranges are next to each number. Tokens are characters that have a reading.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple


class XDropLimits(NamedTuple):
    """The limits beyond which an alignment is abandoned.

    drop: how far the score may fall below the best score; lag: how far it may fall below the best score of the previous
    wave; band: how many diagonals away from the best score, on either side.
    """

    drop: int
    lag: int = 6  # 4-10 gave the same segments on chapters with 0-50 % edits
    band: int = 20


# Of ExtensionLimits: tuning of drops and costs changed nothing beyond noise.
class ExtensionLimits(NamedTuple):
    """The thresholds of extension, in scores and tokens."""

    ungapped_drop: int = 4  # 3-8 gave the same segments and phrases on 600 pages, and the same hard class (2026-11)
    min_ungapped_score: int = 8
    # For a hit without another hit of the same text beside it. Of 60 characters at 30 % edits (400, of 14.6 M
    # characters), 8 finds .973, 9 .965, 10 .953; at 10^9 characters most hits are unrelated and end here.
    min_ungapped_score_alone: int = 9
    min_segment_score: int = 9
    # For a segment whose hit has less than twice this score along its diagonal; 9-12 changed no outcome of 2,800 hard
    # excerpts.
    min_faint_score: int = 12
    # Drops of 8, 10, 16, 20 tried, 2 x 8,600 pages, 2026-11 (docs/decisions/matching.md): a failing extension costs the
    # square of the drop, and most extensions fail at both ends. A walk with more patience follows between two segments
    # near one diagonal: replacing half of the characters by similar ones leaves gaps of 109-284 tokens that lose 18-26.
    gapped: XDropLimits = XDropLimits(drop=10)
    bridge: XDropLimits = XDropLimits(drop=32)
    max_bridge_tokens: int = 300
    max_segments_of_text: int = 4_000  # bounds the work for a page made of a thousand pieces


# Of JoiningLimits. Pages with own words between two excerpts (40 chapters, gaps of 20-400) and labelled reuse of 60
# historical works, November 2026: page shares .3-1.0, work shares .3-2.0 and free gaps 10-40 and 20-60 give .876-.892
# on the latter (mean of precision and recall on both sides, broken spans counted against it). Higher values join
# excerpts, lower values break chapters from which sentences were left out.
class JoiningLimits(NamedTuple):
    """The thresholds of chaining (matcher.align.passages), in tokens and shares.

    The gap between two neighbours is bridged if it is small compared with both.
    """

    max_page_gap: int = 250
    max_work_gap: int = 800
    max_free_page_gap: int = 20
    # Two advertisements: a short piece between them and a long one belongs to the same passage.
    max_sheltered_page_gap: int = 100
    max_page_gap_share: float = 0.5
    max_inserted_share: float = 0.6  # of the text inserted while the work continues: an advertisement, not two excerpts
    max_work_gap_of_insertion: int = 8
    max_free_work_gap: int = 60
    max_work_gap_share: float = 1.0
    max_free_share_of_leap: float = 0.5  # a leap over sentences that are elsewhere on the page leaves nothing out


# Of JumpCosts. Tried on 16 and 24 passages of 2,000 characters that repeat themselves, 17 edits, 2026-11: near 1-3, gap
# 2-4. A lower gap reports random characters as inserted and left out (right kind .92-.97, here .98); near 3 takes a
# chance similarity for a copied character.
class JumpCosts(NamedTuple):
    """The scores and costs of a walk along a passage (matcher.align.jump_walk).

    same: the score of two equal characters; near: of two tokens that may stand for each other; different: of two other
    tokens. gap, gap_token: the cost of an edit, and of each of its tokens; gap_tokens: the longest edit. foreign: the
    cost of entering foreign text; resume: of returning to the position where the walk left the work; leap: of going to
    any other position; backward: the additional cost of a leap to an earlier position; max_far: the highest additional
    cost of a distant one. boundary: the bonus of a leap or foreign text that begins with a sentence on the page or in
    the work; repeat: the cost of a work token that belongs to a longer piece of the page.
    """

    same: int = 4
    near: int = 2
    different: int = -3
    gap: int = 4
    gap_token: int = 1
    gap_tokens: int = 4
    foreign: int = 5
    resume: int = 2
    leap: int = 8
    backward: int = 1
    max_far: int = 6
    boundary: int = 5
    repeat: int = 2


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The thresholds of matching. Instances are compared by identity."""

    # Look-up. A hash with more postings than this is not informative: 64 at 25 M characters (benchmark: tuning it
    # changed nothing beyond noise). The limit grows with the root of the index: if it grew in proportion, a page met
    # 6,560 unrelated texts at 10^9 characters (November 2026).
    min_cap_postings: int = 64
    postings_at_min_cap: int = 5_200_000
    cap_growth_when_all_capped: int = 16  # a passage that a hundred texts share is still found
    # Windows as seeds (matcher.index.window_alignment; docs/decisions/fingerprint-and-index.md).
    page_window_step_tokens: int = 1  # at most of the works' own step, which is the published method
    window_gram_tokens: int = 4  # consecutive tokens that two equal windows must share
    max_fetched_texts: int = 400  # beyond it lone hits cost more than they find, unless the index has the streams
    max_repeats_on_page: int = 64  # of one anchor; beyond it the page repeats itself, and the product of both explodes

    extension: ExtensionLimits = field(default=ExtensionLimits())
    max_cached_tokens: int = 256_000_000  # 512 MB of token streams; more only costs memory
    joining: JoiningLimits = field(default=JoiningLimits())
    # Pieces of one stretch of the work, shuffled or among other sentences, are one passage if they make up enough of it
    # on both sides; the fewer the pieces, the more is needed. Of 4,853 innocent news items 31 are accused without this
    # rule, 33 with these values, 35 with 2 pieces at 1, 46 with 4 at any density. On 3 times 24 passages with a foreign
    # sentence after each sentence, or shuffled, 1.8 to 2.2 give the same except for one passage (2026-11).
    min_tokens_of_mixture: int = 80
    min_density_of_mixture: float = 0.2
    min_pieces_of_mixture: float = 2.2  # if they were dense
    # Passages of one text are pieces of one passage if a walk finds nearly all text between them: .99 of two
    # divinations with a foreign sentence after each sentence (885 and 862 tokens more), .94 of litanies. Of 284 pairs
    # of innocent news items six have .9 or more, with at most 136 tokens more; a share of .5 accuses twice as many
    # (2026-11).
    min_pieces_of_whole: int = 3
    min_share_of_whole: float = 0.9
    min_gain_of_whole: int = 200
    max_tokens_of_whole: int = 20_000  # bounds the walk; a chapter has 2,000 to 4,000
    walk: JumpCosts = field(default=JumpCosts())
    # The margin of page and work around a passage, as a share of its matches: with 40 for all, set phrases around set
    # phrases doubled the innocent news items accused (.0122; .0066 with shares of .05-.2). At most 40, 80 and 120 give
    # the same there; on 48 passages under a mixture of edits .0006, .0003, .0003 are left out (2026-11).
    max_margin_tokens: int = 80
    margin_share: float = 0.1
    min_companion_tokens: int = 14  # beside a passage, fewer tokens are enough; 10 and 20 gave the same
    min_scattered_tokens: int = 120  # this much of one text is no accident, even in pieces that are each too small
    min_matched_tokens: int = 23  # fewer are set phrases and verse that everybody quotes
    min_score: int = 18
    min_exact_tokens: int = 20  # in a row, or with as many to spare
    # Different runs of three tokens. Laughter and refrains repeat; 20 tokens of prose have 16-18 (all of 2,700).
    min_distinct_runs: int = 10
    min_density: float = 0.35  # matched tokens of the shorter side; 40 % random changes leave 0.6
    # A passage without a segment of this length consists of fragments, which texts full of the same set pieces share.
    # Sentences in another order still cover the page (0.96 of it on 30 shuffled chapters, 2026).
    min_density_of_fragments: float = 0.7
    max_overlap_of_claims: float = 0.5  # of the lesser segment; beyond it one of the two is dropped
    # A segment of the place that most of the page comes from outbids a segment of another edition or place that is
    # better in one line. 0 to 1 give the same on 6,600 pages and on news; on 48 passages that repeat themselves .25 and
    # more put 5 of 6 pieces where they belong (2026-11).
    home_bonus: float = 0.5
    min_share_for_also: float = 0.5  # of the matched tokens that another text must carry to be named

    # Common wording (matcher.judge.classification): the share of a page's text from a work that must be unique to that
    # work. Measured on 5,104 news items compared with each other (innocent: less than a fifth of 5-grams in any other)
    # and on 2,000 excerpts of 60-500 characters and patchworks in other texts, November 2026. Innocent items accused /
    # excerpts of 60, of 100 characters not called copies: without these rules 18 %, 0; own share .65-.9, background
    # .02-.1, own tokens 60-150 give .2-1.4 %, 50-0 and 39-0 of 306; the chosen values .6 %, 5 and 1.
    most_of_page: float = 0.6  # from here on a page is a copy even if other texts have the same words
    much_of_page: float = 0.35
    min_own_share_of_much: float = 0.65
    min_own_share: float = 0.8  # at 25 M characters
    own_share_lost_per_doubling: float = 0.03  # of the index: at 10^9 characters 1 in 20 excerpts has less than .68
    max_background: float = 0.06  # of the rest of the page
    min_own_tokens: int = 100  # this many prove a copy even on a page of set phrases
    min_own_tokens_among_phrases: int = 300  # and this many if the passages are themselves full of set phrases
    min_edition_share: float = 0.3

    # A page with a whole text is a copy, however common the wording (matcher.judging). Measured on the same news,
    # November 2026, lengths from 20 to 60: of 3,456 texts four on a page 1,857 are quotations without the rule; with
    # it, only one of 50 and more tokens is. Innocent items that it adds to those accused: 1 at 50, 2 at 40, 3 at 35, 9
    # at 20. Whole items are 60 and longer.
    min_whole_text_tokens: int = 50
    # In one passage. .7 accuses 3 more innocent items, .8 one, .85 to .95 none; .8 to .95 find the same copies.
    min_whole_text_share: float = 0.9

    # Quotation (the benchmark's grey class: natural quotations of 20-35 characters, 20 % of which were called copies).
    max_bare_quotation_tokens: int = 38
    max_bare_matched_tokens: int = 30  # a saying quoted inexactly; 60 characters at 30 % edits leave 36
    max_bare_quotation_containment: float = 0.25
    max_marked_quotation_tokens: int = 120  # in quotation marks that the work lacks, or after a title
    max_marked_quotation_containment: float = 0.20
    min_quotation_similarity: float = 0.85  # character by character, for a marked quotation: quoting is not obfuscation
    max_bare_quoted_tokens: int = 76  # for all unmarked quotations of one text on one page: two
    max_quoted_tokens: int = 240  # for all quotations of one text on one page, or, on a long page,
    max_quoted_share_of_page: float = 0.1
    max_quoted_work_containment: float = 0.25  # beyond it nothing is a quotation, however well it is marked

    # Classes. Shares are in tokens. The changed share is 1 minus the similarity: wording only, neither script nor
    # noise.
    min_whole_page_containment: float = 0.8
    min_whole_page_tokens: int = 800  # a whole chapter; a shorter page with a part of a longer work is an excerpt
    min_whole_work_containment: float = 0.5
    max_changed_identical: float = 0.01
    max_changed_light: float = 0.15
    min_patchwork_tokens: int = 60
    max_patchwork_work_containment: float = 0.8  # two consecutive chapters are not a patchwork

    # Obfuscations. An accident is three typing errors in 300 characters, so at least 3 places and 1 % of the matched
    # tokens are required. For changes that never happen by accident (zero-width characters, pinyin) 3 places are
    # enough. Editions of one work agree in .96-.99 of their characters within a script, in .71-.74 across scripts (72
    # editions of 31 works).
    min_places: int = 3
    min_share: float = 0.01
    min_script_share: float = 0.05
    min_passage_tokens: int = 10  # text inserted or left out in one piece, longer than a slip of the pen
    min_displaced_segments: int = 2

    def cap(self, postings: int) -> int:
        """Return the number of postings above which a hash is common, in an index with `postings` postings."""
        return int(self.min_cap_postings * max(1.0, postings / self.postings_at_min_cap) ** 0.5)

    def own_share(self, postings: int) -> float:
        """Return the share of a copied passage that no other text may contain, in an index with `postings` postings."""
        doublings = math.log2(max(1.0, postings / self.postings_at_min_cap))
        return self.min_own_share - self.own_share_lost_per_doubling * doublings


DEFAULT = Calibration()
