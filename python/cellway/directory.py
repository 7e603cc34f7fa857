"""One result as a directory: a Parquet file for each table, `provenance.json`, and texts.

The same result gives the same bytes. A directory is complete when `provenance.json` is there and the files have the
checksums that it names; it is written last.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PROVENANCE = "provenance.json"
FORMAT = 1
"""Version of the layout of the directory, the value of `cellway_result` in `provenance.json`."""


class DirectoryError(OSError):
    """A directory is no result, or not a whole one; nothing in it was changed."""


def write(
    directory: Path, tables: Mapping[str, pa.Table], texts: Mapping[str, str], provenance: Mapping[str, Any]
) -> None:
    """Writes a result; replaces one that is there, and leaves files that are no part of a result alone.

    Args:
        directory: Where; made if missing.
        tables: Tables by name; each becomes `NAME.parquet`.
        texts: Contents of further files by file name.
        provenance: What goes into `provenance.json`, beside the list of files.

    Raises:
        DirectoryError: `directory` exists and holds something else than a result.
    """
    old = _check_target(directory)
    contents = {f"{name}.parquet": _parquet(table) for name, table in tables.items()}
    contents |= {name: text.encode() for name, text in texts.items()}
    listed = {name: {"sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(contents.items())}
    document = {"cellway_result": FORMAT, **provenance, "files": listed}
    contents[PROVENANCE] = (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    exists = directory.exists()
    with _scratch(directory if exists else directory.parent, directory.name) as scratch:
        for name, data in contents.items():
            (scratch / name).write_bytes(data)
        if not exists:
            scratch.rename(directory)
            return
        # The directory may hold other files (pictures), so it cannot be replaced as a whole.
        for name in contents:
            (scratch / name).replace(directory / name)
        for name in old - contents.keys():
            (directory / name).unlink(missing_ok=True)


def read(directory: Path) -> tuple[dict[str, pa.Table], dict[str, str], dict[str, Any]]:
    """Reads what `write` wrote: tables, texts, provenance.

    Raises:
        DirectoryError: `directory` is no result, or some file is missing or was changed.
    """
    document = _provenance(directory)
    if document is None:
        raise DirectoryError(f"{directory} is not a result: it has no {PROVENANCE} of Cellway")
    if document.get("cellway_result") != FORMAT:
        version = document.get("cellway_result")
        raise DirectoryError(f"{directory} has version {version} of the result layout; this Cellway reads {FORMAT}")
    tables: dict[str, pa.Table] = {}
    texts: dict[str, str] = {}
    for name, about in document.pop("files").items():
        try:
            data = (directory / name).read_bytes()
        except FileNotFoundError:
            raise DirectoryError(f"{directory} is not a whole result: {name} is missing") from None
        if hashlib.sha256(data).hexdigest() != about["sha256"]:
            raise DirectoryError(f"{directory} is not a whole result: {name} is not the file that was saved")
        if name.endswith(".parquet"):
            tables[name.removesuffix(".parquet")] = pq.read_table(io.BytesIO(data))
        else:
            texts[name] = data.decode()
    del document["cellway_result"]
    return tables, texts, document


def check_writable(directory: Path) -> None:
    """Makes sure, before a long run, that a result can be written there.

    Raises:
        DirectoryError: `directory` exists and holds something else than a result, or cannot be made.
    """
    _check_target(directory)
    existing = next((path for path in (directory, *directory.absolute().parents) if path.exists()), directory)
    if not existing.is_dir():
        raise DirectoryError(f"{directory} cannot be made: {existing} is a file")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise DirectoryError(f"{directory} cannot be written: no permission in {existing}")


def _check_target(directory: Path) -> set[str]:
    """The files of the result that is there, none where there is nothing."""
    if not directory.exists() and not directory.is_symlink():
        return set()
    if not directory.is_dir():
        raise DirectoryError(f"{directory} is a file, not a directory for results")
    document = _provenance(directory)
    if document is not None:
        files = document.get("files")
        return {name for name in files if _is_plain(name)} if isinstance(files, dict) else set()
    if any(directory.iterdir()):
        raise DirectoryError(f"{directory} holds files but no result of Cellway; name a new or an empty directory")
    return set()


def _is_plain(name: str) -> bool:
    """Whether a name from a file can only mean a file in the directory itself."""
    return Path(name).name == name and name not in {"", ".", ".."}


def _provenance(directory: Path) -> dict[str, Any] | None:
    try:
        document = json.loads((directory / PROVENANCE).read_bytes())
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) and "cellway_result" in document else None


def _parquet(table: pa.Table) -> bytes:
    target = io.BytesIO()
    # One chunk each: the bytes must not depend on the pieces in which the engine delivered the columns.
    pq.write_table(table.combine_chunks(), target, compression="zstd", row_group_size=1 << 20)
    return target.getvalue()


@contextmanager
def _scratch(parent: Path, name: str) -> Iterator[Path]:
    """A hidden directory in `parent`, with ordinary permissions, that disappears unless it was renamed."""
    parent.mkdir(parents=True, exist_ok=True)
    path = parent / f".{name}-{secrets.token_hex(4)}.part"
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
