"""The circumstances of captures for a reader: what evidence/circumstances.json of each bundle says, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evidence.circumstances_words import BY_LANGUAGE, CircumstanceWords
from evidence.document import Block, Heading, Pairs, Paragraph
from evidence.opened import Opened

Row = tuple[str, str]


def told(language: str, bundles: Sequence[Opened]) -> list[Block]:
    """One section; bundles of the same circumstances, such as those of one page, share a table."""
    words = BY_LANGUAGE[language]
    alike: dict[tuple[Row, ...], list[int]] = {}
    for number, bundle in enumerate(bundles, 1):
        alike.setdefault(tuple(_rows(words, bundle)), []).append(number)
    blocks: list[Block] = [Heading(words.heading, 2), Paragraph(words.opening)]
    for rows, numbers in alike.items():
        blocks.append(Heading(words.of_bundles.format(numbers=", ".join(map(str, numbers))), 3))
        blocks.append(Pairs(rows) if rows else Paragraph(words.earlier))
    return blocks


def _rows(words: CircumstanceWords, bundle: Opened) -> Iterator[Row]:
    said = bundle.circumstances
    if said is None:
        return
    for machine in said["machines"]:
        yield from _machine(words, machine)
    yield from _names(words, bundle.connection)
    yield from _ways(words, said["exchanges"], bundle.connection["exchanges"])
    yield words.cache, _caches(words, said)
    yield from _profiles(words, said["exchanges"])
    for each in said["not_recorded"]:
        yield words.not_recorded, each["why"][words.language]


def _machine(words: CircumstanceWords, machine: Mapping[str, Any]) -> Iterator[Row]:
    program, hosts = machine["program"], machine["hosts_file"]
    yield words.host, _joined(words, machine["host"], machine["system"], machine["kernel"])
    parts = ", ".join(f"{name} {version}" for name, version in program["stands_on"].items())
    yield (
        words.program,
        words.program_said.format(
            version=program["version"], files=program["files"], digest=program["files_digest"], parts=parts
        ),
    )
    compared = [each for each in machine["clock"] if "fault" not in each]
    for each in compared:
        yield words.clock, _reading(words, each)
    if not compared:
        yield words.clock, words.no_clock
    if machine["resolver_file"]:
        yield words.resolver, _joined(words, *machine["resolver_file"])
    if hosts:
        yield words.hosts_file, words.hosts_said.format(**hosts)


def _reading(words: CircumstanceWords, said: Mapping[str, Any]) -> str:
    return words.clock_said.format(
        server=said["server"],
        address=said["address"],
        offset=said["offset_s"],
        uncertainty=said["uncertainty_s"],
        at=said["compared_at"],
    )


def _names(words: CircumstanceWords, connection: Mapping[str, Any]) -> Iterator[Row]:
    answers = [each["dns"] for each in connection["exchanges"] if each.get("dns")]
    for line in dict.fromkeys(_answer(words, each) for each in answers):
        yield words.answers, line


def _answer(words: CircumstanceWords, said: Mapping[str, Any]) -> str:
    by = words.own_resolver if said["resolver"] == "system" else said["resolver"]
    return f"{said['name']} = {', '.join(said['addresses'])} ({by})"


def _ways(
    words: CircumstanceWords, exchanges: Sequence[Mapping[str, Any]], connected: Sequence[Mapping[str, Any]]
) -> Iterator[Row]:
    ways = [each["way"] for each in exchanges if each["way"]]
    if not ways:
        return
    lines = list(dict.fromkeys(line for way in ways for line in way["hosts_lines"]))
    said = words.hosts_lines.format(lines=" | ".join(lines)) if lines else words.no_hosts_lines
    yield words.hosts_file, said
    pairs = zip(exchanges, connected, strict=True)
    for way in dict.fromkeys(_way(words, each["way"], other) for each, other in pairs if each["way"]):
        yield words.way, way


def _way(words: CircumstanceWords, way: Mapping[str, Any], connected: Mapping[str, Any]) -> str:
    own = f"{way['source_address']} ({way['interface']})" if way["interface"] else str(way["source_address"])
    to = words.through_proxy.format(proxy=way["proxy"]) if way["proxy"] else str(connected["server_address"])
    return " → ".join(filter(None, (own, str(way["gateway"]), to)))


def _caches(words: CircumstanceWords, said: Mapping[str, Any]) -> str:
    has_store = any(machine["has_response_cache"] for machine in said["machines"])
    parts = [words.has_store if has_store else words.no_store] if said["machines"] else []
    conditions = [each["validators"] for each in said["exchanges"] if each["validators"] is not None]
    names = sorted({name for each in conditions for name in each})
    if conditions:
        parts.append(words.validators.format(names=", ".join(names)) if names else words.in_full)
    spoken = dict.fromkeys(f"{name}: {value}" for each in said["exchanges"] for name, value in each["caches"].items())
    if spoken:
        parts.append(words.caches.format(said=", ".join(spoken)))
    return words.semicolon.join(parts)


def _profiles(words: CircumstanceWords, exchanges: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    profiles = [each["profile"] for each in exchanges if each["profile"]]
    for said in {profile["begun_at"] + str(profile["pages_before"]): profile for profile in profiles}.values():
        cached = words.from_cache[said["is_from_cache"]]
        at, pages = said["begun_at"], said["pages_before"]
        yield words.profile, words.profile_said.format(at=at, pages=pages, cached=cached)


def _joined(words: CircumstanceWords, *parts: str) -> str:
    return words.semicolon.join(filter(None, parts))
