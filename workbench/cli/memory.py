"""The commands that write memories: memory add, edit, remove, list, show, import."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.options import Db, Json, moment, store_path
from workbench.cli.output import cell, emit, progress, table
from workbench.errors import BadInput
from workbench.memories import (
    Changed,
    Edit,
    Memory,
    add_memory,
    edit_memory,
    import_folder,
    list_memories,
    remove_memory,
    show_memory,
)
from workbench.memories.folder import Imported
from workbench.memories.markdown import DEFAULT_DOMAIN
from workbench.memories.memory import DEFAULT_PRIORITY
from workbench.text import counted, shown

Uri = Annotated[str, typer.Argument(help="The address, domain://path.")]
Content = Annotated[str | None, typer.Option("--content", help="The text of the memory.")]
ContentFile = Annotated[str | None, typer.Option("--content-file", help="Read the text from a file, or - for input.")]
Priority = Annotated[int | None, typer.Option("--priority", help="0, the highest, to 100.")]
Disclosure = Annotated[str | None, typer.Option("--disclosure", help="When the memory should surface, one sentence.")]
Keywords = Annotated[list[str] | None, typer.Option("--keyword", help="A glossary keyword; repeatable.")]

_LISTED = 20


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(help="Write memories into the store, where no server does.", no_args_is_help=True)
    for name, command in (
        ("add", add_command),
        ("edit", edit_command),
        ("remove", remove_command),
        ("list", list_command),
        ("show", show_command),
        ("import", import_command),
    ):
        group.command(name)(command)
    app.add_typer(group, name="memory")


def add_command(
    uri: Uri,
    content: Content = None,
    content_file: ContentFile = None,
    priority: Priority = DEFAULT_PRIORITY,
    disclosure: Disclosure = None,
    keyword: Keywords = None,
    created: Annotated[str | None, typer.Option(help="When it was written; else now.")] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write a new memory; the store is made where there is none."""
    text = _content(content, content_file)
    if text is None:
        raise BadInput(f"{shown(uri)} needs a text: --content TEXT, or --content-file FILE (- for input).")
    chosen = DEFAULT_PRIORITY if priority is None else priority
    memory = Memory(uri, text, chosen, disclosure or "", tuple(keyword or ()), moment("--created", created))
    with progress(json) as step:
        changed = add_memory(store_path(db), memory, step)
    emit(changed.as_json(), json, _changed_text(changed))


def edit_command(
    uri: Uri,
    content: Content = None,
    content_file: ContentFile = None,
    priority: Priority = None,
    disclosure: Disclosure = None,
    keyword: Keywords = None,
    no_keywords: Annotated[bool, typer.Option("--no-keywords", help="Take all keywords away.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Change what is named of a memory; keywords replace the former ones, and the former text is kept."""
    if keyword and no_keywords:
        raise BadInput("--keyword and --no-keywords exclude each other; give one of them.")
    words = () if no_keywords else tuple(keyword) if keyword else None
    edit = Edit(_content(content, content_file), priority, disclosure, words)
    if edit == Edit():
        raise BadInput("Nothing to change; name --content, --priority, --disclosure, --keyword or --no-keywords.")
    with progress(json) as step:
        changed = edit_memory(store_path(db), uri, edit, step)
    emit(changed.as_json(), json, _changed_text(changed))


def remove_command(uri: Uri, db: Db = None, json: Json = False) -> None:
    """Take a memory away; its texts and what happened to it are kept, and `memory add` brings it back."""
    with progress(json) as step:
        changed = remove_memory(store_path(db), uri, step)
    emit(changed.as_json(), json, _changed_text(changed))


def list_command(
    domain: Annotated[str | None, typer.Option(help="Only this domain.")] = None,
    text: Annotated[str | None, typer.Option(help="Only memories that hold this text anywhere.")] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the memories of the store."""
    found = list_memories(store_path(db), domain, text)
    rows = [
        (one["uri"], one["priority"], ", ".join(one["keywords"]), one["disclosure"], one["characters"]) for one in found
    ]
    header = ("address", "priority", "keywords", "disclosure", "characters")
    emit({"memories": found}, json, f"{table(header, rows)}\n{len(found):,} in all." if rows else "No memories.")


def show_command(uri: Uri, db: Db = None, json: Json = False) -> None:
    """Show a memory with its former texts and what happened to it."""
    found = show_memory(store_path(db), uri)
    emit(found, json, _memory_text(found))


def import_command(
    folder: Annotated[Path, typer.Argument(help="A folder of Markdown files with front matter.")],
    domain: Annotated[str, typer.Option(help="Of files that name none.")] = DEFAULT_DOMAIN,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written and change nothing.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Take Markdown files as memories; a second run adds nothing, an edited file updates its memory."""
    with progress(json) as step:
        report = import_folder(store_path(db), folder, domain, dry_run=dry_run, progress=step)
    emit({**report.as_json(), "dry_run": dry_run}, json, _import_text(report, dry_run))


def _content(text: str | None, file: str | None) -> str | None:
    """The content that the options give; None where they give none."""
    if text is not None and file is not None:
        raise BadInput("--content and --content-file exclude each other; give one of them.")
    if file is None:
        return text
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"Cannot read {shown(file)} ({error.strerror}); name another --content-file.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown(file)} is no UTF-8 text; convert it first.") from error


def _changed_text(changed: Changed) -> str:
    said = [f"{changed.action.capitalize()} {shown(uri)}." for uri in changed.uris]
    return "\n".join([*said, *changed.notes])


def _memory_text(found: dict[str, Any]) -> str:
    facts = [
        ("priority", str(found["priority"])),
        ("disclosure", found["disclosure"]),
        ("keywords", ", ".join(found["keywords"])),
        ("addresses", ", ".join(found["addresses"])),
    ]
    versions = [(str(one["created_at"]), "former" if one["deprecated"] else "now", one["content"])
                for one in found["versions"]]  # fmt: skip
    events = [(str(one["at"]), one["event_type"], one["uri"], cell(one["source"])) for one in found["events"]]
    return "\n\n".join(
        [
            f"{shown(found['uri'])}{' (removed)' if found['removed'] else ''}",
            *(["\n".join(map(shown, found["content"].splitlines()))] if found["content"] else []),
            table(("fact", ""), facts),
            table(("written", "text", "beginning"), versions),
            table(("time", "event", "address", "by"), events),
        ]
    )


def _import_text(report: Imported, dry_run: bool) -> str:
    counts = f"{len(report.added):,} added, {len(report.updated):,} updated, {report.skipped:,} unchanged"
    lines = [f"{counted(report.read, 'file')}: {counts}, {len(report.rejected):,} rejected."]
    lines += [f"Rejected {one['where']}: {one['reason']}." for one in report.rejected[:_LISTED]]
    if len(report.rejected) > _LISTED:
        lines.append(f"… and {len(report.rejected) - _LISTED} more (all with --json).")
    return "\n".join([*lines, *report.warnings, *(["Dry run: nothing was changed."] if dry_run else [])])
