"""Results: what they find, what they say when there is nothing, and directories that hold them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from cellway.directory import DirectoryError
from cellway.recording import NotRecorded
from cellway.result import Result

from .conftest import make_result, tables

US = 1e-6


def test_series_are_chosen_by_what_they_observe(result: Result) -> None:
    whole = result.series("queue", node="s1")
    assert (whole.values.tolist(), whole.unit, whole.label) == ([0, 4, 1], "cells", "whole switch")
    assert whole.mean() == pytest.approx((4 * 40 + 1 * 40) / 100)
    assert result.series("queue", vc="vc1").values.tolist() == [0, 2]  # the only one of vc1
    port = result.series("queue", node="s1", link="s1->b")
    assert (port.shape, port.mean(), port.max()) == ("bins", 2, 5)
    assert result.series("credit", link="a->s1", vc="vc1").mean() == pytest.approx((10 * 10 + 10 * 10) / 100)
    assert result.series("throughput", link="s1->a").mean() == 1e6  # of all cells, unless told otherwise
    assert result.series("throughput", link="s1->a", cells="data").unit == "cells/s"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"kind": "queue"}, NotRecorded, "several series fit queue: node=s1; node=s1, vc=vc1; node=s1, link=s1->b"),
        ({"kind": "queue", "node": "s2"}, NotRecorded, "no queue of node=s2 was recorded; recorded: node=s1; "),
        ({"kind": "credit", "node": "s1"}, ValueError, "a credit series is chosen by link, vc, not by node"),
        (
            {"kind": "length"},
            ValueError,
            "unknown kind of series 'length'; allowed: queue, credit, throughput",
        ),
        ({"kind": "bandwidth", "link": "a->s2"}, NotRecorded, "there is no link 'a->s2'; did you mean 'a->s1'?"),
        ({"kind": "bandwidth", "link": "b->s1"}, NotRecorded, 'add: `record: {trace: ["b->s1"]}`'),
        ({"kind": "bandwidth"}, ValueError, "a bandwidth series needs a link"),
        ({"kind": "delay"}, ValueError, "a delay series needs a vc"),
        ({"kind": "delay", "vc": "vc9"}, NotRecorded, "there is no VC 'vc9'; did you mean"),
    ],
)
def test_what_is_not_there_is_explained(
    result: Result, arguments: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        result.series(**arguments)  # type: ignore[arg-type]  # also wrong ones
    assert message in str(caught.value)


def test_nothing_recorded_says_how_to_record() -> None:
    empty = {name: tables()[name].slice(0, 0) for name in ("probes", "series", "trace", "delays", "tcp")}
    bare = make_result(**empty)
    with pytest.raises(NotRecorded, match=r"record: \{queue: all\}"):
        bare.series("queue", node="s1")
    with pytest.raises(NotRecorded, match=r"record: \{delay: all\}"):
        bare.delay("vc1")
    with pytest.raises(NotRecorded, match="no series was recorded"):
        bare.plot()


def test_bandwidth_is_the_part_of_the_line_in_use(result: Result) -> None:
    everything = result.bandwidth("a->s1")
    inside = everything.between(20 * US, 80 * US)
    assert (everything.unit, everything.label, everything.shape) == ("1", "all cells", "curve")
    assert everything.times[1] == pytest.approx(1 * US)
    assert result.bandwidth("a->s1", vc="vc1", window=20).between(20 * US, 80 * US).values == pytest.approx(0.5)
    assert result.bandwidth("a->s1", vc="vc2", window="20 us").between(20 * US, 80 * US).values == pytest.approx(0.1)
    assert result.bandwidth("a->s1", vc="vc2", window="20 cell_times").at(50 * US) == pytest.approx(0.1)
    assert result.bandwidth("a->s1", cells="data", window=20).at(50 * US) == pytest.approx(0.6)
    assert result.bandwidth("a->s1", cells="credit", window=100).at(50 * US) == pytest.approx(0.05)
    assert inside.min() > 0.55
    with pytest.raises(ValueError, match="unknown cells 'rm'; allowed: data, credit, all"):
        result.bandwidth("a->s1", cells="rm")
    with pytest.raises(ValueError, match="must be more than zero"):
        result.bandwidth("a->s1", window=0)


def test_recorded_throughput_serves_as_bandwidth(result: Result) -> None:
    data = result.bandwidth("s1->a", cells="data")
    assert (data.values.tolist(), data.shape) == ([0, 0.5, 1, 0], "bins")
    assert {"link": "s1->a", "cells": "all"} in result.observed("bandwidth")


def test_delays_are_recorded_or_follow_from_the_traces(result: Result) -> None:
    recorded = result.delay("vc2")
    assert (recorded.unit, recorded.mean()) == ("s", pytest.approx(22 * US))
    from_trace = result.delay("vc1")
    assert len(from_trace) == 39  # forty left the switch, one was lost on the way
    assert from_trace.values == pytest.approx(24 * US)
    assert from_trace.times[:2] == pytest.approx([0, 2 * US])
    assert result.observed("delay") == [{"vc": "vc2", "to": "b"}, {"vc": "vc1", "to": "b"}]


def test_several_destinations_must_be_told_apart() -> None:
    two = tables()["delays"]
    far = two.set_column(1, two.schema.field(1), pa.array(["c"] * two.num_rows))
    probes = tables()["probes"].to_pylist()
    [delay] = [probe for probe in probes if probe["kind"] == "delay"]
    probes.append({**delay, "probe": len(probes), "node": "c"})
    both = make_result(
        delays=pa.concat_tables([two, far]), probes=pa.Table.from_pylist(probes, tables()["probes"].schema)
    )
    with pytest.raises(NotRecorded, match="several destinations, name one: b; c"):
        both.delay("vc2")
    assert both.delay("vc2", to="c").label == "vc2 to c"


def test_rates_of_abr_sources(result: Result) -> None:
    rate = result.series("acr", vc="vc1")
    assert (rate.unit, rate.label, rate.values.tolist()) == ("cells/s", "ACR of vc1", [1e5, 5e4])
    assert result.series("acr", vc="vc1", direction="return").label == "ACR of vc1 (return)"
    assert result.series("er").max() == 2e5
    assert result.observed("abr") == [{"vc": "vc1", "direction": "forward"}, {"vc": "vc1", "direction": "return"}]
    with pytest.raises(NotRecorded, match="no er of vc=vc1, direction=return was recorded"):
        result.series("er", vc="vc1", direction="return")
    with pytest.raises(ValueError, match="chosen by vc, direction, not by link"):
        result.series("acr", link="a->s1")


def test_what_rate_algorithms_measure(result: Result) -> None:
    assert result.series("rate").label == "fair share of s1->b"
    overload = result.series("rate", link="s1->b", quantity="overload")
    assert (overload.unit, overload.max()) == ("1", 1.2)


def test_bursts_have_response_times_and_effective_throughputs(result: Result) -> None:
    sent = result.bursts("vc1", "return")
    assert len(sent) == 3
    assert sent.response == pytest.approx(8 * US)
    assert sent.throughput == pytest.approx(5e5)
    assert len(sent.between(0, 20 * US)) == 2
    times = result.response_times("vc1", "return")
    assert (times.shape, times.unit, times.label, times.mean()) == (
        "points",
        "s",
        "vc1 (return)",
        pytest.approx(8 * US),
    )
    with pytest.raises(NotRecorded, match="both directions, name one"):
        result.bursts("vc1")
    with pytest.raises(NotRecorded, match="no burst of vc2 was sent"):
        result.bursts("vc2")
    with pytest.raises(NotRecorded, match="there is no VC 'vc3'"):
        result.bursts("vc3")


def test_units_are_in_the_tables(result: Result) -> None:
    assert result.vcs.schema.field("rate").metadata == {b"unit": b"cells/s"}
    assert result.trace.schema.field("time_ps").metadata == {b"unit": b"ps"}


def test_the_summary_reads_well(result: Result) -> None:
    text = str(result.summary)
    assert text.splitlines()[0] == "By hand (100 µs, seed 7)"
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "500 000" in text
    assert "Mbit/s" in text
    vcs = [line.split() for line in text.splitlines() if line.startswith("vc2")]
    assert vcs[0] == ["vc2", "b", "25", "20", "0", "250", "000", "106.00"]
    page = result._repr_html_()
    assert "<table>" in page
    assert "a-&gt;s1" in page


def test_policing_is_summarised_where_there_is_any(result: Result) -> None:
    _, _, text = str(result.summary).partition("Policing")
    row, *_ = [line.split() for line in text.splitlines() if line.startswith("vc1")]
    assert row == ["vc1", "s1", "40", "0", "7", "3"]
    assert "Policing" not in str(make_result(policing=result.policing.slice(0, 0)).summary)
    assert result.to_json()["tables"]["policing"]["units"]["tagged"] == "cells"


def test_frames_are_summarised_by_cause(result: Result) -> None:
    _, _, text = str(result.summary).partition("AAL5 frames")
    row, *_ = [line.split() for line in text.splitlines() if line.startswith("vc1")]
    assert row == ["vc1", "(return)", "a", "9", "3", "2", "1", "1", "1"]
    assert "corrupted" not in text
    assert "AAL5" not in str(make_result(frames=result.frames.slice(0, 0)).summary)


def test_connections_are_summarised_where_there_are_any(result: Result) -> None:
    _, _, text = str(result.summary).partition("TCP connections")
    rows = [line.split() for line in text.splitlines() if line.startswith("vc2")]
    assert rows[1] == ["vc2", "1", "4", "096", "150.00", "5", "1", "1", "1"]
    assert "TCP" not in str(make_result(tcp=result.tcp.slice(0, 0)).summary)


def test_series_of_a_connection(result: Result) -> None:
    series = result.series("cwnd", vc="vc2", connection=1)
    assert (series.unit, series.quantity, series.max()) == ("bytes", "Congestion window", 4096)
    assert result.observed("cwnd") == [{"vc": "vc2", "connection": "1"}]
    with pytest.raises(NotRecorded, match="recorded: vc=vc2, connection=1"):
        result.series("cwnd", vc="vc2", connection=0)
    with pytest.raises(NotRecorded, match="no rto was recorded; add to the scenario"):
        result.series("rto")


def test_a_long_summary_is_cut(result: Result) -> None:
    rows = [row for row in result.links.to_pylist() for _ in range(20)]
    text = str(make_result(links=pa.Table.from_pylist(rows, result.links.schema)).summary)
    assert "… 40 more" in text
    assert text.count("s1->b") == 20


def test_json_has_units_and_no_nan(result: Result) -> None:
    document = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert document["provenance"]["seed"] == 7
    assert document["provenance"]["scenario"].startswith("sha256:")
    vcs = document["tables"]["vcs"]
    assert vcs["units"]["rate"] == "cells/s"
    assert vcs["rows"][0]["mean_response"] is None
    assert "vc" not in vcs["units"]


def test_a_result_needs_its_tables(result: Result) -> None:
    some = {name: found for name, found in result.tables.items() if name != "drops"}
    with pytest.raises(ValueError, match="needs the tables drops"):
        Result(some, result.provenance, result.document, result.scenario)


# --- directories


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def test_saving_is_deterministic_and_loading_gives_it_back(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "one")
    loaded = Result.load(tmp_path / "one")
    loaded.save(tmp_path / "deep" / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "deep" / "two")
    assert {"vcs.parquet", "trace.parquet", "provenance.json", "scenario.yaml"} <= contents(tmp_path / "one").keys()
    assert loaded.provenance == result.provenance
    for name, original in result.tables.items():
        assert loaded.tables[name].schema.equals(original.schema, check_metadata=True), name
        assert repr(loaded.tables[name].to_pylist()) == repr(original.to_pylist()), name  # NaN is like NaN here
    assert loaded.bandwidth("a->s1").values.tolist() == result.bandwidth("a->s1").values.tolist()
    assert {path.name for path in tmp_path.iterdir()} == {"one", "deep"}


def test_chunks_of_the_engine_do_not_show(result: Result, tmp_path: Path) -> None:
    rows = result.trace
    chunked = pa.concat_tables([rows.slice(0, 10), rows.slice(10)])
    result.save(tmp_path / "one")
    make_result(trace=chunked).save(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_result_is_replaced_and_foreign_files_stay(result: Result, tmp_path: Path) -> None:
    target = tmp_path / "out"
    Result({**result.tables, "extra": result.vcs}, result.provenance, result.document, "cellway: 1\n").save(target)
    assert (target / "extra.parquet").exists()
    (target / "notes.txt").write_text("mine")
    (target / "plots").mkdir()
    result.save(target)
    assert (target / "notes.txt").read_text() == "mine"
    assert (target / "plots").is_dir()
    assert not (target / "extra.parquet").exists()
    assert not list(target.glob(".*"))
    assert Result.load(target).tables.keys() == result.tables.keys()


@pytest.mark.parametrize("provenance", [None, "", "[]", '{"name": "something else"}'])
def test_a_foreign_directory_is_refused(result: Result, tmp_path: Path, provenance: str | None) -> None:
    (tmp_path / "vcs.parquet").write_text("not ours")
    if provenance is not None:
        (tmp_path / "provenance.json").write_text(provenance)
    before = contents(tmp_path)
    with pytest.raises(DirectoryError, match="holds files but no result"):
        result.save(tmp_path)
    assert contents(tmp_path) == before
    with pytest.raises(DirectoryError, match="is not a result"):
        Result.load(tmp_path)


def test_a_file_is_refused_and_an_empty_directory_is_used(result: Result, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(DirectoryError, match="is a file"):
        result.save(file)
    (tmp_path / "empty").mkdir()
    result.save(tmp_path / "empty")
    assert Result.load(tmp_path / "empty").title == "By hand"


def test_names_in_a_damaged_provenance_delete_nothing_outside(result: Result, tmp_path: Path) -> None:
    target = tmp_path / "out"
    result.save(target)
    (tmp_path / "precious").write_text("keep")
    document = json.loads((target / "provenance.json").read_text())
    document["files"]["../precious"] = {"sha256": ""}
    (target / "provenance.json").write_text(json.dumps(document))
    result.save(target)
    assert (tmp_path / "precious").read_text() == "keep"


def test_a_damaged_result_is_noticed(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "a")
    (tmp_path / "a" / "vcs.parquet").unlink()
    with pytest.raises(DirectoryError, match=r"vcs\.parquet is missing"):
        Result.load(tmp_path / "a")
    result.save(tmp_path / "b")
    (tmp_path / "b" / "scenario.yaml").write_text("cellway: 2\n")
    with pytest.raises(DirectoryError, match=r"scenario\.yaml is not the file that was saved"):
        Result.load(tmp_path / "b")
    document = json.loads((tmp_path / "b" / "provenance.json").read_text())
    (tmp_path / "b" / "provenance.json").write_text(json.dumps({**document, "cellway_result": 99}))
    with pytest.raises(DirectoryError, match="version 99 of the result layout"):
        Result.load(tmp_path / "b")


def test_a_failed_save_leaves_nothing(result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(self: Path, data: bytes) -> int:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_bytes", no_space)
    with pytest.raises(OSError, match="No space"):
        result.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_tables_may_be_empty() -> None:
    series = make_result(series=tables()["series"].slice(0, 0)).series("queue", node="s1")
    assert len(series) == 0
    assert np.isnan(series.mean())
