"""Guards on the shape of the project: layers, names, sizes, versions, locks."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import cellway
from cellway import _engine

ROOT = Path(__file__).resolve().parents[1]

# Layers, lowest first. A module may use what stands in a lower line, nothing of its own line and nothing above:
# so the families of policies never know one another. A new module gets its place here.
MODELS_LAYERS = (
    {"cell", "family", "post"},
    {"tcp", "wire"},
    {"abr", "buffer", "credit", "impairment", "police", "schedule", "traffic"},
    {"rate"},
    {"spec"},
    {"line", "observe"},
    {"host", "switch"},
    {"network"},
)
PYTHON_LAYERS = (
    {"_engine", "directory", "plots", "provenance", "stats", "summary"},
    {"scenario", "series", "theory"},
    {"recording", "reference"},
    {"result"},
    {"run", "store"},
    {"sweep"},
    {"papers"},
    {"report"},
    {"cli"},
)


def project_files() -> list[Path]:
    """Tracked files and new ones that git would track; without git, everything outside the build's own folders."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        files = [ROOT / name for name in listed if name]
    else:
        made = {"target", "reproduction", "results", "dist", "__pycache__"}
        files = [
            path
            for path in ROOT.rglob("*")
            if not any(p in made or (p.startswith(".") and p != ".ci") for p in path.relative_to(ROOT).parts)
        ]
    return sorted(path for path in files if path.is_file())


FILES = project_files()
SOURCES = [path for path in FILES if path.suffix in {".rs", ".py", ".pyi"}]


def text_files() -> Iterator[tuple[str, str]]:
    for path in FILES:
        try:
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def lines_matching(pattern: str, *, except_for: frozenset[str] = frozenset()) -> list[str]:
    found = re.compile(pattern)
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in text_files()
        if name not in except_for
        for number, line in enumerate(text.splitlines(), 1)
        if found.search(line)
    ]


def manifest(path: str) -> dict:
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


# --- sizes and names


def test_sources_were_found() -> None:
    assert {".rs", ".py"} <= {path.suffix for path in SOURCES}


def test_no_source_is_longer_than_a_reader_can_hold() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCES
        if not path.stem.endswith("_generated")
    }
    assert {name: lines for name, lines in lengths.items() if lines > 600} == {}


def test_every_module_is_named_after_what_it_holds() -> None:
    nameless = {"util", "utils", "common", "helper", "helpers", "misc"}
    found = [path for path in SOURCES if nameless & set(path.relative_to(ROOT).with_suffix("").parts)]
    assert found == []


def test_nothing_is_left_unfinished_or_skipped() -> None:
    pattern = r"T[O]DO|F[I]XME|\bX[X]X\b|unimplemen[t]ed!|\btod[o]!\(|mark\.sk[i]p|pytest\.sk[i]p\(|#\[ign[o]re"
    assert lines_matching(pattern) == []


def test_no_file_names_one_machine() -> None:
    # A home, a scratch folder, a mount: absolute, so not after a letter, a dot or a variable as in `src/tmp/`.
    pattern = r"(?<![\w.}~-])/(?:home|root|tmp|Users|work|opt|mnt|srv|media|var)/\w"
    assert lines_matching(pattern) == []


def test_no_file_names_a_package_registry() -> None:
    pattern = r"pypi\.org|pythonhosted\.org|crates\.io|index-url|find-links|--trusted-host"
    # Cargo's own name for the default registry stands in its lock file; Makefile switches the index line off.
    assert lines_matching(pattern, except_for=frozenset({"Cargo.lock", "Makefile", "tests/test_project.py"})) == []
    sources = {package["source"] for package in manifest("Cargo.lock")["package"] if "source" in package}
    assert sources == {"registry+https://github.com/rust-lang/crates.io-index"}


# --- arrows between Rust crates and modules


@pytest.mark.parametrize(
    ("crate", "outside"),
    [("kernel", r"cellway-|pyo3|arrow"), ("models", r"cellway-python|pyo3|arrow")],
)
def test_a_crate_does_not_depend_on_those_above(crate: str, outside: str) -> None:
    document = manifest(f"crates/{crate}/Cargo.toml")
    tables = ("dependencies", "dev-dependencies", "build-dependencies")
    names = {name for table in tables for name in document.get(table, {})}
    assert names
    assert [name for name in names if re.match(outside, name)] == []


@pytest.mark.parametrize("crate", ["kernel", "models"])
def test_unsafe_code_is_forbidden(crate: str) -> None:
    assert "#![forbid(unsafe_code)]" in (ROOT / f"crates/{crate}/src/lib.rs").read_text(encoding="utf-8").splitlines()


def used_modules(source: str) -> set[str]:
    """First names after `crate::`, also in groups, outside comments."""
    code = re.sub(r"//.*", "", source)
    names = set(re.findall(r"\bcrate::(\w+)", code))
    for group in re.finditer(r"\bcrate::\{", code):
        depth, item = 1, ""
        for character in code[group.end() :]:
            depth += {"{": 1, "}": -1}.get(character, 0)
            if depth == 0 or (depth == 1 and character == ","):
                names |= set(re.findall(r"^\s*(\w+)", item))
                item = ""
                if depth == 0:
                    break
            else:
                item += character
    return names


def forbidden_uses(layers: tuple[set[str], ...], module: str, used: set[str]) -> set[str]:
    """What `module` uses without being above it."""
    below: set[str] = set()
    for layer in layers:
        if module in layer:
            return used - below - {module}
        below |= layer
    raise AssertionError(f"module {module!r} has no place in the layers of tests/test_project.py")


def test_used_modules_sees_groups_and_inline_paths() -> None:
    source = """
        use crate::cell::{Cell, Kind};
        use crate::{credit::{self, N23}, switch, wire::Hec}; // crate::comment
        fn f() -> crate::host::Host { $crate::family!() }
    """
    assert used_modules(source) == {"cell", "credit", "switch", "wire", "host", "family"}


def test_a_use_of_the_same_or_a_higher_layer_is_found() -> None:
    layers = ({"cell"}, {"buffer", "credit"}, {"switch"})
    assert forbidden_uses(layers, "credit", {"cell", "credit", "buffer", "switch"}) == {"buffer", "switch"}
    assert forbidden_uses(layers, "switch", {"cell", "credit"}) == set()
    with pytest.raises(AssertionError, match="no place"):
        forbidden_uses(layers, "attic", set())


def test_modules_of_the_models_use_only_lower_layers() -> None:
    top = ROOT / "crates/models/src"
    wrong = {}
    for path in (path for path in SOURCES if path.is_relative_to(top) and path != top / "lib.rs"):
        module = path.relative_to(top).with_suffix("").parts[0]
        if found := forbidden_uses(MODELS_LAYERS, module, used_modules(path.read_text(encoding="utf-8"))):
            wrong[str(path.relative_to(top))] = found
    assert wrong == {}


# --- arrows between Python modules


def imported_modules(source: str, package: tuple[str, ...]) -> set[str]:
    """Modules of cellway that `source`, a file in `package`, imports anywhere, by their first name."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = list(package[: len(package) - node.level + 1]) if node.level else []
            base = ".".join(start + ([node.module] if node.module else []))
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("cellway.")}


def test_imported_modules_sees_every_form() -> None:
    source = """
import numpy, cellway.stats
from cellway import plots, __version__
from cellway.run import run
def late():
    from . import quantities
    from ..report import page
"""
    assert imported_modules(source, ("cellway", "scenario")) == {
        "stats", "plots", "__version__", "run", "scenario", "report",
    }  # fmt: skip


def test_python_modules_import_only_lower_layers() -> None:
    top = ROOT / "python/cellway"
    known = set().union(*PYTHON_LAYERS)
    wrong = {}
    for path in (path for path in SOURCES if path.is_relative_to(top)):
        parts = path.relative_to(top).with_suffix("").parts
        if parts[0] in {"__init__", "__main__"} or path.suffix == ".pyi":
            continue
        package = ("cellway", *path.relative_to(top).parent.parts)
        used = imported_modules(path.read_text(encoding="utf-8"), package)
        # `from cellway import Scenario`: a name of the package itself, not a module.
        used = {name for name in used if name in known or (top / name).exists() or (top / f"{name}.py").exists()}
        if found := forbidden_uses(PYTHON_LAYERS, parts[0], used):
            wrong[str(path.relative_to(top))] = found
    assert wrong == {}


# --- versions and locks


def test_one_version_everywhere() -> None:
    version = manifest("Cargo.toml")["workspace"]["package"]["version"]
    assert cellway.__version__ == version
    assert _engine.version() == version
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)


def locked(name: str) -> dict[str, str]:
    """Package -> version in a lock file; every entry must carry a hash."""
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements" / name).read_text(encoding="utf-8"))
    pins = {}
    for entry in entries:
        if match := re.match(r"([a-z0-9-]+)==([^\s;\\]+)", entry):
            assert "--hash=sha256:" in entry, f"{match[1]} has no hash in {name}"
            pins[match[1]] = match[2]
    return pins


def test_locks_fulfil_the_declared_requirements() -> None:
    document = manifest("pyproject.toml")
    extras = document["project"]["optional-dependencies"]
    run = document["project"]["dependencies"] + document["dependency-groups"]["build"]
    for name, declared in {"run.lock": run, "dev.lock": run + extras["dev"] + extras["cluster"]}.items():
        pins = locked(name)
        for requirement in map(Requirement, declared):
            version = pins.get(re.sub(r"[._]", "-", requirement.name))
            assert version is not None, f"{requirement} is not in {name}: `make lock`"
            assert Version(version) in requirement.specifier, f"{name} holds {version}, not {requirement}: `make lock`"


def test_tests_run_with_what_users_run() -> None:
    run, dev = locked("run.lock"), locked("dev.lock")
    assert run
    assert run.items() <= dev.items()
