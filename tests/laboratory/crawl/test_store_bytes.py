"""What the page store keeps of a page, told in bytes."""

import json
import subprocess
import sys
from pathlib import Path

from pagestore.mongo import connect
from tests.crawler.texts import own_text


def test_bytes_are_told_by_collection_and_are_those_of_the_documents(mongo_url: str, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    records = []
    for number in range(3):
        name = f"pages/{number}.html"
        text = "".join(f"<p>{line}</p>" for line in own_text(number).split("\n"))
        body = f"<html><head><title>第{number}篇</title></head><body><h1>第{number}篇</h1>{text}</body></html>"
        (tmp_path / name).write_text(body, "utf-8")
        records.append({"file": name, "encoding": "utf-8"})
    (tmp_path / "manifest.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    told = subprocess.run(
        [sys.executable, "-m", "laboratory.crawl.store_bytes", "--mongo", mongo_url, "--pages", str(tmp_path)],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout.splitlines()  # fmt: skip
    assert told[0].startswith("3 pages, responses of ")
    rows = {line.split()[0]: float(line.split()[1]) for line in told[1:]}
    names = set(connect(mongo_url).list_collection_names())
    assert set(rows) == names | {"together"}
    assert {"raw_bodies", "page_texts", "page_versions", "pages", "captures", "fingerprints"} <= names
    assert abs(sum(rows.values()) - 2 * rows["together"]) < 0.1
    assert rows["raw_bodies"] > 0.3
