"""How the evidence of an installation stands, as `zhuiwen status` and `zhuiwen evidence status` tell it."""

from typing import TYPE_CHECKING, Any

from core.errors import BadConfiguration, ZhuiwenError
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from core.settings import Settings
    from webadmin.evidence_book import Standing


def told() -> tuple[list[str], dict[str, Any]]:
    """The lines for a person, and the same for programs. Raises ZhuiwenError where there is no admin database."""
    with session() as settings:
        from webadmin.evidence_authorities import authorities_of
        from webadmin.evidence_book import standing

        try:
            names, fault = [each.name for each in authorities_of(settings.evidence)], ""
        except BadConfiguration as error:
            names, fault = [], error.faults[0]
        stands = standing(names)
        return lines(stands, names, fault, settings), as_values(stands, names, fault, settings)


def lines_if_any() -> list[str]:
    """The lines, none where the admin database does not answer: the table of services says that."""
    try:
        return told()[0]
    except ZhuiwenError:
        return []


def lines(stands: "Standing", names: list[str], fault: str, settings: "Settings") -> list[str]:
    """Bundles, stamps and the last check, a line each."""
    bundles = f"evidence: {stands.bundles:,} bundles, {stands.changed:,} changed, {stands.missing:,} missing"
    waiting = f"{stands.owed:,} pages wait for a bundle, {stands.undrawn:,} for a screenshot"
    return [
        f"{bundles}; {waiting}",
        f"time stamps: {_stamps(stands, names, fault)}",
        f"last check of the evidence: {_check(stands, settings)}",
    ]


def as_values(stands: "Standing", names: list[str], fault: str, settings: "Settings") -> dict[str, Any]:
    """The same for programs; moments in the user's zone."""
    last = stands.last_check
    check = last and {
        "started_at": local_iso(last.started_at, settings),
        "bundles": last.bundles,
        "read_bytes": last.read_bytes,
        "faults": last.faults,
    }
    return {
        "bundles": stands.bundles,
        "changed": stands.changed,
        "missing": stands.missing,
        "owed": stands.owed,
        "undrawn": stands.undrawn,
        "authorities": names,
        "authorities_fault": fault,
        "unstamped_days": stands.unstamped_days,
        "waiting_stamps": stands.waiting_stamps,
        "last_error": stands.last_error,
        "last_check": check,
    }


def _stamps(stands: "Standing", names: list[str], fault: str) -> str:
    days = f"{stands.unstamped_days:,} ended days bear none"
    if fault:
        return f"{days}; {fault}"
    if not names:
        return f"{days}; no authority is set (ZHUIWEN_TSA_URLS)"
    asked = f"{len(names)} authorities" if len(names) > 1 else "1 authority"
    if not stands.waiting_stamps:
        return f"{days}; {asked} set, no answer is waited for"
    return f"{days}; {asked} set, {stands.waiting_stamps:,} answers are waited for: {stands.last_error}"


def _check(stands: "Standing", settings: "Settings") -> str:
    last = stands.last_check
    if last is None:
        return "none yet; it runs each night"
    faults = f"{len(last.faults):,} changed or missing" if last.faults else "nothing is wrong"
    return f"{local_time(last.started_at, settings)}, {last.bundles:,} bundles read, {faults}"
