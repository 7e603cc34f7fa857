"""YAML text to plain Python values, remembering the line of every key and value.

The text is read as a stream of events rather than with a constructor, so that nothing recursive runs on hostile input,
every value knows its line, and scalars follow the YAML 1.2 core rules alone (`on` and `no` are text).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from cellway.scenario.errors import Path, Problem, ScenarioError, show_value

MAX_BYTES = 16 * 2**20
"""Largest scenario file read: 16 MiB."""
MAX_DEPTH = 32
"""Deepest nesting accepted; the language needs 6."""
MAX_VALUES = 1_000_000
"""Most values accepted after aliases are followed; a few lines of aliases can otherwise stand for billions."""

_INT = re.compile(r"[-+]?[0-9]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = {".inf": float("inf"), "-.inf": float("-inf"), "+.inf": float("inf"), ".nan": float("nan")}
_KNOWN_TAGS = {"tag:yaml.org,2002:str": str, "tag:yaml.org,2002:map": dict, "tag:yaml.org,2002:seq": list}


@dataclass
class Source:
    """Where the values of a scenario come from."""

    file: str | None = None
    """File name as the user gave it; None for a scenario built in Python."""
    tree: Any = None
    """The plain values: dict, list, str, int, float, bool, None."""
    lines: dict[Path, int] = field(default_factory=dict)
    """Line (from 1) of each key or list element."""
    overrides: dict[Path, str] = field(default_factory=dict)
    """Text of the `--set` option that placed a value."""

    def line(self, path: Path) -> int | None:
        """The line of `path`, or of the nearest place around it that is in the file."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1 if self.file is not None else None

    def problem(self, path: Path, message: str, found: str = "", allowed: str = "", suggestion: str = "") -> Problem:
        """A problem at `path`, with its file and line, or the `--set` option that put it there."""
        for option_path, text in self.overrides.items():
            # A value below `path` made it, where the file has nothing there.
            made = option_path[: len(path)] == path and path not in self.lines and len(path) > 0
            if made or path[: len(option_path)] == option_path:
                return Problem(path, message, found, allowed, suggestion, f"--set {text}", None)
        return Problem(path, message, found, allowed, suggestion, self.file, self.line(path))


@dataclass
class _Value:
    """A value with its line and, for containers, the lines of what it holds, so that aliases can be followed."""

    line: int
    content: Any
    """A scalar; or a list of values; or a dict of key to (line of the key, value)."""
    size: int = 1
    """Values in it, itself included."""
    height: int = 0
    """Levels of containers below it, itself included."""


@dataclass
class _Frame:
    """A container that is being read."""

    value: _Value
    anchor: str | None
    key: tuple[int, str] | None = None
    """Line and text of the key whose value comes next."""
    merged: list[_Value] = field(default_factory=list)
    """Mappings named by `<<`."""


def read(path: str | FilePath) -> Source:
    """The scenario file at `path`.

    Raises `ScenarioError` for a missing or unreadable file, a directory, text that is not UTF-8 or not YAML, and all
    that [`parse`][cellway.scenario.yaml_source.parse] refuses.
    """
    name = str(path)

    def unreadable(message: str, allowed: str = "a scenario file in YAML") -> ScenarioError:
        return ScenarioError(Problem((), message, allowed=allowed, file=name))

    file = FilePath(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise unreadable("no such file") from None
    except IsADirectoryError:
        raise unreadable("this is a directory") from None
    except (OSError, ValueError) as error:
        raise unreadable(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise unreadable("the file is too large", f"at most {MAX_BYTES // 2**20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise ScenarioError(Problem((), "not a text file in UTF-8", byte, "YAML text", file=name, line=line)) from None
    return parse(text, name)


def parse(text: str, file: str | None = None) -> Source:
    """The values of a YAML text whose top level is a mapping.

    Raises `ScenarioError` for a syntax error, a duplicate key, a key that is not text, an unknown tag, several
    documents, recursive or excessive aliases, and for an empty text.
    """
    source = Source(file)
    root = _parse_value(text, file)
    if root is None:
        raise ScenarioError(
            Problem(
                (), "the file is empty", allowed="a scenario: a mapping with at least `cellway: 1`", file=file, line=1
            )
        )
    if not isinstance(root.content, dict):
        found = show_value(_plain(root, (), {}))
        raise ScenarioError(
            Problem(
                (),
                "the top level must be a mapping of keys to values",
                found,
                "a scenario such as `cellway: 1`",
                file=file,
                line=root.line,
            )
        )
    source.tree = _plain(root, (), source.lines)
    return source


def parse_fragment(text: str, file: str | None = None) -> Any:
    """One YAML value without its lines (the right-hand side of `--set`); an empty text is null.

    Raises `ScenarioError` as [`parse`][cellway.scenario.yaml_source.parse] does.
    """
    root = _parse_value(text, file)
    return None if root is None else _plain(root, (), {})


def _plain(value: _Value, path: Path, lines: dict[Path, int]) -> Any:
    """The plain value; records the line of everything below `path`."""
    if isinstance(value.content, dict):
        plain = {}
        for key, (line, item) in value.content.items():
            lines[*path, key] = line
            plain[key] = _plain(item, (*path, key), lines)
        return plain
    if isinstance(value.content, list):
        for index, item in enumerate(value.content):
            lines[*path, index] = item.line
        return [_plain(item, (*path, index), lines) for index, item in enumerate(value.content)]
    return value.content


def _parse_value(text: str, file: str | None) -> _Value | None:
    def fail(line: int, message: str, found: str = "", allowed: str = "") -> ScenarioError:
        # A fault of the text: there is no path yet, only a line.
        return ScenarioError(Problem((), message, found, allowed, file=file, line=line))

    builder = _Builder(fail)
    line = 1
    try:
        for event in _events(text):
            line = event.start_mark.line + 1
            builder.take(event, line)
    except ScenarioError:
        raise
    except ReaderError as error:
        position = error.position if isinstance(error.position, int) else 0
        bad = error.character if isinstance(error.character, str) else chr(error.character)
        where = text.count("\n", 0, position) + 1
        raise fail(
            where, "not YAML: this character is not allowed", f"U+{ord(bad[:1] or '?'):04X}", "printable text"
        ) from None
    except MarkedYAMLError as error:
        mark, begun = error.problem_mark or error.context_mark, error.context_mark
        line = line if mark is None else mark.line + 1
        message = _syntax_message(error, text, line)
        if begun is not None and begun.line + 1 < line:
            message += f", which begins on line {begun.line + 1}"
        raise fail(line, message) from None
    except (YAMLError, ValueError, IndexError, TypeError, AssertionError, AttributeError, RecursionError) as error:
        # ruamel's scanner stumbles over some malformed directives and tags with an exception of Python's own.
        raise fail(line, f"not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from None
    return builder.root


def _events(text: str) -> Iterator[Event]:
    yaml = YAML(typ="safe", pure=True)
    yield from yaml.parse(text)


def _syntax_message(error: MarkedYAMLError, text: str, line: int) -> str:
    """One clause about a syntax error, with the usual cause where it is known."""
    rows = text.splitlines()
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    if "\\t" in str(error.problem) or re.match(r" *\t", row):
        return "not YAML: a tab in the indentation; use spaces"
    problem = str(error.problem or error.context or "syntax error").splitlines()[0]
    if "mapping values are not allowed" in problem:
        return "not YAML: a ':' where no key can stand; check the indentation, or quote the text"
    context = f" {str(error.context).splitlines()[0]}" if error.context and error.problem else ""
    return f"not YAML: {problem}{context}"


class _Builder:
    """Builds values from events with an explicit stack."""

    def __init__(self, fail: Callable[..., ScenarioError]) -> None:
        self.fail = fail
        self.root: _Value | None = None
        self.documents = 0
        self.anchors: dict[str, _Value | None] = {}
        self.stack: list[_Frame] = []

    def take(self, event: Event, line: int) -> None:
        """Consumes one event."""
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.fail(line, "a second document starts here", "'---'", "one scenario per file")
        elif isinstance(event, ScalarEvent):
            self.scalar(event, line)
        elif isinstance(event, AliasEvent):
            self.alias(str(event.anchor), line)
        elif isinstance(event, (MappingStartEvent, SequenceStartEvent)):
            self.open(event, line)
        elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            self.close(line)

    def wants_key(self) -> bool:
        """True where the next value is the key of a mapping."""
        return bool(self.stack) and isinstance(self.stack[-1].value.content, dict) and self.stack[-1].key is None

    def open(self, event: Any, line: int) -> None:
        """A mapping or list starts."""
        mapping = isinstance(event, MappingStartEvent)
        kind = dict if mapping else list
        if event.tag is not None and _KNOWN_TAGS.get(event.tag) is not kind:
            raise self.fail(line, "tags are not part of the language", f"'{event.tag}'")
        if self.wants_key():
            raise self.fail(line, "a key must be text", "a mapping" if mapping else "a list", "a name such as `rate`")
        if len(self.stack) >= MAX_DEPTH:
            raise self.fail(line, "nested too deeply", allowed=f"at most {MAX_DEPTH} levels")
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Frame(_Value(line, kind(), height=1), event.anchor))

    def close(self, line: int) -> None:
        """A mapping or list ends."""
        frame = self.stack.pop()
        for other in frame.merged:
            for key, item in other.content.items():
                frame.value.content.setdefault(key, item)
        if frame.anchor:
            self.anchors[frame.anchor] = frame.value
        self.add(frame.value, line)

    def alias(self, anchor: str, line: int) -> None:
        """A value named before by an anchor."""
        if anchor not in self.anchors:
            raise self.fail(line, f"there is no anchor '&{anchor}' before this alias", f"'*{anchor}'")
        value = self.anchors[anchor]
        if value is None:
            raise self.fail(line, "an alias cannot stand inside the value it names", f"'*{anchor}'")
        if self.wants_key():
            raise self.fail(line, "a key must be text", f"'*{anchor}'", "a name such as `rate`")
        self.add(_Value(line, value.content, value.size, value.height), line)

    def scalar(self, event: Any, line: int) -> None:
        """A key or a scalar value."""
        text = str(event.value)
        if any("\ud800" <= character <= "\udfff" for character in text):  # escapes, as JSON writes emoji
            try:
                text = text.encode("utf-16", "surrogatepass").decode("utf-16")
            except UnicodeError:
                raise self.fail(line, "half a surrogate pair is no character", allowed="printable text") from None
        if event.tag is not None and _KNOWN_TAGS.get(event.tag) is not str:
            raise self.fail(line, "tags are not part of the language", f"'{event.tag}'")
        plain = bool(event.implicit[0]) and event.tag is None
        content = self.resolve(text, line) if plain else text
        if not self.wants_key():
            value = _Value(line, content)
            if event.anchor:
                self.anchors[event.anchor] = value
            self.add(value, line)
            return
        frame = self.stack[-1]
        if not isinstance(content, str):
            raise self.fail(line, f"a key must be text; quote it: '{text[:60]}'", show_value(content))
        if content in frame.value.content:
            first = frame.value.content[content][0]
            raise self.fail(
                line, f"duplicate key {show_value(content)}", allowed=f"each key once; the first is on line {first}"
            )
        frame.key = (line, content)

    def resolve(self, text: str, line: int) -> Any:
        """The value of a plain scalar after the YAML 1.2 core rules."""
        if text in ("", "~", "null", "Null", "NULL"):
            return None
        if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
            return text.lower() == "true"
        if text.lower() in _SPECIAL:
            return _SPECIAL[text.lower()]
        if _INT.fullmatch(text):
            if len(text) > 100:
                raise self.fail(line, "this number is absurdly large", show_value(text), "at most 100 digits")
            return int(text)
        if _HEX.fullmatch(text) and len(text) <= 100:
            return int(text, 0)
        return float(text) if _FLOAT.fullmatch(text) else text

    def add(self, value: _Value, line: int) -> None:
        """Puts a complete value where it belongs."""
        if not self.stack:
            self.root = value
            return
        frame = self.stack[-1]
        frame.value.size += value.size
        frame.value.height = max(frame.value.height, value.height + 1)
        if frame.value.size > MAX_VALUES:
            raise self.fail(line, "aliases make this scenario absurdly large", allowed=f"at most {MAX_VALUES} values")
        if len(self.stack) + value.height > MAX_DEPTH:
            raise self.fail(line, "nested too deeply", allowed=f"at most {MAX_DEPTH} levels")
        if isinstance(frame.value.content, list):
            frame.value.content.append(value)
            return
        assert frame.key is not None, "a mapping's value follows its key"
        key_line, key = frame.key
        frame.key = None
        if key != "<<":
            frame.value.content[key] = (key_line, value)
            return
        others = value.content if isinstance(value.content, list) else [value]
        if not all(isinstance(other.content, dict) for other in others):
            raise self.fail(line, "'<<' merges a mapping, or a list of mappings")
        frame.merged += others
