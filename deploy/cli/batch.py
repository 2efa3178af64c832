"""The verb `batch`: an archive of pages against works, without any service."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from webadmin.ui.console.faults import FAILED, complain
from webadmin.ui.console.interrupts import termination_raised
from webadmin.ui.console.output import as_json, progress, say, table

if TYPE_CHECKING:
    from deploy.cli.archive import Summary, Works
    from deploy.cli.comparers import Method

SUFFIX = ".jsonl"


def batch(
    works: Annotated[Path, typer.Option(metavar="FILE")],
    pages: Annotated[Path, typer.Option(metavar="FILE")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    *,
    exclude_same_id: bool = False,
    changes: bool = False,
    reworded: bool = False,
    engine: Annotated[str, typer.Option(metavar="NAME")] = "zhuiwen",
    algorithm: Annotated[
        int | None,
        typer.Option(metavar="N"),
    ] = None,
    page_step: Annotated[
        int | None,
        typer.Option(metavar="N", min=1),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1),
    ] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Compare many pages with many works. Malformed lines are named, left out, and make the exit code 1.

    将大量网页与大量作品比对。格式有误的行会被指出并略去，退出码为 1。

    works: JSON lines: {"work_id", "title", "text"} | JSON 行：{"work_id", "title", "text"}
    pages: JSON lines: {"page_id", "text"} or {"page_id", "html"} | JSON 行：{"page_id", "text"} 或 {"page_id", "html"}
    out: JSON lines: a line for each page with a match | JSON 行：有匹配的网页各占一行
    exclude_same_id: leave out the work whose id is the page's | 略去与网页编号相同的作品
    changes: say in each span what became of its characters | 在每个片段中写明字词的变化
    reworded: also name pages that say the same in other words or in translation (extra reworded)
        | 另查改写与译文线索（需附加组件 reworded）
    engine: what compares, of `zhuiwen engines`; all: each into a file beside FILE
        | 比对引擎，见 `zhuiwen engines`；all：各引擎分别写入 FILE 旁的文件
    algorithm: zhuiwen's own fingerprint; 1, 2, 5: anchors, 3: the published windows, 4: both
        | zhuiwen 自有指纹；1、2、5：锚点，3：公开的窗口法，4：两者兼用
    page_step: tokens between a page's windows, with 3 and 4; published: 32
        | 网页窗口的间隔（词元），用于 3 和 4；公开值为 32
    processes: that compare at once; as many as processors by default | 同时比对的进程数；默认与处理器数相同
    """
    from deploy.cli.archive import Works
    from deploy.cli.comparers import ALL, engine_names, method_of
    from deploy.cli.engines import OWN

    names, method = engine_names(engine), method_of(engine, algorithm, page_step)
    if reworded and names != (OWN,):
        raise BadInput("batch.reworded-own", own=OWN, engine=engine)
    files = {name: _beside(out, name) if engine == ALL else out for name in names}
    for file in files.values():
        _require_unread(file, works, pages)
    archive = Works.of(works, complain)
    summaries = {
        # Every engine reads the same pages: what is wrong with them is told once.
        name: _compared(
            name,
            method,
            archive,
            pages,
            file,
            exclude_same_id=exclude_same_id,
            with_changes=changes,
            with_reworded=reworded,
            processes=processes,
            is_first=name == names[0],
        )
        for name, file in files.items()
    }
    if is_json:
        as_json([_record(name, archive, summaries[name], file) for name, file in files.items()])
    else:
        if engine == ALL:
            _tabulate(files, summaries)
        _summarize(archive, summaries[names[0]], names[0] if engine != ALL else "", out)
    if summaries[names[0]].skipped + archive.skipped:
        raise typer.Exit(FAILED)


def _record(name: str, works: "Works", summary: "Summary", file: Path) -> dict[str, object]:
    return {
        "engine": name,
        "file": str(file),
        "works": len(works.texts),
        "pages": summary.pages,
        "matched": summary.matched,
        "without_text": summary.without_text,
        "skipped": summary.skipped + works.skipped,
    }


def _compared(
    name: str,
    method: "Method",
    works: "Works",
    pages: Path,
    out: Path,
    *,
    exclude_same_id: bool,
    with_changes: bool,
    with_reworded: bool,
    processes: int | None,
    is_first: bool,
) -> "Summary":
    """One engine at a time is in memory."""
    from deploy.cli.archive import compared_into
    from deploy.cli.comparers import comparer_of
    from deploy.cli.comparing_processes import default_processes

    with termination_raised(), progress(Message("batch.pages-by", engine=name)) as meter:
        comparer = comparer_of(name, works.texts, method, with_changes=with_changes)
        if with_reworded:
            from deploy.cli.reworded_comparer import RewordedComparer, languages_of

            with progress(Message("reworded.encoding")) as reading:
                comparer = RewordedComparer(comparer, works.texts, languages_of(pages), reading.at)
        return compared_into(
            out,
            comparer,
            pages,
            exclude_same_id=exclude_same_id,
            processes=processes or default_processes(),
            complain=complain if is_first else lambda _: None,
            on_progress=meter.text,
        )


def _tabulate(files: dict[str, Path], summaries: dict[str, "Summary"]) -> None:
    from deploy.cli.comparers import gives_spans

    rows = [
        (name, f"{summary.matched:,}", Message("cli.yes" if gives_spans(name) else "cli.no"), files[name])
        for name, summary in summaries.items()
    ]
    right = ("column.pages-matched",)
    table(("column.engine", "column.pages-matched", "column.spans", "column.out-file"), rows, right=right)


def _summarize(works: "Works", summary: "Summary", name: str, out: Path) -> None:
    """The last line. name: of the engine, empty where there were several."""
    from deploy.cli.comparers import gives_spans

    counts = {
        "pages": summary.pages,
        "works": len(works.texts),
        "without_text": summary.without_text,
        "skipped": summary.skipped + works.skipped,
    }
    if name:
        matched = Message("batch.matched", matched=summary.matched)
        told = Message("batch.written", summary=Message("batch.summary", outcome=matched, **counts), path=out)
        say(told if gives_spans(name) else Message("batch.no-spans", summary=told, engine=name))
    else:
        say(Message("batch.summary-all", **counts))


def _beside(out: Path, name: str) -> Path:
    """OUT.NAME.jsonl for an --out of OUT.jsonl."""
    return out.with_name(f"{out.stem}.{name}{out.suffix or SUFFIX}")


def _require_unread(out: Path, *inputs: Path) -> None:
    for path in inputs:
        if out.resolve() == path.resolve():
            raise BadInput("batch.also-read", path=out)
