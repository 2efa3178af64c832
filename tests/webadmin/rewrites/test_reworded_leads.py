"""Test what becomes a lead, what never does, and what is searched again when."""

from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import BadInput
from core.ids import digest
from core.matches import RewordedClass, RewordedState
from core.states import Rejection
from matcher.reworded.calibration import highest
from matcher.reworded.record import CURRENT
from pipeline.steps import withdraw_work
from tests.support.encoders import needs_encoder
from tests.support.reworded_chain import HOST, RewordedChain, other_words, reworded_chain, rewrite, text_id
from tests.support.rewritten import INNOCENT
from webadmin.accounts.models import FailedMessage
from webadmin.cases.models import Case, Exclusion, PageCheck
from webadmin.rewrites.models import RewordedCheck, RewordedLead
from webadmin.rewrites.services import due_searches, recording
from webadmin.rewrites.services.due_searches import has_due_searches
from webadmin.rewrites.services.searching.holder_works import HolderWorks
from webadmin.sites.models import PageRecord
from webadmin.works.models import Chapter, Licence, OwnAccount, OwnDomain, Unprotected, Work
from webadmin.works.services import catalogue

pytestmark = [pytest.mark.django_db, needs_encoder]

GIVEN = other_words()
ENGLISH = rewrite("english-02")


@pytest.fixture
def chain() -> RewordedChain:
    return reworded_chain()


@pytest.fixture
def found(chain: RewordedChain) -> SimpleNamespace:
    """A page in other words, and its lead."""
    work = chain.add_work(GIVEN.source)
    page = chain.add_page(f"{INNOCENT}\n{GIVEN.text}")
    chain.search()
    return SimpleNamespace(chain=chain, work=work, page=page, lead=chain.lead())


def count_searches(chain: RewordedChain) -> int:
    return chain.search().pages


class TestALead:
    def test_a_page_in_other_words_becomes_one_with_its_sentences_in_their_places(self, found: SimpleNamespace) -> None:
        lead, version = found.lead, found.chain.ports.pages.version(found.chain.version(found.page))
        assert (lead.page_id, lead.work, lead.text_id) == (found.page, found.work, text_id(found.work))
        assert (lead.found_as, lead.state, lead.lapsed_at) == ("reworded", "waiting", None)
        assert (lead.rights_holder, lead.site) == (found.chain.holder, found.chain.site)
        assert lead.page_text_digest == version.text_digest == digest(version.reading.text.encode())
        assert lead.work_text_digest == digest(GIVEN.source.encode())
        assert (lead.raw_digest, lead.version_id) == (version.raw_digest, version.id)
        assert lead.ingredients == {
            "weights": CURRENT.weights, "tokenizer": CURRENT.tokenizer, "background": CURRENT.background,
        }  # fmt: skip
        band = highest(CURRENT.bands[RewordedClass.REWORDED], lead.score)
        assert (lead.algorithm_version, lead.band) == (CURRENT.version, band.name)
        assert (lead.band_alarms, lead.band_passages) == (band.alarms, band.trials)
        assert lead.pair_count == len(lead.pairs) >= 5
        assert lead.sentence_count >= lead.pair_count >= lead.in_order > 0
        start = len(INNOCENT) + 1
        place = GIVEN.place
        inside = [pair for pair in lead.pairs if pair[0] >= start and place.start <= sum(pair[2:4]) / 2 < place.end]
        assert len(inside) >= 0.8 * len(lead.pairs)  # most: of all such passages .98 are


class TestNoLead:
    def test_what_the_rights_allow_is_none_and_a_later_right_ends_one_until_it_goes(
        self, found: SimpleNamespace
    ) -> None:
        chain = found.chain
        for right in ("licence", "domain", "account", "unprotected"):
            allow(chain, found.work, right)
            assert (count_searches(chain), chain.lead().lapsed_at) == (1, chain.clock.now()), right
            page = chain.add_page(f"{GIVEN.text}\n{right}", f"/{right}")
            assert count_searches(chain) == 1
            is_allowed = right != "account"  # which is of one address
            assert RewordedLead.objects.filter(page=page).exists() is not is_allowed, right
            RewordedLead.objects.filter(page=page).delete()
            PageRecord.objects.filter(pk=page).update(gone_since=chain.clock.now())
            for model in (Licence, OwnDomain, OwnAccount, Unprotected):
                for row in model.objects.all():
                    row.delete()
            assert (count_searches(chain), chain.lead().lapsed_at) == (1, None), right

    def test_a_copy_is_noted_not_searched(self, chain: RewordedChain, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(HolderWorks, "search", None)  # whoever searches a page fails
        chain.add_work(GIVEN.source)
        page = chain.add_page(GIVEN.source)
        assert Case.objects.filter(page=page).exists()
        assert (count_searches(chain), chain.leads()) == (1, [])
        assert not has_due_searches(chain.ports)

    def test_a_work_that_the_page_copies_in_part_is_not_named_beside_it(self, chain: RewordedChain) -> None:
        chain.add_work(GIVEN.source)
        page = chain.add_page(f"{GIVEN.source[:120]}\n{INNOCENT}\n{GIVEN.text}")
        assert Case.objects.get(page=page).page_containment < 0.5
        assert (count_searches(chain), chain.leads()) == (1, [])

    def test_an_excluded_finding_counts_as_one(self, chain: RewordedChain) -> None:
        work = chain.add_work(GIVEN.source)
        allow(chain, work, "licence")
        page = chain.add_page(f"{GIVEN.source[:120]}\n{INNOCENT}\n{GIVEN.text}")
        Licence.objects.all().delete()
        PageCheck.objects.update(algorithm_id=1)  # which the rights took back
        assert Exclusion.objects.filter(page=page, work=work).exists()
        assert (count_searches(chain), chain.leads()) == (1, [])

    def test_without_the_switch_nothing_is_searched_and_nothing_made_of_texts(self, chain: RewordedChain) -> None:
        chain.watch()
        work = chain.add_work(GIVEN.source)
        chain.add_page(GIVEN.text)
        assert (count_searches(chain), chain.leads(), has_due_searches(chain.ports)) == (0, [], False)
        assert chain.ports.fingerprints.get(text_id(work), 201) is None


class TestWhatIsOwed:
    def test_an_unchanged_page_is_not_searched_twice(self, found: SimpleNamespace) -> None:
        chain = found.chain
        assert not has_due_searches(chain.ports)
        chain.add_page(f"{INNOCENT}\n{GIVEN.text}")
        assert count_searches(chain) == 0

    def test_a_work_added_later_is_found_in_stored_pages_all_new_ones_in_one_pass(self, found: SimpleNamespace) -> None:
        chain, later, other = found.chain, rewrite("spoken-04"), rewrite("official-04")
        pages = [chain.add_page(later.text, "/2"), chain.add_page(other.text, "/3")]
        chain.search()
        assert len(chain.leads()) == 1
        chain.add_work(later.source, title="后来")
        chain.add_work(other.source, title="再后来")
        assert count_searches(chain) == 3, "each page once"
        assert {lead.page_id for lead in chain.leads()} == {found.page, *pages}
        assert not has_due_searches(chain.ports)

    def test_new_works_wait_until_pages_were_searched_for_copies_of_them(self, found: SimpleNamespace) -> None:
        chain = found.chain
        chain.clock.advance(10)
        PageCheck.objects.update(checked_at=chain.clock.now())
        new = Work.objects.create(rights_holder=chain.holder, title="新", kind=Work.Kind.STORY)
        given = chain.ports.works.put_text(rewrite("spoken-04").source)
        row = Chapter.objects.create(work=new, number=1, text_id=given, chars=900, indexed_at=chain.clock.now())
        assert not has_due_searches(chain.ports)
        assert count_searches(chain) == 0
        PageRecord.objects.update(reworded_version_id="")
        assert count_searches(chain) == 1, "with the works of before"
        row.refresh_from_db()
        assert row.reworded_at is None
        PageCheck.objects.update(checked_at=chain.clock.now().replace(year=2030))
        assert has_due_searches(chain.ports)
        assert count_searches(chain) == 1
        row.refresh_from_db()
        assert row.reworded_at is not None

    def test_what_came_while_a_kind_was_off_is_searched_for_it_once_it_is_on_again(self, chain: RewordedChain) -> None:
        chain.add_work("别的故事，与此无关。" * 40, title="别的")
        chain.add_work(GIVEN.source, kind=Work.Kind.ESSAY)
        chain.watch(Work.Kind.STORY, Work.Kind.ESSAY)
        chain.add_page(INNOCENT)
        chain.search()
        chain.watch(Work.Kind.STORY)
        chain.add_page(GIVEN.text, "/2")
        assert (count_searches(chain), chain.leads()) == (1, [])
        chain.watch(Work.Kind.STORY, Work.Kind.ESSAY)
        assert (count_searches(chain), len(chain.leads())) == (2, 1)

    def test_a_switch_counts_at_once(self, chain: RewordedChain, monkeypatch: pytest.MonkeyPatch) -> None:
        chain.add_work(GIVEN.source)
        chain.add_page(GIVEN.text)
        search = type(chain.ports.pages).on_pages

        def turned(store: Any, ids: Any) -> Any:
            chain.watch()
            return search(store, ids)

        monkeypatch.setattr(type(chain.ports.pages), "on_pages", turned)
        assert (count_searches(chain), chain.leads(), RewordedCheck.objects.count()) == (0, [], 0)

    def test_a_page_that_comes_back_owes_what_came_meanwhile(self, found: SimpleNamespace) -> None:
        chain = found.chain
        PageRecord.objects.update(gone_since=chain.clock.now())
        chain.add_work(rewrite("spoken-04").source, title="后来")
        assert count_searches(chain) == 0
        assert not has_due_searches(chain.ports)
        assert RewordedCheck.objects.count() == 0, "or each question would pass it by for ever"
        PageRecord.objects.update(gone_since=None)
        assert count_searches(chain) == 1

    def test_a_withdrawn_work_is_looked_for_no_more_and_its_leads_wait_no_longer(self, found: SimpleNamespace) -> None:
        chain = found.chain
        chain.add_work("别的故事，与此无关。" * 40, title="别的")
        chain.search()
        text = text_id(found.work)
        assert chain.ports.fingerprints.get(text, 201)
        Chapter.objects.filter(work=found.work).delete()
        withdraw_work(text, chain.ports)
        assert chain.ports.fingerprints.get(text, 201) is None
        assert chain.lead().lapsed_at is not None
        page = chain.add_page(GIVEN.text, "/2")
        chain.search()
        assert not RewordedLead.objects.filter(page=page).exists()

    def test_a_work_goes_with_leads_that_nobody_decided_on_and_stays_with_others(self, found: SimpleNamespace) -> None:
        RewordedLead.objects.update(state=RewordedState.DISMISSED)
        with pytest.raises(BadInput, match="have been decided"):
            catalogue.remove_work(found.work, found.chain.outbox)
        RewordedLead.objects.update(state=RewordedState.WAITING)
        catalogue.remove_work(found.work, found.chain.outbox)
        assert RewordedLead.objects.count() == 0


class TestNewVersions:
    @pytest.mark.parametrize("state", ["confirmed", "dismissed"])
    def test_a_verdict_is_untouched_by_what_the_page_says_later(self, found: SimpleNamespace, state: str) -> None:
        chain = found.chain
        RewordedLead.objects.update(state=state)
        before = RewordedLead.objects.values().get()
        chain.add_page(INNOCENT)
        assert count_searches(chain) == 1
        missed_at = chain.clock.now() if state == "confirmed" else None
        assert RewordedLead.objects.values().get() == before | {"lapsed_at": missed_at}
        chain.add_page(f"{GIVEN.text}\n{INNOCENT}")
        assert count_searches(chain) == 1
        lead = chain.lead()
        assert (lead.state, lead.lapsed_at, lead.version_id) == (state, None, chain.version(found.page))

    def test_a_confirmed_lead_is_missed_only_where_its_text_was_looked_for(self, found: SimpleNamespace) -> None:
        chain = found.chain
        RewordedLead.objects.update(state=RewordedState.CONFIRMED)
        allow(chain, found.work, "licence")
        PageRecord.objects.update(reworded_version_id="")
        assert (count_searches(chain), chain.lead().lapsed_at) == (1, None), "found, and allowed"
        chain.add_work("别的故事，与此无关。" * 40, title="别的", kind=Work.Kind.NEWS)
        chain.watch(Work.Kind.NEWS)
        chain.add_page(INNOCENT)
        assert (count_searches(chain), chain.lead().lapsed_at) == (1, None), "another kind is looked for"
        chain.watch(Work.Kind.STORY)
        chain.add_page(GIVEN.source)
        assert (count_searches(chain), chain.lead().lapsed_at) == (1, None), "a copy by now, and not searched"

    def test_a_lead_that_waits_lapses_with_the_passage_and_comes_back_with_it(self, found: SimpleNamespace) -> None:
        chain, old = found.chain, found.lead
        chain.add_page(INNOCENT)
        chain.search()
        lapsed = chain.lead()
        assert (lapsed.pk, lapsed.state, lapsed.version_id) == (old.pk, "waiting", old.version_id)
        assert lapsed.lapsed_at == chain.clock.now()
        chain.add_page(f"{GIVEN.text}\n{INNOCENT}")
        chain.search()
        back = chain.lead()
        assert (back.pk, back.lapsed_at, back.found_at) == (old.pk, None, old.found_at)
        assert back.version_id != old.version_id
        chain.add_page(GIVEN.source)
        chain.search()
        assert chain.lead().lapsed_at is not None, "the page became a copy"


class TestFaults:
    def test_a_faulty_page_stops_no_other(self, chain: RewordedChain, monkeypatch: pytest.MonkeyPatch) -> None:
        chain.add_work(GIVEN.source)
        lost, good = chain.add_page("另一页", "/1"), chain.add_page(GIVEN.text, "/2")
        version = chain.version(lost)
        chain.ports.pages._versions.pop(version)  # type: ignore[attr-defined]
        assert count_searches(chain) == 1
        assert chain.lead().page_id == good
        failed = FailedMessage.objects.get()
        assert (failed.task, failed.subject) == (due_searches.TASK, version)
        assert not has_due_searches(chain.ports), "it waiting for a person"
        failed.delete()
        assert has_due_searches(chain.ports), "and is taken up again"

    def test_an_unwritten_page_stops_no_other(self, chain: RewordedChain, monkeypatch: pytest.MonkeyPatch) -> None:
        chain.add_work(GIVEN.source)
        good, bad = chain.add_page(GIVEN.text, "/1"), chain.add_page(f"{GIVEN.text}完。", "/2")
        made = recording._LeadBuilder._build_lead

        def fails(writer: Any, page: PageRecord, *given: Any) -> RewordedLead:
            if page.page_id == bad:
                raise ValueError("no row")
            return made(writer, page, *given)

        monkeypatch.setattr(recording._LeadBuilder, "_build_lead", fails)
        assert count_searches(chain) == 1
        assert chain.lead().page_id == good
        assert FailedMessage.objects.get().subject == chain.version(bad)

    @pytest.mark.parametrize("algorithm", [201, 202])
    def test_damaged_codes_are_made_anew(self, chain: RewordedChain, algorithm: int) -> None:
        work = chain.add_work(ENGLISH.source)
        chain.add_page(ENGLISH.text)
        chain.search()
        whole = chain.ports.fingerprints.get(text_id(work), algorithm)
        damaged = replace(whole, payload=whole.payload[:-1] + bytes([whole.payload[-1] ^ 1]))
        chain.ports.fingerprints.put_many([damaged])
        chain.begin_anew()
        page = chain.add_page(f"{ENGLISH.text}\nAnd so on.", "/2")
        chain.search()
        assert RewordedLead.objects.filter(page=page).exists()
        assert chain.ports.fingerprints.get(text_id(work), algorithm) == whole


def allow(chain: RewordedChain, work: Work, right: str) -> None:
    if right == "licence":
        Licence.objects.create(
            rights_holder=chain.holder, work=work, licensee="乙", domain="pirate.example", valid_from=date(2020, 1, 1)
        )
    elif right == "domain":
        OwnDomain.objects.create(rights_holder=chain.holder, domain="pirate.example")
    elif right == "account":
        OwnAccount.objects.create(rights_holder=chain.holder, platform="某站", address=f"{HOST}/1")
    else:
        Unprotected.objects.create(work=work, reason=Rejection.TERM_EXPIRED)
