"""Examples are run as their readers run them: through the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cellway import Result, cli

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Runs `cellway run examples/NAME` with further arguments and reads the result that it saved.
Runner = Callable[..., Result]


@pytest.fixture
def example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runner:
    def run(name: str, *arguments: str) -> Result:
        out = tmp_path / "result"
        status = cli.main(["run", str(EXAMPLES / name), "--out", str(out), *arguments])
        printed = capsys.readouterr()
        assert status == 0, printed.err
        assert "cell-hops" in printed.out
        return Result.load(out)

    return run
