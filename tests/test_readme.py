"""README.md and what CI runs are held together; nothing in the repository names a registry or one machine."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CI = ROOT / ".ci" / "run"
HEADINGS = ("Run the demo", "Run all tests")

# Put together here, so that this file does not name them either.
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("python_hosted".replace("_", ""), "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("debian", "org"),
        ("crates", "io"),
        ("golang", "org"),
        ("anaconda", "org"),
    )
)
MACHINE_PATH = re.compile(r"(?<![\w/.:~*-])/(?:root|work|tmp)/\w")


def command(heading: str) -> str:
    """The fenced block that follows a heading."""
    block = re.search(rf"^### {heading}\n+```sh\n(.*?)\n```$", README, re.MULTILINE | re.DOTALL)
    assert block, f"README.md has no command under the heading {heading!r}"
    return block[1]


def texts(paths: list[Path]) -> dict[str, str]:
    """The tracked text files by name; a file with a NUL byte is none."""
    contents = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths if path.is_file()}
    return {name: raw.decode("utf-8", "replace") for name, raw in contents.items() if b"\0" not in raw}


@pytest.mark.parametrize(("heading", "ending"), [(HEADINGS[0], "workbench demo"), (HEADINGS[1], "python -m pytest")])
def test_a_command_is_one_line_from_nothing_to_done(heading: str, ending: str) -> None:
    line = command(heading)
    assert "\n" not in line
    assert line.startswith("python3 -m venv .venv && ")
    assert line.endswith(f" && .venv/bin/{ending}")
    lists = re.findall(r"-r (\S+)", line)
    assert len(lists) == line.count("--require-hashes") == 1
    assert (ROOT / lists[0]).is_file()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_ci_runs_exactly_the_commands_of_the_readme() -> None:
    printed = subprocess.run(["bash", str(CI), "--commands"], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == [command(heading) for heading in HEADINGS]
    script = CI.read_text(encoding="utf-8")
    assert "workbench demo" not in script
    assert "pytest" not in script
    assert 'bash -c "$demo"' in script
    assert 'bash -c "$tests"' in script


def test_no_text_names_a_registry(tracked: list[Path]) -> None:
    named = [(name, host) for name, text in texts(tracked).items() for host in REGISTRIES if host in text.lower()]
    assert named == []


def test_no_text_names_a_path_of_one_machine(tracked: list[Path]) -> None:
    named = [(name, found[0]) for name, text in texts(tracked).items() for found in MACHINE_PATH.finditer(text)]
    assert named == []
