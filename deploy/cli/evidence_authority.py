"""The `evidence add-authority` command, which tests a timestamp authority and adds it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from core.wording import Message
from deploy.cli.config import typed_value
from webadmin.ui.console.output import as_json, print_fields, print_line

if TYPE_CHECKING:
    from webadmin.evidence.services.authorities import Trial


def add_authority(
    url: Annotated[str, typer.Argument(metavar="URL")],
    root: Annotated[Path, typer.Option(metavar="FILE")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Request a timestamp from an authority (RFC 3161), show it, and add the authority only if it is valid."""
    from deploy.authorities import keep, prepare_authority
    from deploy.configuration import Configuration
    from webadmin.evidence.services.authorities import try_authority

    held = Configuration.from_environment(os.environ)
    address = typed_value("tsa_urls", url)
    asked, pem = prepare_authority(address, root, held)
    trial = try_authority(asked)
    lines = keep(address, pem, held) if trial.fault is None else []
    if is_json:
        as_json(_trial_values(trial))
    else:
        print_fields(_trial_rows(trial, root))
    if trial.fault is not None:
        raise BadInput("custody.authority-not-kept", fault=trial.fault)
    if not is_json:
        for line in (*lines, Message("custody.authority-kept", authority=trial.authority)):
            print_line(line)


def _trial_rows(trial: "Trial", root: Path) -> list[tuple[str, object]]:
    """Return the rows to print on the response: first its claims, then the verified facts. root: the root's file."""
    rows: list[tuple[str, object]] = [("column.authority", trial.authority)]
    if trial.claims is not None:
        at, own = _format_moment(trial.claims.at), _format_moment(trial.asked_at)
        rows += [
            ("column.time", Message("custody.stamp-time", at=at, own=own)),
            ("column.policy", trial.claims.policy),
            ("column.serial", trial.claims.serial),
        ]
    facts = trial.facts
    if facts is not None:
        ends = Message("custody.chain-ends", file=root.name, root=facts.root, sha256=facts.root_sha256)
        rows += [("column.chain", ends), ("column.purpose", Message("custody.fit", signer=facts.signer))]
        looked = facts.not_revoked_at and Message("custody.revocation", at=_format_moment(facts.not_revoked_at))
        rows.append(("column.revocation", looked or Message("custody.revocation-not-checked")))
    return rows


def _trial_values(trial: "Trial") -> dict[str, Any]:
    """Return the result of a trial as JSON values."""
    claims, facts = trial.claims, trial.facts
    return {
        "authority": trial.authority,
        "asked_at": _format_moment(trial.asked_at),
        "time": claims and _format_moment(claims.at),
        "policy": claims and claims.policy,
        "serial": claims and str(claims.serial),  # up to 160 bits
        "holds": facts is not None,
        "signer": facts and facts.signer,
        "root": facts and facts.root,
        "root_sha256": facts and facts.root_sha256,
        "not_revoked_at": facts and facts.not_revoked_at and _format_moment(facts.not_revoked_at),
        "fault": trial.fault and str(trial.fault),
    }


def _format_moment(at: Any) -> str:
    from bundles.shapes import moment

    return moment(at)
