"""Describes the circumstances of captures in words, from evidence/circumstances.json of each bundle."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bundles.opened import OpenedBundle
from documents.explanation_blocks import Block, ExplanationHeading, ExplanationPairs, ExplanationParagraph, Words

Row = tuple[str, str]
_FROM_CACHE = {
    True: "explanation.capture-from-cache-yes",
    False: "explanation.capture-from-cache-no",
    None: "explanation.capture-from-cache-unknown",
}


def circumstance_blocks(words: Words, bundles: Sequence[OpenedBundle]) -> list[Block]:
    """Return the section on the circumstances of captures. Bundles with the same circumstances share a table."""
    alike: dict[tuple[Row, ...], list[int]] = {}
    for number, bundle in enumerate(bundles, 1):
        alike.setdefault(tuple(_circumstance_rows(words, bundle)), []).append(number)
    blocks: list[Block] = [
        ExplanationHeading(words("explanation.capture-heading"), 2),
        ExplanationParagraph(words("explanation.capture-opening")),
    ]
    for rows, numbers in alike.items():
        blocks.append(
            ExplanationHeading(words("explanation.capture-of-bundles", numbers=", ".join(map(str, numbers))), 3)
        )
        blocks.append(ExplanationPairs(rows))
    return blocks


def _circumstance_rows(words: Words, bundle: OpenedBundle) -> Iterator[Row]:
    said = bundle.circumstances
    for machine in said["machines"]:
        yield from _machine_rows(words, machine)
    yield from _dns_rows(words, bundle.connection)
    yield from _route_rows(words, said["exchanges"], bundle.connection["exchanges"])
    yield words("explanation.capture-cache"), _describe_caches(words, said)
    yield from _profile_rows(words, said["exchanges"])
    for each in said["not_recorded"]:
        yield words("explanation.capture-not-recorded"), each["why"][words.language]


def _machine_rows(words: Words, machine: Mapping[str, Any]) -> Iterator[Row]:
    program, hosts = machine["program"], machine["hosts_file"]
    yield words("explanation.capture-host"), _join_phrases(words, machine["host"], machine["system"], machine["kernel"])
    parts = ", ".join(f"{name} {version}" for name, version in program["stands_on"].items())
    yield (
        words("explanation.capture-program"),
        words(
            "explanation.capture-program-said",
            version=program["version"],
            files=program["files"],
            digest=program["files_digest"],
            parts=parts,
        ),
    )
    compared = [each for each in machine["clock"] if "fault" not in each]
    for each in compared:
        yield words("explanation.capture-clock"), _describe_clock(words, each)
    if not compared:
        yield words("explanation.capture-clock"), words("explanation.capture-no-clock")
    if machine["resolver_file"]:
        yield words("explanation.capture-resolver"), _join_phrases(words, *machine["resolver_file"])
    if hosts:
        yield words("explanation.capture-hosts-file"), words("explanation.capture-hosts-said", **hosts)


def _describe_clock(words: Words, said: Mapping[str, Any]) -> str:
    return words(
        "explanation.capture-clock-said",
        server=said["server"],
        address=said["address"],
        offset=said["offset_s"],
        uncertainty=said["uncertainty_s"],
        at=said["compared_at"],
    )


def _dns_rows(words: Words, connection: Mapping[str, Any]) -> Iterator[Row]:
    answers = [each["dns"] for each in connection["exchanges"] if each.get("dns")]
    for line in dict.fromkeys(_describe_answer(words, each) for each in answers):
        yield words("explanation.capture-answers"), line


def _describe_answer(words: Words, said: Mapping[str, Any]) -> str:
    by = words("explanation.capture-own-resolver") if said["resolver"] == "system" else said["resolver"]
    return f"{said['name']} = {', '.join(said['addresses'])} ({by})"


def _route_rows(
    words: Words, exchanges: Sequence[Mapping[str, Any]], connected: Sequence[Mapping[str, Any]]
) -> Iterator[Row]:
    ways = [each["way"] for each in exchanges if each["way"]]
    if not ways:
        return
    lines = list(dict.fromkeys(line for way in ways for line in way["hosts_lines"]))
    said = (
        words("explanation.capture-hosts-lines", lines=" | ".join(lines))
        if lines
        else words("explanation.capture-no-hosts-lines")
    )
    yield words("explanation.capture-hosts-file"), said
    pairs = zip(exchanges, connected, strict=True)
    for way in dict.fromkeys(_describe_route(words, each["way"], other) for each, other in pairs if each["way"]):
        yield words("explanation.capture-way"), way


def _describe_route(words: Words, way: Mapping[str, Any], connected: Mapping[str, Any]) -> str:
    own = f"{way['source_address']} ({way['interface']})" if way["interface"] else str(way["source_address"])
    to = (
        words("explanation.capture-through-proxy", proxy=way["proxy"])
        if way["proxy"]
        else str(connected["server_address"])
    )
    return " → ".join(filter(None, (own, str(way["gateway"]), to)))


def _describe_caches(words: Words, said: Mapping[str, Any]) -> str:
    has_store = any(machine["has_response_cache"] for machine in said["machines"])
    parts = (
        [words("explanation.capture-has-store") if has_store else words("explanation.capture-no-store")]
        if said["machines"]
        else []
    )
    conditions = [each["validators"] for each in said["exchanges"] if each["validators"] is not None]
    names = sorted({name for each in conditions for name in each})
    if conditions:
        parts.append(
            words("explanation.capture-validators", names=", ".join(names))
            if names
            else words("explanation.capture-in-full")
        )
    spoken = dict.fromkeys(f"{name}: {value}" for each in said["exchanges"] for name, value in each["caches"].items())
    if spoken:
        parts.append(words("explanation.capture-caches", said=", ".join(spoken)))
    return words.semicolon.join(parts)


def _profile_rows(words: Words, exchanges: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    profiles = [each["profile"] for each in exchanges if each["profile"]]
    for said in {profile["begun_at"] + str(profile["pages_before"]): profile for profile in profiles}.values():
        cached = words(_FROM_CACHE[said["is_from_cache"]])
        at, pages = said["begun_at"], said["pages_before"]
        yield (
            words("explanation.capture-profile"),
            words("explanation.capture-profile-said", at=at, pages=pages, cached=cached),
        )


def _join_phrases(words: Words, *parts: str) -> str:
    return words.semicolon.join(filter(None, parts))
