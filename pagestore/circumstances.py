"""The circumstances of captures as JSON values, and back. A machine is kept beside the captures that share it."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from core.circumstances import BrowserProfile, ClockFault, ClockReading, Machine, Program, Way
from core.ids import Digest


def machine_bytes(machine: Machine) -> bytes:
    """A machine as JSON in a fixed order, so that one machine has one digest."""
    document = asdict(machine) | {"noted_at": machine.noted_at.isoformat()}
    document["clock"] = [each | {"compared_at": each["compared_at"].isoformat()} for each in document["clock"]]
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def machine_of(data: bytes) -> Machine:
    """The machine that `machine_bytes` made `data` of. Raises KeyError for a part that it lacks."""
    document = json.loads(data.decode("utf-8", "surrogatepass"))
    lines, hosts = document["resolver_lines"], document["hosts_digest"]
    return Machine(
        noted_at=datetime.fromisoformat(document["noted_at"]),
        host=document["host"],
        system=document["system"],
        kernel=document["kernel"],
        program=_program_of(document["program"]),
        resolver_lines=None if lines is None else tuple(lines),
        hosts_digest=None if hosts is None else Digest(hosts),
        hosts_bytes=document["hosts_bytes"],
        has_response_cache=document["has_response_cache"],
        clock=tuple(_reading_of(each) for each in document["clock"]),
    )


def way_document(way: Way) -> dict[str, Any]:
    return {**asdict(way), "hosts_lines": list(way.hosts_lines)}


def way_of(document: Mapping[str, Any] | None) -> Way | None:
    return None if document is None else Way(**{**document, "hosts_lines": tuple(document["hosts_lines"])})


def profile_document(profile: BrowserProfile) -> dict[str, Any]:
    return {**asdict(profile), "begun_at": profile.begun_at.isoformat()}


def profile_of(document: Mapping[str, Any] | None) -> BrowserProfile | None:
    if document is None:
        return None
    return BrowserProfile(**{**document, "begun_at": datetime.fromisoformat(document["begun_at"])})


def _program_of(document: Mapping[str, Any]) -> Program:
    parts = tuple((name, version) for name, version in document["parts"])
    return Program(document["version"], Digest(document["digest"]), document["files"], parts)


def _reading_of(document: Mapping[str, Any]) -> ClockReading:
    fault = ClockFault(document["fault"]) if document["fault"] else None
    return ClockReading(**{**document, "compared_at": datetime.fromisoformat(document["compared_at"]), "fault": fault})
