"""The thresholds of the matcher, with unit, reason and source.

"Benchmark" is the one of 165 works (25.1 M characters) and 8,665 pages under 31 kinds and strengths of edits, 2026; its
figures and the ranges tried are next to each number. Tokens are characters that have a reading.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Thresholds of matching. Change one only with a measurement. One object is a key of its own."""

    # Look-up. A hash with more postings than this tells nothing: 64 at 25 M characters (benchmark: tuning it changed
    # nothing beyond noise). It grows with the root of the index: in proportion, a page met 6,560 strangers at 10^9
    # characters (November 2026).
    min_cap_postings: int = 64
    postings_at_min_cap: int = 5_200_000
    cap_growth_when_all_capped: int = 16  # a passage that a hundred texts share is still found
    # Windows as seeds (matcher.index.window_alignment; docs/decisions/fingerprint-and-index.md).
    page_window_step_tokens: int = 1  # of the works' own step at most, which is the published way
    window_gram_tokens: int = 4  # tokens in a row that two equal windows must share
    max_fetched_texts: int = 400  # beyond it lone hits cost more than they find, unless the index has the streams
    max_repeats_on_page: int = 64  # of one anchor; beyond it the page repeats itself, and the product of both explodes

    # Extension (benchmark: tuning of drops and costs changed nothing beyond noise).
    ungapped_drop: int = 4  # 3-8 gave the same segments and phrases on 600 pages, and the same hard class (2026-11)
    min_ungapped_score: int = 8
    # Of a hit with no other of the same text beside it. 60 characters at 30 % edits (400, of 14.6 M characters): 8
    # finds .973, 9 .965, 10 .953; at 10^9 characters most hits are strangers that end here.
    min_ungapped_score_alone: int = 9
    # 8, 10, 16, 20 tried, 2 x 8,600 pages, 2026-11 (docs/decisions/matching.md): what dies is followed over
    # the square of it, and most extensions die at both ends. Between two segments near one diagonal a walk with more
    # patience follows: half of the characters replaced by like ones leave gaps of 109-284 tokens that lose 18-26.
    gapped_drop: int = 10
    bridge_drop: int = 32
    max_bridge_tokens: int = 300
    gapped_lag: int = 6  # below the leader of the last wave; 4-10 gave the same segments on chapters with 0-50 % edits
    band_tokens: int = 20
    # Of a segment whose hit has less than twice as much along its diagonal; 9-12 changed no outcome of 2,800 hard
    # excerpts.
    min_faint_score: int = 12
    min_segment_score: int = 9
    max_cached_tokens: int = 256_000_000  # 512 MB of token streams; more only takes memory
    max_segments_of_text: int = 4_000  # bounds the work for a page made of a thousand pieces

    # Chaining (matcher.align.passages). What stands between two neighbours is bridged when it is little beside what
    # each side took. Pages of own words between two excerpts (40 chapters, gaps of 20-400) and labelled reuse of 60
    # historical works, November 2026: page shares .3-1.0, work shares .3-2.0 and free gaps 10-40 and 20-60 give
    # .876-.892 there (mean of precision and recall on both sides, broken spans counted against it); higher ones join
    # excerpts, lower ones break chapters of which sentences were left out.
    max_page_gap_tokens: int = 250
    max_work_gap_tokens: int = 800
    max_free_page_gap_tokens: int = 20
    max_page_gap_share: float = 0.5
    max_sheltered_page_gap_tokens: int = (
        100  # two advertisements: a short piece between them and a long one belongs to the same passage
    )
    max_inserted_share: float = 0.6  # of what is put in where the work goes on: an advertisement, not two excerpts
    # Pieces of one stretch of the work, shuffled or among other sentences, are one passage where they are so much of it
    # on both sides: the fewer they are, the more. Of 4,853 innocent news items 31 are accused if nothing is joined so,
    # 33 with these, 35 with 2 pieces at 1, 46 with 4 at any density. On 3 times 24 passages with a foreign sentence
    # behind each of theirs, or shuffled, 1.8 to 2.2 give the same but for one passage (2026-11).
    min_tokens_of_mixture: int = 80
    min_density_of_mixture: float = 0.2
    min_pieces_of_mixture: float = 2.2  # were they dense
    # Passages of one text are pieces of one where a walk finds nearly all that lies between them: .99
    # of two divinations with a foreign sentence after each of theirs (885 and 862 tokens more), .94 of litanies. Of 284
    # pairs of innocent news items .9 and more in six, with 136 tokens more at most; a share of .5 accuses twice as many
    # of them (2026-11).
    min_pieces_of_whole: int = 3
    min_share_of_whole: float = 0.9
    min_gain_of_whole: int = 200
    max_tokens_of_whole: int = 20_000  # bounds the walk; a chapter has 2,000 to 4,000
    max_work_gap_of_insertion_tokens: int = 8
    max_free_work_gap_tokens: int = 60
    max_work_gap_share: float = 1.0
    max_free_share_of_leap: float = 0.5  # a leap over sentences that stand elsewhere on the page leaves nothing out
    # The walk along a passage (matcher.align.jump_walk). Tried on 16 and 24 passages of 2,000 characters that
    # repeat themselves, 17 edits, 2026-11: near 1-3, gap 2-4. A lower gap shows random characters as put in and left
    # out (right kind .92-.97, here .98), near 3 takes a chance likeness for a copied character.
    walk_same: int = 4
    walk_near: int = 2
    walk_other: int = -3
    walk_gap: int = 4
    walk_gap_more: int = 1
    walk_gap_tokens: int = 4
    walk_foreign: int = 5
    walk_back: int = 2
    walk_leap: int = 8
    walk_backwards: int = 1
    walk_far: int = 6
    walk_boundary: int = 5
    walk_again: int = 2
    # Of page and work around a passage, of what it has matched: with 40 for all, set wording around set wording doubled
    # the innocent news items accused (.0122; .0066 with shares of .05-.2). At most 40, 80 and 120 give the same there;
    # on 48 passages under a mixture of edits .0006, .0003, .0003 are left out (2026-11).
    max_margin_tokens: int = 80
    margin_share: float = 0.1
    min_companion_tokens: int = 14  # beside a passage, less proves enough; 10 and 20 gave the same
    min_scattered_tokens: int = 120  # so much of one text in pieces, each too little by itself, is not accidental
    min_matched_tokens: int = 23  # below it set phrases and verse that everybody quotes begin
    min_score: int = 18
    min_exact_tokens: int = 20  # in one go, or with as much to spare
    # Different runs of three tokens: laughter and refrains go round, 20 tokens of prose have 16-18 (all of 2,700).
    min_distinct_runs: int = 10
    min_density: float = 0.35  # matched tokens of the shorter side; 40 % of random changes leave 0.6
    # Without one segment of that length a passage is fragments, as texts full of the same set pieces share them;
    # sentences in another order cover the page all the same (0.96 of it on 30 shuffled chapters, 2026).
    min_density_of_fragments: float = 0.7
    max_overlap_of_claims: float = 0.5  # of the lesser segment; beyond it one of the two is dropped
    # Where the page has most of what it has, a segment outbids one of another edition, or of another place of the work,
    # that is better in one line. 0 to 1 give the same on 6,600 pages and on news; on 48 passages that repeat themselves
    # .25 and more put 5 of 6 pieces where they belong (2026-11).
    home_bonus: float = 0.5
    min_share_for_also: float = 0.5  # of the matched tokens that another text must carry to be named

    # Common wording (matcher.judge.classification): how much of what a page has of a text must be that text's own.
    # Measured on 5,104 news items compared with each other (innocent: less than a fifth of 5-grams in any other) and on
    # 2,000 excerpts of 60-500 characters and patchworks in other texts, November 2026. Innocent ones accused / excerpts
    # of 60, of 100 characters not called copies: without these rules 18 %, 0; own share .65-.9, background .02-.1, own
    # tokens 60-150 give .2-1.4 %, 50-0 and 39-0 of 306; the ones chosen .6 %, 5 and 1.
    most_of_page: float = 0.6  # from here on a page is a copy whatever else has the same words
    much_of_page: float = 0.35
    min_own_share_of_much: float = 0.65
    min_own_share: float = 0.8  # at 25 M characters
    own_share_lost_per_doubling: float = 0.03  # of the index: at 10^9 characters 1 in 20 excerpts has less than .68
    max_background: float = 0.06  # of the rest of the page
    min_own_tokens: int = 100  # so much proves a copy on a page of set phrases too,
    min_own_tokens_among_phrases: int = 300  # and so much when the passages themselves are full of them
    min_edition_share: float = 0.3

    # A text that stands whole on a page is a copy, however common its wording (matcher.judging). Measured on
    # the same news, November 2026, lengths from 20 to 60: of 3,456 texts
    # four on a page 1,857 are quotations without the rule, none of 50 and more tokens but one with it; innocent items
    # that it adds to those accused: 1 at 50, 2 at 40, 3 at 35, 9 at 20. Whole items are 60 and longer.
    min_whole_text_tokens: int = 50
    # In one passage. .7 accuses 3 more of the innocent items, .8 one, .85 to .95 none; .8 to .95 find the same copies.
    min_whole_text_share: float = 0.9

    # Quotation (the benchmark's grey class: natural quotations of 20-35 characters, of which 20 % were called copies).
    max_bare_quotation_tokens: int = 38
    max_bare_matched_tokens: int = 30  # a saying that is quoted inexactly; 60 characters at 30 % edits leave 36
    max_bare_quotation_containment: float = 0.25
    max_marked_quotation_tokens: int = 120  # in quotation marks that the work lacks, or behind a title
    max_marked_quotation_containment: float = 0.20
    min_quotation_similarity: float = 0.85  # character by character, of a marked one: who quotes does not obfuscate
    max_bare_quoted_tokens: int = 76  # all unmarked ones of one text on one page: two
    max_quoted_tokens: int = 240  # all quotations of one text on one page, or, on a long page,
    max_quoted_share_of_page: float = 0.1
    max_quoted_work_containment: float = 0.25  # beyond it nothing is quoted, however well it is marked

    # Classes. Shares of tokens; what was changed is what similarity lacks of 1: wording only, neither script nor noise.
    min_whole_page_containment: float = 0.8
    min_whole_page_tokens: int = 800  # a whole chapter; a shorter page of a longer work is an excerpt of it
    min_whole_work_containment: float = 0.5
    max_changed_identical: float = 0.01
    max_changed_light: float = 0.15
    min_patchwork_tokens: int = 60
    max_patchwork_work_containment: float = 0.8  # two consecutive chapters are not a patchwork

    # Obfuscations. Accident: three typing errors in 300 characters; so at least 3 places and 1 % of what was matched.
    # Of what never happens by accident (zero-width characters, pinyin) 3 places are enough. Editions of one work agree
    # in .96-.99 of their characters within a script, in .71-.74 across scripts (72 editions of 31 works).
    min_places: int = 3
    min_share: float = 0.01
    min_script_share: float = 0.05
    min_passage_tokens: int = 10  # text inserted or left out in one piece, as no slip of the pen is
    min_displaced_segments: int = 2

    def cap(self, postings: int) -> int:
        """Postings of one hash beyond which it is common, in an index of that many."""
        return int(self.min_cap_postings * max(1.0, postings / self.postings_at_min_cap) ** 0.5)

    def own_share(self, postings: int) -> float:
        """Return the share of a passage that must be its own for a copy, in an index of that many postings."""
        doublings = math.log2(max(1.0, postings / self.postings_at_min_cap))
        return self.min_own_share - self.own_share_lost_per_doubling * doublings


DEFAULT = Calibration()
