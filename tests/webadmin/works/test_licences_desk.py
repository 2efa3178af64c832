"""Licences for some chapters, files that prove them, the pages that they cover, and accounts of one's own."""

import hashlib
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.taken import Places
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import add_url, english, list_url, record_url, signed_in
from tests.support.memory_pages import MemoryPageStore, MemoryWorkStore
from webadmin import stores
from webadmin.cases.models import Case, CaseMatch, Exclusion, TakenText
from webadmin.works.models import AuthorAlias, Chapter, Licence, LicenceProof, OwnAccount, Work

PDF = b"%PDF-1.7\n1 0 obj <<>> endobj\n%%EOF"


@pytest.fixture
def desk(world: World, evidence_store: object, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(stores, "page_store", MemoryPageStore)
    monkeypatch.setattr(stores, "work_store", MemoryWorkStore)
    return english(world.ours.manager)


@pytest.fixture
def work(world: World) -> Work:
    """With chapters 1 to 5."""
    return admin_data.work(world.ours.holder, "五章书", 5)


def case_of(world: World, work: Work, number: int, *chapters: int) -> Case:
    """A case whose page copied these chapters."""
    page = admin_data.page(world.ours.sites[0], 900 + number)
    case = admin_data.case(page, work, with_match=False, match_class="near_identical")
    for chapter in Chapter.objects.filter(work=work, number__in=chapters).order_by("-number"):
        match = admin_data.match(case, number)
        CaseMatch.objects.filter(pk=match.pk).update(chapter=chapter, text_id=chapter.text_id)
        TakenText.objects.create(case=case, text_id=chapter.text_id, places=Places.from_starts(range(10)).pack())
    return case


def host_of(world: World) -> str:
    return str(world.ours.sites[0].domains.get().host)


def licence_form(world: World, work: Work | None, **fields: object) -> dict[str, object]:
    form = {"rights_holder": world.ours.holder.pk, "work": work.pk if work else "", "licensee": "落霞书城"}
    return {**form, "domain": host_of(world), "number": "A-7", "valid_from": "2026-01-01", "valid_until": "", **fields}


class TestChapters:
    def test_a_page_beyond_them_says_what_is_outside(self, world: World, desk: Any, work: Work) -> None:
        inside, beyond = case_of(world, work, 1, 1, 2), case_of(world, work, 2, 2, 3, 4, 5)
        desk.post(add_url(Licence), licence_form(world, work, chapters="1－3"))
        licence = Licence.objects.get(number="A-7")
        assert licence.chapters == "1-3"
        inside.refresh_from_db()
        beyond.refresh_from_db()
        assert (inside.state, inside.allowed_by) == ("set_aside", "落霞书城 A-7")
        assert (beyond.state, beyond.allowed_as) == ("open", "")
        shown = desk.get(record_url(beyond)).content.decode()
        assert "covers chapters 1-3; this page also contains others: 4-5." in shown
        assert "also contains others" not in desk.get(record_url(inside)).content.decode()

    def test_a_quotation_of_another_chapter_does_not_matter(self, world: World, desk: Any, work: Work) -> None:
        case = case_of(world, work, 1, 1, 5)
        CaseMatch.objects.filter(case=case, chapter__number=5).update(match_class="quotation")
        desk.post(add_url(Licence), licence_form(world, work, chapters="1-3"))
        case.refresh_from_db()
        assert case.state == "set_aside"

    def test_widening_and_narrowing_them_rules_anew(self, world: World, desk: Any, work: Work) -> None:
        case, finding = case_of(world, work, 1, 4), case_of(world, work, 2)
        exclusion = admin_data.exclusion(finding.page, work)
        finding.delete()
        Exclusion.objects.filter(pk=exclusion.pk).update(
            text_ids=[work.chapters.get(number=4).text_id], page_url=finding.page_url, reason="quotation"
        )
        desk.post(add_url(Licence), licence_form(world, work, chapters="1-3"))
        licence = Licence.objects.get(number="A-7")
        for chapters, state, reason in (("1-4", "set_aside", "licensed"), ("", "set_aside", "licensed")):
            desk.post(record_url(licence), licence_form(world, work, chapters=chapters))
            case.refresh_from_db()
            exclusion.refresh_from_db()
            assert (case.state, exclusion.reason) == (state, reason)
        desk.post(record_url(licence), licence_form(world, work, chapters="2"))
        case.refresh_from_db()
        assert case.state == "open"

    @pytest.mark.parametrize(
        ("chapters", "sentence"),
        [
            ("first ten", "“first” is not a chapter or a range of chapters"),
            ("9-3", "“9-3” is not a chapter or a range of chapters"),
            ("3-6", "3-6 is outside the work, whose chapters are 1 to 5"),
            ("1," * 300, "the chapters take more than"),
        ],
    )
    def test_what_cannot_be_is_refused_with_a_sentence(
        self, world: World, desk: Any, work: Work, chapters: str, sentence: str
    ) -> None:
        answer = desk.post(add_url(Licence), licence_form(world, work, chapters=chapters))
        said = str(answer.context["adminform"].form.errors)
        assert sentence in said or "at most 500 characters" in said
        assert not Licence.objects.filter(number="A-7").exists()

    def test_the_verdict_leads_to_a_form_with_chapters(self, world: World, desk: Any, work: Work) -> None:
        case = case_of(world, work, 1, 2, 3)
        answer = desk.post(record_url(case), {"verdict": "licensed", "basis": "0", "note": ""}, follow=True)
        address = answer.context["just_decided"]["licence_address"]
        form = desk.get(address).context["adminform"].form
        assert {name: form.initial[name] for name in ("chapters", "work", "domain")} == {
            "chapters": "2-3", "work": str(work.pk), "domain": host_of(world),
        }  # fmt: skip


class TestProofs:
    def send(self, world: World, desk: Any, content: bytes, name: str = "合同 甲.pdf", **fields: Any) -> Any:
        proof = SimpleUploadedFile(name, content)
        return desk.post(add_url(Licence), licence_form(world, None, proof=proof, **fields), follow=True)

    def test_it_is_kept_with_its_hash_and_handed_out_as_a_file(self, world: World, desk: Any) -> None:
        self.send(world, desk, PDF)
        proof = LicenceProof.objects.get(licence__number="A-7")
        assert (proof.name, proof.added_by) == ("合同 甲.pdf", world.ours.manager)
        page = desk.get(record_url(proof.licence)).content.decode()
        assert hashlib.sha256(PDF).hexdigest() in page
        address = f"{reverse('admin:works_licence_proof', args=[proof.licence_id])}?file={proof.pk}"
        assert address in page
        for member in (world.ours.manager, world.ours.reviewer):
            file = signed_in(member).get(address)
            assert (file.content, file["Content-Type"]) == (PDF, "application/octet-stream")
            assert file["Content-Disposition"].startswith("attachment")
            assert file["X-Content-Type-Options"] == "nosniff"
        assert signed_in(world.theirs.manager).get(address).status_code in {302, 404}
        other = admin_data.licence(world.ours.holder, number="B-1")
        for named, key in ((other.pk, proof.pk), (proof.licence_id, "x"), (proof.licence_id, "")):
            wrong = reverse("admin:works_licence_proof", args=[named])
            assert desk.get(wrong, {"file": key}).status_code == 404

    @pytest.mark.parametrize("content", [b"<html><script>alert(1)</script>", b"MZ\x90", b"PK\x03\x04 no archive"])
    def test_only_documents_are_taken_by_any_name(self, world: World, desk: Any, content: bytes) -> None:
        assert "the file is not a PDF" in self.send(world, desk, content).content.decode()
        assert not Licence.objects.filter(number="A-7").exists()


class TestOnePage:
    def test_it_allows_that_page_until_it_is_withdrawn(self, world: World, desk: Any, work: Work) -> None:
        here, other = case_of(world, work, 1, 1), case_of(world, work, 2, 1)
        typed = f"http://www.{here.page_url.removeprefix('https://')}?utm_source=qq"
        desk.post(add_url(Licence), licence_form(world, work, address=f" {typed} "))
        licence = Licence.objects.get(number="A-7")
        assert licence.address == typed.partition("?")[0]
        for case in (here, other):
            case.refresh_from_db()
        assert (here.state, other.state) == ("set_aside", "open")
        assert here.allowed_by == f"落霞书城 A-7 · {licence.address}"
        assert licence.address in desk.get(list_url(Licence), {"q": "book/901"}).content.decode()
        desk.post(record_url(licence, "delete"), {"post": "yes"})
        here.refresh_from_db()
        assert here.state == "open"

    @pytest.mark.parametrize(
        ("address", "sentence"),
        [
            ("https://{host}/", "This is a whole site: leave the URL of the page empty."),
            ("https://{host}/index.html", "This is a whole site: leave the URL of the page empty."),
            ("https://else.example/book/1", "This page is not on the domain of the licence."),
            ("javascript:alert(1)", "does not begin with http"),
            ("book/1", "does not begin with http"),
            ("https://{host}/" + "书" * 700, "This URL is too long."),
        ],
    )
    def test_no_other_page_is_licensed(self, world: World, desk: Any, address: str, sentence: str) -> None:
        form = licence_form(world, None, address=address.format(host=host_of(world)))
        assert sentence in desk.post(add_url(Licence), form).content.decode()
        assert not Licence.objects.filter(number="A-7").exists()


class TestWithTheVerdict:
    def scopes(self, answer: Any) -> dict[str, tuple[str, str]]:
        """Return what is offered, by what the form sends: its name, and its effect."""
        offer = answer.context["licence_offer"]
        assert [choice.value for choice in offer.choices if choice.is_chosen] == ["page"]
        return {choice.value: (choice.name, choice.effect) for choice in offer.choices}

    def test_the_chosen_licence_is_foreseen_and_made(self, world: World, desk: Any, work: Work) -> None:
        case, other = case_of(world, work, 1, 1), case_of(world, work, 2, 1)
        answer, host = desk.get(record_url(case)), host_of(world)
        assert self.scopes(answer) == {
            "page": ("This page only", "Sets aside no other open case"),
            "work": (f"This work on {host}", "Also sets aside 1 other open case"),
            "site": (f"All works on {host}", "Also sets aside 2 other open cases"),
            "": ("No licence, verdict only", ""),
        }
        assert answer.context["licence_offer"].licensee == world.ours.sites[0].name
        sent = {"verdict": "licensed", "basis": "0", "licence": "work", "licensee": "落霞书城"}
        told = desk.post(record_url(case), sent, follow=True)
        licence = Licence.objects.get(licensee="落霞书城")
        assert (licence.work, licence.address, licence.entered_by) == (work, "", world.ours.manager)
        other.refresh_from_db()
        assert other.state == "set_aside"
        said = told.content.decode()
        assert f"Licence created: 落霞书城 · {host}." in said
        assert "Cases whose page is now allowed: 2; no longer allowed: 0." in said
        assert told.context["just_decided"]["licence_address"] == record_url(licence)
        shown = desk.get(record_url(case))
        assert shown.context["licence_offer"] is None
        assert f"Licence created: 落霞书城 · {host}." in shown.content.decode()

        undo = told.context["just_decided"]
        again = desk.post(undo["address"], {"verdict": "undo", "basis": str(undo["record"].pk)}, follow=True)
        assert "Cases whose page is now allowed: 0; no longer allowed: 2." in again.content.decode()
        assert not Licence.objects.filter(licensee="落霞书城").exists()

    def test_no_licence_goes_with_another_verdict(self, world: World, desk: Any, work: Work) -> None:
        before = Licence.objects.count()
        for number, (verdict, scope) in enumerate((("fair_use", "site"), ("licensed", "")), 1):
            case = case_of(world, work, number, 1)
            desk.post(record_url(case), {"verdict": verdict, "basis": "0", "licence": scope, "licensee": "落霞"})
            assert Case.objects.get(pk=case.pk).verdict == verdict
        assert Licence.objects.count() == before

    def test_what_is_refused_stays_in_the_form_with_its_note(self, world: World, desk: Any, work: Work) -> None:
        case = case_of(world, work, 1, 1)
        sent = {"verdict": "licensed", "basis": "0", "licence": "site", "licensee": " ", "note": "合同在档案室"}
        answer = desk.post(record_url(case), sent)
        assert answer.status_code == 409
        assert "enter the licensee" in answer.content.decode()
        assert answer.context["kept"] == "合同在档案室"
        chosen = [choice.value for choice in answer.context["licence_offer"].choices if choice.is_chosen]
        assert chosen == ["site"]

    def test_who_only_reviews_is_offered_none_and_makes_none(self, world: World, desk: Any, work: Work) -> None:
        case, before, person = case_of(world, work, 1, 1), Licence.objects.count(), signed_in(world.ours.reviewer)
        assert person.get(record_url(case)).context["licence_offer"] is None
        sent = {"verdict": "licensed", "basis": "0", "licence": "site", "licensee": "落霞书城"}
        assert person.post(record_url(case), sent).status_code == 409
        assert Licence.objects.count() == before
        assert Case.objects.get(pk=case.pk).state == "open"


class TestOwnAccounts:
    def account(self, world: World, **fields: str) -> dict[str, object]:
        blank = {"address": "", "domain": "", "name": ""}
        return {"rights_holder": world.ours.holder.pk, "platform": "知乎", **blank, **fields}

    def test_pages_below_it_are_our_own_until_withdrawn(self, world: World, desk: Any, work: Work) -> None:
        own, other = case_of(world, work, 1, 1), case_of(world, work, 2, 1)
        Case.objects.filter(pk=own.pk).update(page_url="https://www.zhihu.com/people/linqi/posts/1")
        Case.objects.filter(pk=other.pk).update(page_url="https://www.zhihu.com/people/linqi2/posts/1")
        desk.post(add_url(OwnAccount), self.account(world, address="https://zhihu.com/people/linqi"))
        own.refresh_from_db()
        other.refresh_from_db()
        assert (own.state, own.allowed_as, other.state) == ("set_aside", "own_site", "open")
        assert own.allowed_by == "知乎 https://zhihu.com/people/linqi"
        shown = desk.get(record_url(own)).content.decode()
        assert "知乎 https://zhihu.com/people/linqi allows this page" in shown
        desk.post(record_url(OwnAccount.objects.get(platform="知乎", address__contains="linqi"), "delete"), {"post": 1})
        own.refresh_from_db()
        assert own.state == "open"

    def test_pages_by_it_are_our_own_on_its_domain(self, world: World, desk: Any, work: Work) -> None:
        here, elsewhere, another, posted, reposted = (case_of(world, work, number, 1) for number in range(1, 6))
        rows = {
            here: ("https://zhuanlan.zhihu.com/p/1", "", "林栖 本人"),
            elsewhere: ("https://pirate.example/1", "", "林栖本人"),
            another: ("https://zhuanlan.zhihu.com/p/2", "", "林栖"),
            posted: ("https://zhuanlan.zhihu.com/p/3", "林栖本人", ""),
            reposted: ("https://zhuanlan.zhihu.com/p/4", "搬运工", "林栖本人"),
        }
        for case, (url, poster, author) in rows.items():
            Case.objects.filter(pk=case.pk).update(page_url=url, page_poster=poster, page_author=author)
        desk.post(add_url(OwnAccount), self.account(world, domain="https://zhihu.com/", name="@林栖本人"))
        for case in rows:
            case.refresh_from_db()
        assert [case.state for case in rows] == ["set_aside", "open", "open", "set_aside", "open"]
        assert here.allowed_by == "知乎 @林栖本人"

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"address": "https://zhihu.com/"}, "This URL is a whole site"),
            ({"address": "javascript:alert(1)"}, "does not begin with http"),
            ({"domain": "zhihu.com"}, "Enter the URL of the account, or its domain and its name."),
            ({}, "Enter the URL of the account, or its domain and its name."),
            ({"domain": "zhihu.com", "name": "@"}, "Enter the name as the platform shows it."),
        ],
    )
    def test_an_account_has_a_name(self, world: World, desk: Any, fields: dict[str, str], sentence: str) -> None:
        before = OwnAccount.objects.count()
        assert sentence in desk.post(add_url(OwnAccount), self.account(world, **fields)).content.decode()
        assert OwnAccount.objects.count() == before


class TestPenNames:
    def found(self, desk: Any, model: type[Any], words: str) -> list[Any]:
        return list(desk.get(list_url(model), {"q": words}).context["cl"].result_list)

    def test_a_search_finds_what_is_under_the_other_name(self, world: World, desk: Any, work: Work) -> None:
        case = case_of(world, work, 1, 1)
        assert self.found(desk, Work, "樱木") == []
        pen_name = {"rights_holder": world.ours.holder.pk, "author": "林栖", "alias": "櫻木"}
        desk.post(add_url(AuthorAlias), pen_name)
        assert work in self.found(desk, Work, "樱木")
        assert case in self.found(desk, Case, "樱木")
        Work.objects.filter(pk=work.pk).update(author="櫻木")
        assert work in self.found(desk, Work, "林栖")

    def test_those_of_another_rights_holder_find_nothing(self, world: World, desk: Any, work: Work) -> None:
        admin_data.author_alias(world.theirs.holder, "林栖", "樱木")
        assert self.found(desk, Work, "樱木") == []
