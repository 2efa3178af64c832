"""`python -m laboratory.damage HOME --seed 1 --damages 200 [--json FILE]`: exit 1 where one was not found or invented.

HOME: an installation with embedded stores that is down and has something in it, such as one behind `zhuiwen demo`; only
a copy of it is damaged.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from laboratory.damage.copies import Copy


def main(arguments: Sequence[str]) -> int:
    """Damage, check, tell."""
    parser = argparse.ArgumentParser(prog="laboratory.damage", description=__doc__.splitlines()[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--damages", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="zw-damage-") as folder:
        copy = Copy(given.home, Path(folder))
        figures = run(copy, given.seed, given.damages)
    if given.json is not None:
        given.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1, default=str), encoding="utf-8")
    _say(_summary(figures))
    return 0 if not (figures["not_found"] or figures["invented"] or figures["thrown_away"]) else 1


def run(copy: Copy, seed: int, damages: int) -> dict[str, Any]:
    """The figures of a trial on a copy."""
    os.environ |= {
        "ZHUIWEN_HOME": str(copy.home),
        "ZHUIWEN_EVIDENCE_URL": f"file://{copy.evidence}",
        "DJANGO_SETTINGS_MODULE": "webadmin.settings",
    }
    import django

    django.setup()
    from django.conf import settings as django_settings

    from laboratory.damage.trial import rounds, write_evidence
    from pipeline.checking.run import check_stores

    settings = django_settings.ZHUIWEN
    with copy.served():
        write_evidence(copy, settings)
        first = check_stores(settings, lambda name, done, total: None, may_mend=True)
        whole = check_stores(settings, lambda name, done, total: None, may_mend=True)
    invented: list[Any] = [asdict(each) for each in whole.damages]
    from django.db import connections

    connections.close_all()
    copy.keep()
    begun, done, thrown, reported, mended = time.monotonic(), [], list[str](), 0, 0
    for one in rounds(copy, settings, seed, damages):
        done += [asdict(each) | {"rows": len(each.rows)} for each in one.done]
        invented += [asdict(each) for each in one.invented]
        thrown += one.thrown_away
        reported, mended = reported + one.reported, mended + one.mended
        missed = [f"{each.where}: {each.what}" for each in one.done if not each.is_found]
        for line in (*missed, *(f"invented: {each}" for each in one.invented), *one.thrown_away, *one.unread):
            _say(f"  {line}")
        _say(f"{len(done)} of {damages} damages, {sum(each['is_found'] for each in done)} found")
    return {
        "seed": seed,
        "items": first.items,
        "damages": len(done),
        "by_kind": Counter(_kind(each) for each in done),
        "found": sum(each["is_found"] for each in done),
        "found_late": sum(each["is_late"] for each in done),
        "not_found": [each for each in done if not each["is_found"]],
        "invented": invented,
        "thrown_away": thrown,
        "reported": reported,
        "mended": mended,
        "seconds": round(time.monotonic() - begun, 1),
        "all": done,
    }


def _kind(done: dict[str, Any]) -> str:
    where = done["where"] if "." in done["where"] or done["where"] == "redis" else "evidence"
    return f"{where} {done['what'].partition(':')[0] if where != 'redis' else 'value'}"


def _summary(figures: dict[str, Any]) -> str:
    return (
        f"{figures['found']} of {figures['damages']} damages found ({figures['found_late']} of them once the databases "
        f"were restored), {len(figures['invented'])} invented, "
        f"{len(figures['thrown_away'])} whole rows thrown away; {figures['reported']} things reported, "
        f"{figures['mended']} of them made anew; {figures['seconds']} s"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
