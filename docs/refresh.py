"""Writes what is generated in README.md and docs/: `make docs`. The tests fail where it would change anything.

- What is printed: the lines under `$ ...` in `console` blocks, and the `text` block after a `python` block.
- Tables of parameters, between `<!-- parameters FAMILY.KIND -->` or `<!-- keys PATH -->` and `<!-- end -->`.
- The figures.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cellway import cli
from cellway.reference import Key, algorithms, language_keys

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```\n", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(
    r"(?P<start><!-- (?P<what>parameters|keys) (?P<name>\S+) -->\n).*?(?P<end><!-- end -->\n)", re.DOTALL
)
ELAPSED = re.compile(r" in \d+\.\d\d s\b")
MAKE = "make reproduce ARGS="
FAILED = "[exit status"


def pages() -> list[Path]:
    """The documents whose blocks are executed: not decisions, nor the pages of papers, which have their own tests."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(path for path in found if path.parent.name not in ("decisions", "papers"))]


class BlockError(Exception):
    """A block of a document fails; the message says which."""


@dataclass
class Session:
    """Executes the blocks of one document, in order, in a directory of its own that also holds `examples`."""

    directory: Path
    names: dict[str, Any] = field(default_factory=dict)

    def command(self, line: str) -> str:
        """What `$ line` prints."""
        if line.startswith(MAKE):  # its recipe, whose end `tests/docs` compares with the Makefile
            line = "cellway reproduce --out reproduction " + line.removeprefix(MAKE)
        words = shlex.split(line)
        if words[:1] != ["cellway"]:
            raise BlockError(f"only cellway commands are run, found: {line}")
        with self._inside() as printed:
            status = cli.main(words[1:])
        return self._settled(printed.getvalue()) + (f"{FAILED} {status}]\n" if status else "")

    def python(self, source: str) -> str:
        """What a program prints; names stay for the next one."""
        with self._inside() as printed:
            exec(compile(source, "<document>", "exec"), self.names)
        return self._settled(printed.getvalue())

    def file(self, name: str, text: str) -> None:
        """Writes a file that the document shows."""
        (self.directory / name).write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def _inside(self) -> Iterator[io.StringIO]:
        """Standard output and error in the order in which they are written, as on a terminal."""
        printed, before = io.StringIO(), Path.cwd()
        os.chdir(self.directory)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                yield printed
        finally:
            os.chdir(before)

    def _settled(self, printed: str) -> str:
        """Without what differs from run to run: times on the clock, the directory, spaces at the ends of lines."""
        lines = [ELAPSED.sub("", line).replace(f"{self.directory}/", "").rstrip() for line in printed.splitlines()]
        return "".join(f"{line}\n" for line in lines)


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """A session in a directory that is removed afterwards."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name).resolve()
        shutil.copytree(ROOT / "examples", directory / "examples")
        yield Session(directory)


def console(body: str, run: Session) -> str:
    """A `console` block with what its commands print now, cut where the old output ends with `...`."""
    # A command goes on in the next line only after a backslash: what is printed may be indented.
    parts = re.split(r"^(\$ .*(?:(?<=\\)\n.*)*)\n", body, flags=re.MULTILINE)
    if parts[0]:
        raise BlockError(f"a console block begins with a command, not with: {parts[0]!r}")
    written = ""
    for command, old in zip(parts[1::2], parts[2::2], strict=True):
        new = run.command(re.sub(r"\s*\\\n\s*", " ", command[2:]))
        if FAILED in new and FAILED not in old:  # a page says it first where a command is meant to fail
            raise BlockError(f"this command fails now: {command}\n{new}")
        if old.endswith("...\n"):
            new = "".join(new.splitlines(keepends=True)[: old.count("\n") - 1]) + "...\n"
        written += f"{command}\n{new}"
    return written


def refreshed(text: str) -> str:
    """A document with all that is generated in it as it should be now."""
    with session() as run:
        written, position, printed = "", 0, None
        for match in FENCE.finditer(text):
            written += text[position : match.start()]
            kind, body = match["kind"], match["body"]
            try:
                if kind == "console":
                    body = console(body, run)
                elif kind == "python":
                    printed = run.python(body)
                elif kind == "text":
                    if printed is None:
                        raise BlockError("a text block holds what the python block before it prints")
                    body = printed
                elif kind == "yaml" and (name := re.match(r"# (\S+\.yaml)\n", body)):
                    run.file(name[1], body)
                elif kind != "yaml":
                    raise BlockError(f"blocks of kind {kind} are not executed")
            except BlockError:
                raise
            except Exception as error:
                raise BlockError(f"{error!r} in the block\n{body}") from error
            if kind == "python" and printed and not text.startswith("\n```text", match.end()):
                body += f"```\n\n```text\n{printed}"
            written += f"```{kind}\n{body}```\n"
            position = match.end()
        written += text[position:]
    return GENERATED.sub(lambda match: match["start"] + table(match["what"], match["name"]) + match["end"], written)


def table(what: str, name: str) -> str:
    """The generated table of an algorithm's parameters, or of the keys below a place of the language."""
    if what == "parameters":
        [algorithm] = [one for one in algorithms() if f"{one.family}.{one.kind}" == name]
        source = f"\nSource: {algorithm.source}\n" if algorithm.source else ""
        return f"{algorithm.text}\n{source}\n" + _rows(algorithm.parameters)
    above = "" if name == "top" else f"{name}."
    keys = [key for key in language_keys() if key.path.startswith(above) and "." not in key.path[len(above) :]]
    return _rows([Key(key.path[len(above) :], key.wanted, key.default, key.text) for key in keys])


def _rows(keys: Any) -> str:
    if not keys:
        return "No parameters.\n"
    rows = [(f"`{key.path}`", key.wanted, key.default, key.text) for key in keys]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in cells]) + "\n"


def figures() -> dict[str, bytes]:
    """The figures by file name."""
    from cellway import run

    result = run(ROOT / "examples/video-and-data.yaml")
    picture = result.plot("bandwidth", link="s1->s2", window="100 cell_times")
    return {"video-and-data.svg": picture.to_bytes("svg")}


def main() -> None:
    """Rewrites what has changed."""
    for page in pages():
        old = page.read_text(encoding="utf-8")
        new = refreshed(old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: refreshed", file=sys.stderr)
    for name, content in figures().items():
        (ROOT / "docs/figures" / name).write_bytes(content)


if __name__ == "__main__":
    main()
