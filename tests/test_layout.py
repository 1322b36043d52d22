"""The shape of the repository: fixed names at the top, SQL with headers, one importer of duckdb, pinned installs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "workbench"
TOP = {
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "data",
    "notebooks",
    "pyproject.toml",
    "requirements-dev.lock",
    "requirements.lock",
    "tests",
    "workbench",
}
SQL_FILES = sorted(PACKAGE.glob("sql/**/*.sql"))
MODULES = sorted(PACKAGE.glob("**/*.py"))
LOCKS = ("requirements.lock", "requirements-dev.lock")


def imported(module: Path) -> set[str]:
    """The top-level packages that a module imports, also inside functions."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def pinned(lock: str) -> dict[str, tuple[Requirement, int]]:
    """Each requirement of a lock by name, with the number of its hashes."""
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split("--hash=") for line in text.splitlines() if line and not line.startswith(("#", "--"))]
    requirements = [(Requirement(parts[0].strip()), len(parts) - 1) for parts in lines]
    return {canonicalize_name(requirement.name): (requirement, hashes) for requirement, hashes in requirements}


def declared(*, dev: bool) -> list[Requirement]:
    """What pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["dependencies"] + project["build-system"]["requires"]
    if dev:
        wanted += project["project"]["optional-dependencies"]["dev"]
    return [Requirement(line) for line in wanted]


def test_the_names_at_the_top_are_the_fixed_ones(tracked: list[Path]) -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked}
    assert {name for name in names if not name.startswith(".")} <= TOP


@pytest.mark.parametrize("path", SQL_FILES, ids=lambda path: path.relative_to(PACKAGE / "sql").as_posix())
def test_an_sql_file_says_what_goes_in_and_out(path: Path) -> None:
    header = re.match(r"(?:--.*\n)+", path.read_text(encoding="utf-8"))
    assert header, "a header comment comes first"
    if path.parent.name != "migrations":
        assert re.search(r"^-- +In: ", header[0], re.MULTILINE)
        assert re.search(r"^-- +Out: ", header[0], re.MULTILINE)


def test_only_the_store_imports_duckdb() -> None:
    importers = {module.relative_to(PACKAGE).parts[0] for module in MODULES if "duckdb" in imported(module)}
    assert {name.removesuffix(".py") for name in importers} == {"store"}


def test_a_package_that_is_imported_is_declared() -> None:
    known = {canonicalize_name(requirement.name) for requirement in declared(dev=False)}
    foreign = {name for module in MODULES for name in imported(module)} - set(sys.stdlib_module_names) - {"workbench"}
    # Some packages are installed under another name than they are imported by.
    makers = packages_distributions()
    assert {
        name for name in foreign if not {canonicalize_name(made) for made in makers.get(name, [name])} & known
    } == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_one_version_with_hashes_and_names_no_address(lock: str) -> None:
    assert "://" not in (ROOT / lock).read_text(encoding="utf-8")
    for requirement, hashes in pinned(lock).values():
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], requirement
        assert hashes >= 1, requirement


@pytest.mark.parametrize(("lock", "dev"), [(LOCKS[0], False), (LOCKS[1], True)])
def test_a_lock_satisfies_the_project(lock: str, dev: bool) -> None:
    locked = pinned(lock)
    for wanted in declared(dev=dev):
        version = next(iter(locked[canonicalize_name(wanted.name)][0].specifier)).version
        assert wanted.specifier.contains(version, prereleases=True), (wanted, version)


def test_both_locks_agree() -> None:
    run, develop = (pinned(lock) for lock in LOCKS)
    assert {name: str(run[name][0].specifier) for name in run} == {
        name: str(develop[name][0].specifier) for name in run if name in develop
    }


def test_a_wheel_carries_every_tracked_file_of_the_package(tracked: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the build backend is not installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        packed = set(wheel.namelist())
    assert {path.relative_to(ROOT).as_posix() for path in tracked if PACKAGE in path.parents} <= packed
