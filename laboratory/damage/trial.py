"""Rounds of damages: each on a copy as it was, each round read by the check, each damage found or not.

A round damages every store once. A damage in bytes that nobody reads (a free page of SQLite) is none, and another is
drawn: what is a damage is decided by reading both files row by row, without the check.
"""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.db import connections

from core.errors import ServiceUnavailable
from core.settings import Settings
from laboratory.damage.contents import Contents, contents_of
from laboratory.damage.copies import ADMIN, INDEX, PAGES, Copy
from laboratory.damage.kinds import ON_DATABASE, ON_EVIDENCE, any_evidence, garble_redis
from pipeline.checking.damage import Damage, Remedy, Store
from pipeline.checking.run import check_stores
from pipeline.wiring import redis_client

EVIDENCE_FILES = 2  # in a round
DRAWS = 50  # until a damage is one
# What a check writes by itself, and what a rebuild of the index writes of texts that can be found again.
WRITTEN = ("records_evidencecheck", "records_storecheck", "django_celery", "records_chapter", "records_evidencebundle")
_STORES = {ADMIN: Store.ADMIN, PAGES: Store.PAGES}


@dataclass(slots=True)
class Done:
    """One damage. rows: what it changed; is_found: something that was reported is of it.

    is_late: only when the databases, damaged in the same round, had been restored.
    """

    where: str
    what: str
    rows: set[tuple[str, str]] = field(default_factory=set)
    is_found: bool = False
    found_as: str = ""
    is_late: bool = False


@dataclass(slots=True)
class Round:
    """One round. invented: what was reported and is of no damage; thrown_away: whole rows that are gone behind it."""

    done: list[Done]
    invented: list[Damage]
    thrown_away: list[str]
    reported: int
    mended: int
    unread: list[str]


def rounds(copy: Copy, settings: Settings, seed: int, damages: int) -> Iterator[Round]:
    """Rounds until so many damages were done. The copy is kept as it was; its stores are down."""
    before = {name: contents_of(copy.kept(name)) for name in _STORES}
    number = done = 0
    while done < damages:
        found = _round(copy, settings, _draws(seed, number), before, damages - done)
        number, done = number + 1, done + len(found.done)
        yield found


def _draws(seed: int, number: int) -> random.Random:
    """What a round draws from; each begins anew, so that it can be done again by itself."""
    return random.Random(seed * 100_000 + number)  # noqa: S311, no secret


def _round(copy: Copy, settings: Settings, draw: random.Random, before: dict[str, Contents], most: int) -> Round:
    _disconnect(settings)
    copy.put_back()
    done = [_on_database(copy, name, draw, before[name]) for name in (ADMIN, PAGES)[:most]]
    files = any_evidence(copy, draw, EVIDENCE_FILES)[: most - len(done)]
    done += [_on_file(path, draw) for path in files]
    with copy.served():
        if len(done) < most:
            done.append(Done(INDEX, garble_redis(copy.redis(), draw)))
        report = check_stores(settings, _tell_nobody, may_mend=True)
        _disconnect(settings)
    invented = _attributed(done, report.damages)
    thrown = [f"{name}: {row}" for name in _STORES for row in _thrown_away(copy, name, done, before[name])]
    mended = sum(each.remedy is Remedy.MADE_ANEW for each in report.damages)
    if any(not each.is_found and each.where not in _STORES for each in done):
        invented += _look_again(copy, settings, done)
    return Round(done, invented, thrown, len(report.damages), mended, list(map(str, report.unread)))


def _look_again(copy: Copy, settings: Settings, done: list[Done]) -> list[Damage]:
    """With the databases restored, as an operator does: what they hid until then has to be found now."""
    copy.put_back_databases()
    with copy.served():
        again = check_stores(settings, _tell_nobody, may_mend=True)
        _disconnect(settings)
    hidden = [each for each in done if not each.is_found and each.where not in _STORES]
    invented = _attributed(done, again.damages)
    for each in hidden:
        each.is_late = each.is_found
    return invented


def _on_file(path: Path, draw: random.Random) -> Done:
    content = path.read_bytes()
    while True:
        damage = draw.choice(ON_EVIDENCE)
        what = damage(path, draw)
        if not path.exists() or path.read_bytes() != content:
            return Done(path.name.partition(".")[0], f"{damage.__name__}: {what}")


def _tell_nobody(_name: object, _done: int, _total: int) -> None:
    """Nobody watches."""


def _on_database(copy: Copy, name: str, draw: random.Random, before: Contents) -> Done:
    for _ in range(DRAWS):
        damage = draw.choice(ON_DATABASE)
        try:
            what = damage(copy.file(name), draw)
        except sqlite3.Error:  # a row is changed by way of SQLite, which may refuse: another is drawn
            copy.put_back_database(name)
            continue
        after = contents_of(copy.file(name))
        rows = before.differing(after)
        if rows or not after.is_whole:
            return Done(name, f"{damage.__name__}: {what}", rows)
        copy.put_back_database(name)
    raise ServiceUnavailable(name, "no damage was drawn")


def _attributed(done: list[Done], reported: list[Damage]) -> list[Damage]:
    """Say of each damage whether it was found; what is reported and is of none is given back."""
    left = []
    for each in reported:
        owners = [one for one in done if _is_of(one, each, done)]
        for one in owners:
            one.is_found = True
            one.found_as = one.found_as or f"{each.place} {each.key} {each.kind}"
        if not owners:
            left.append(each)
    return left


def _is_of(done: Done, reported: Damage, everything: list[Done]) -> bool:
    if done.where == INDEX:
        return reported.store is Store.INDEX
    if done.where not in _STORES:
        return reported.store is Store.EVIDENCE and reported.key == done.where
    if reported.store is Store.INDEX:
        return False
    if reported.store is not _STORES[done.where]:
        # A row that is gone hides what rests on it, and a page store that cannot be read what rows name in it.
        return reported.store in (Store.ADMIN, Store.PAGES) and _rests_on(done, reported, everything)
    if not reported.key or not done.rows:
        return True  # the file or a table as a whole
    keys = {key for _, key in done.rows} | {_stem(key) for _, key in done.rows}
    return (
        "unreadable" in keys
        or _stem(reported.key) in keys
        or bool(set(reported.pages) & keys)
        or _rests_on(done, reported, everything)
    )


def _rests_on(done: Done, reported: Damage, everything: list[Done]) -> bool:
    own = [one for one in everything if one.where in _STORES and _STORES[one.where] is reported.store]
    is_own = any(_stem(reported.key) in {_stem(key) for _, key in one.rows} for one in own)
    return not is_own and bool(reported.key)


def _stem(key: str) -> str:
    """What an item is of: a part of bytes, a fingerprint of a text or of what stands beside it."""
    return key.partition("/")[0].partition(":")[0]


def _thrown_away(copy: Copy, name: str, done: list[Done], before: Contents) -> list[tuple[str, str]]:
    own = [one for one in done if one.where == name]
    harmed = {row for one in own for row in one.rows}
    after = contents_of(copy.file(name))
    stems = {_stem(key) for _, key in harmed}
    if any(key == "unreadable" for _, key in harmed):
        return []  # of what cannot be read nobody can say what was in it
    gone = before.gone(after) - harmed
    return sorted((table, key) for table, key in gone if not table.startswith(WRITTEN) and _stem(key) not in stems)


def _disconnect(settings: Settings) -> None:
    connections.close_all()
    redis_client(settings).close()


def write_evidence(copy: Copy, settings: Settings) -> Path:
    """Put the evidence that lies in the page store into the copy's folder, where files can be damaged."""
    from pagestore.connection import connect
    from pagestore.evidence import FolderEvidenceStore, MongoEvidenceStore

    copy.evidence.mkdir(mode=0o700)
    source, target = MongoEvidenceStore(connect(settings.mongo_url)), FolderEvidenceStore(copy.evidence)
    for name in source.digests():
        content = source.get(name)
        assert content is not None
        target.put(name, content)
    return copy.evidence
