"""Converts cases to rows of the comparison table, with the passages of both sides and an image of the page."""

from collections.abc import Sequence

from django.utils import timezone

from bundles.opened import open_bundle
from core.errors import BadInput, BrokenInvariant
from core.ids import Digest
from core.shares import format_percentage
from documents.pictures import PagePicture, page_picture
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.evidence.models import EvidenceBundle
from webadmin.notices.services.comparison_table import ComparedCase
from webadmin.notices.services.values import (
    bundle_hashes,
    format_with_offset,
    main_match,
    newest_bundle,
    shown_addresses,
)

# Chosen to give at most 7 MB of images in each format of the table (documents.pictures). A notice with more pages is
# mailed without images. The export of a matter has a table for each group of this many pages.
MAX_PICTURES = 50


def compared_cases(cases: Sequence[Case]) -> list[ComparedCase]:
    """Return the rows for these cases, without images for more than MAX_PICTURES cases.

    Raises ServiceUnavailable if the evidence store is unreachable.
    """
    has_pictures = len(cases) <= MAX_PICTURES
    return [_compare_case(case, case_picture(case) if has_pictures else None) for case in cases]


def case_picture(case: Case) -> PagePicture | None:
    """Return the image of the page in the version compared last.

    Returns None if the page was not rendered or the bundle is damaged.
    """
    drawn = case.bundles.filter(
        version_id=case.version_id, kind=EvidenceBundle.Kind.DRAWN, state=EvidenceBundle.State.HELD
    )
    row = drawn.order_by("-made_at", "-pk").first()
    if row is None:
        return None
    try:
        content = stores.evidence_store().get(Digest(row.digest))
        screenshot = open_bundle(content, row.digest).renderings.get("screenshot") if content is not None else None
        return page_picture(screenshot) if screenshot is not None else None
    except (BadInput, BrokenInvariant, OSError, ValueError):
        return None  # The nightly check reports a damaged bundle. The table omits its image.


def _compare_case(case: Case, picture: PagePicture | None) -> ComparedCase:
    match, bundle, zone = main_match(case), newest_bundle(case), timezone.get_default_timezone()
    chapter = match.chapter_title if match else ""
    return ComparedCase(
        heading=f"#{case.pk} 《{case.work.title}》 {chapter}",
        work_facts=(
            ("作品", f"《{case.work.title}》 {chapter}"),
            ("作者", case.work.author),
            ("文本哈希值", f"SHA-256 {match.work_text_digest}" if match else ""),
        ),
        page_facts=(
            ("网址", case.page_url),
            ("相同正文的其他网址", "、".join(each.url for each in shown_addresses(case)[1:])),
            ("网页标题", case.page_title),
            ("发布者", case.page_poster),
            ("网页署名", case.page_author),
            ("发布者与署名", "" if case.page_poster or case.page_author else "网页上未标明"),
            ("取证时间", format_with_offset(match.fetched_at, zone) if match else ""),
            ("相似度", format_percentage(case.similarity)),
            ("占原文", format_percentage(case.work_share)),
            ("最长连续相同", f"{case.longest_equal_run_chars:,} 字（简繁、异体视为相同）"),
            ("网页正文哈希值", f"SHA-256 {match.page_text_digest}" if match else ""),
            *bundle_hashes(bundle, "zh"),
        ),
        spans=match.spans if match else (),
        picture=picture,
    )
