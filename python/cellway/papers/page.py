"""The report: one self-contained page with every claim, band, measured value, figure and scenario."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import jinja2

import cellway
from cellway import _engine
from cellway.papers.item import Paper, number
from cellway.papers.outcome import Finding, Outcome, Picture

VERDICTS = ("differs", "not reproducible", "reproduced")
"""In the order in which a reader wants to know."""


def page(outcomes: Sequence[Outcome], papers: Sequence[Paper], selected: int) -> str:
    """The report as HTML."""
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": _number, "band": _band, "uri": _uri, "anchor": _anchor, "hops": _hops}
    template = environment.from_string((files("cellway.papers") / "page.html.j2").read_text(encoding="utf-8"))
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    shown: dict[str, Any] = {
        "version": cellway.__version__,
        "engine": _engine.version(),
        "papers": [(paper, [one for one in outcomes if one.paper == paper.name]) for paper in papers],
        "outcomes": outcomes,
        "missing": selected - len(outcomes),
        "total": len(findings),
        "counts": {verdict: sum(one.verdict == verdict for one in findings) for verdict in VERDICTS},
        "differing": [one for one in findings if one.verdict == "differs"],
        "verdicts": VERDICTS,
    }
    return template.render(shown)


def _number(value: float | None) -> str:
    return "–" if value is None else number(value)


def _band(finding: Finding) -> str:
    low, high = finding.low, finding.high
    if low is None or high is None:
        return "none" if low == high else f"≥ {number(low)}" if low is not None else f"≤ {number(high or 0)}"
    return number(low) if low == high else f"{number(low)} – {number(high)}"


def _uri(picture: Picture) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.svg.encode()).decode()


def _anchor(outcome: Outcome) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", f"{outcome.paper}-{outcome.item}")


def _hops(count: int) -> str:
    return f"{count:,}".replace(",", " ")
