"""Every example does what its header says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from cellway import Result
from cellway.stats import mean_interval
from cellway.theory import credit, queues, tcp
from cellway.theory.fairness import jain_index

from .conftest import EXAMPLES, Runner

#: The example that each test below runs.
TESTED = {
    "abr-erica.yaml",
    "credit-loss.yaml",
    "fabric-link.yaml",
    "fair-share.yaml",
    "gfr.yaml",
    "multicast.yaml",
    "multiplexing.yaml",
    "nfs.yaml",
    "policing.yaml",
    "parking-lot.yaml",
    "priorities.yaml",
    "tcp-epd.yaml",
    "trace-file.yaml",
    "uili-count-based.yaml",
    "video-and-data.yaml",
    "voice.yaml",
}


def row(result: Result, table: str, **which: str) -> dict[str, Any]:
    """The one row of a table that has these values."""
    found = [one for one in result.tables[table].to_pylist() if all(one[k] == v for k, v in which.items())]
    assert len(found) == 1, f"{len(found)} rows of {table} for {which}"
    return found[0]


def total(result: Result, table: str, column: str) -> int:
    return sum(result.tables[table][column].to_pylist())


def share(result: Result, vc: str, rate: float, to: str | None = None) -> float:
    """Delivered cells as a fraction of what a line of `rate` bit/s carries."""
    which = {"vc": vc} if to is None else {"vc": vc, "destination": to}
    return row(result, "vcs", **which)["rate"] * 424 / rate


def cell_times(result: Result, vc: str, rate: float) -> Any:
    return result.delay(vc).values * rate / 424


def test_every_example_has_a_test_and_every_test_its_example() -> None:
    found = {path.name for path in EXAMPLES.glob("*.yaml")}
    assert len(found) >= 8
    assert found == TESTED
    source = "".join(path.read_text(encoding="utf-8") for path in EXAMPLES.parent.glob("tests/examples/test_*.py"))
    assert {name for name in found if f'example("{name}"' in source} == found


@pytest.mark.parametrize("name", sorted(TESTED))
def test_header_says_what_to_expect(name: str) -> None:
    header = re.match(r"(?:#.*\n)+", (EXAMPLES / name).read_text(encoding="utf-8"))
    assert header is not None
    parts = re.findall(r"^# (Question|Look at|Expect): \S", header.group(), re.MULTILINE)
    assert parts == ["Question", "Look at", "Expect"]


def test_video_and_data(example: Runner) -> None:
    result = example("video-and-data.yaml")
    assert row(result, "links", link="s1->s2")["utilisation"] > 0.9999
    assert total(result, "queues", "dropped") == 0
    held = row(result, "credits", vc="transfer", link="files->s1")
    assert held["n2"] + held["n3"] == 167
    assert result.series("queue", node="s1", vc="transfer").max() <= 167
    film = result.bandwidth("s1->s2", vc="film", window="500 cell_times")
    assert film.between(3.0e-3, 3.2e-3).mean() == pytest.approx(0.8, abs=0.02)
    both = (
        film.between(3.0e-3, 3.2e-3).mean()
        + result.bandwidth("s1->s2", vc="transfer", window="500 cell_times").between(3.0e-3, 3.2e-3).mean()
    )
    assert both == pytest.approx(1.0, abs=0.005)


def test_fair_share(example: Runner) -> None:
    result = example("fair-share.yaml")
    for vc, n3 in {"vc1": 155, "vc2": 113, "vc3": 63}.items():
        assert share(result, vc, 622.08e6) == pytest.approx(1 / 3, abs=1e-4)
        queue = result.series("queue", node="s1", vc=vc).between(0.01, result.end)
        assert n3 - 157 / 3 - 1 <= queue.min()
        assert queue.max() <= n3 - 157 / 3 + 10


def test_credit_loss(example: Runner) -> None:
    result = example("credit-loss.yaml")
    assert share(result, "absolute", 622.08e6) == pytest.approx(1 / 3, abs=0.001)
    assert share(result, "additive", 622.08e6) == 0.0
    assert result.series("credit", vc="additive").between(0.03, result.end).max() == 0.0
    assert total(result, "credits", "overflow") == 0
    assert row(result, "links", link="s1->a")["lost"] > 100


def test_multicast(example: Runner) -> None:
    result = example("multicast.yaml")
    assert row(result, "switches", node="s1")["peak"] <= 167 + 10  # and a few of the crossing VCs
    assert result.series("queue", node="s1", vc="tree").max() <= 167
    for k in range(1, 6):
        assert share(result, "tree", 622.08e6, f"b{k}") == pytest.approx(0.5, abs=0.001)
    free = example("multicast.yaml", "--set", "vcs.tree.credit=null")
    assert row(free, "switches", node="s1")["peak"] > 9000
    for k in range(1, 6):
        assert share(free, "tree", 622.08e6, f"b{k}") == pytest.approx(1 - k / 10, abs=0.001)


def test_nfs(example: Runner) -> None:
    plain = example("nfs.yaml")
    controlled = example("nfs.yaml", "--set", "vcs.nfs[1..10].credit={kind: n23, n2: 10 cells}")

    def calls(result: Result) -> list[dict[str, Any]]:
        return [one for one in result.vcs.to_pylist() if one["direction"] == "forward"]

    assert total(plain, "queues", "dropped") > 0
    assert total(plain, "vcs", "repeated") > 0
    assert min(one["responses"] for one in calls(plain)) <= 5
    assert max(one["responses"] for one in calls(plain)) > 200
    assert total(controlled, "queues", "dropped") == total(controlled, "vcs", "repeated") == 0
    assert max(one["longest_response"] for one in calls(controlled)) < 6e-3
    answers = [one["responses"] for one in calls(controlled)]
    assert max(answers) < 1.05 * min(answers)
    assert sum(answers) > 3 * sum(one["responses"] for one in calls(plain))


def test_multiplexing(example: Runner) -> None:
    def lost(*arguments: str) -> float:
        result = example("multiplexing.yaml", *arguments)
        assert total(result, "vcs", "sent") / (result.end * 155.52e6 / 424) == pytest.approx(0.8, rel=0.05)
        return total(result, "queues", "dropped") / total(result, "vcs", "sent")

    share_lost = lost()
    assert 0.002 < share_lost < 0.01 < 0.064
    assert lost("--set", "switches.s1.port.buffer=20 cells") > 3 * share_lost
    assert lost("--set", "switches.s1.port.buffer=2000 cells") == 0.0
    result = example("multiplexing.yaml")
    assert result.series("queue", node="s1", link="s1->sink").max() == 200


def test_voice(example: Runner) -> None:
    cell = 155.52e6 / 424
    means = []
    for seed in range(1, 31):
        result = example("voice.yaml", "--seed", str(seed))
        # Two cell times on the two lines, the rest is waiting. The last period: all trunks have started.
        waits = np.array([result.delay(f"voice{k}").values[-1] * cell - 2 for k in range(1, 25)])
        assert waits.max() < 23.001
        means.append(waits.mean())
    theory = queues.periodic_mean_wait(24, 30)
    assert f"{theory:.2f}" == "1.18"
    assert queues.md1_mean_wait(24 / 30) == pytest.approx(2.0)
    interval = mean_interval(means, 0.9999)
    assert theory in interval
    assert 2.0 not in interval


def test_trace_file(example: Runner) -> None:
    result = example("trace-file.yaml")
    video = row(result, "vcs", vc="video")
    assert (video["messages"], video["spoiled_messages"]) == (48, 0)
    assert video["delivered"] == 4 * 1390
    assert result.series("queue", node="s1").max() == 394
    assert 0.595 < row(result, "links", link="s1->viewer")["utilisation"] < 0.60


def test_priorities(example: Runner) -> None:
    line = 155.52e6
    result = example("priorities.yaml")
    for vc in ("high", "middle", "low"):
        books = row(result, "queues", vc=vc)
        assert books["dropped"] / books["arrived"] == pytest.approx(1 / 6, abs=0.02)
    # Two cell times of transmission are no waiting: one on the port's line, a quarter on the access line.
    assert (cell_times(result, "high", line) - 1.25).max() < 10
    assert (cell_times(result, "low", line) - 1.25).mean() > 100
    held = example("priorities.yaml", "--set", "vcs.low.credit={kind: n23}")
    assert total(held, "queues", "dropped") == 0
    assert share(held, "low", line) == pytest.approx(0.2, abs=0.01)
    assert share(held, "high", line) == pytest.approx(0.4, abs=0.01)


def test_fabric_link(example: Runner) -> None:
    result = example("fabric-link.yaml")
    loop = (2 * 150 + 2 * 4.24) / 4.24
    assert f"{loop:.1f}" == "72.8"
    assert share(result, "full", 100e9) == share(result, "lots", 100e9) == pytest.approx(1.0, abs=1e-4)
    assert share(result, "half", 100e9) == pytest.approx(37 / loop, abs=0.002)
    assert share(result, "half", 100e9) == pytest.approx(credit.greedy_rate(1, 36, loop - 1), abs=0.002)
    assert 0.25 <= share(result, "sized", 100e9) < 0.29
    sized = row(result, "credits", vc="sized")
    assert sized["n2"] + sized["n3"] == 29
    assert total(result, "queues", "dropped") == total(result, "credits", "overflow") == 0


def test_tcp_epd(example: Runner) -> None:
    bound = tcp.goodput_bound(149.76e6, 1460)
    assert f"{bound / 1e6:.1f}" == "128.9"

    def goodputs(*arguments: str) -> np.ndarray:
        rates = np.array(example("tcp-epd.yaml", *arguments).tcp["goodput"].to_pylist())
        assert rates.sum() <= bound
        return rates

    early = goodputs()
    assert early.sum() == pytest.approx(125e6, rel=0.02)
    assert early.min() > 2.5e6
    assert early.max() < 10e6
    tail = goodputs("--set", "switches.s1.ports.s2.discard={kind: tail_drop}")
    partial = goodputs("--set", "switches.s1.ports.s2.discard={kind: ppd}")
    assert jain_index(tail) < jain_index(partial) < jain_index(early)
    assert jain_index(early) > 0.9


def test_gfr(example: Runner) -> None:
    promised = {"gold": 75e6, "silver": 35e6, "bronze": 10e6}

    def rates(*arguments: str) -> dict[str, float]:
        result = example("gfr.yaml", *arguments)
        assert row(result, "links", link="s1->s2")["utilisation"] > 0.99
        return {vc: row(result, "vcs", vc=vc, direction="forward")["rate"] * 424 for vc in promised}

    fair = rates()
    assert all(fair[vc] >= rate for vc, rate in promised.items())
    assert list(fair.values()) == pytest.approx([92e6, 45e6, 13e6], rel=0.1)
    fifo = rates("--set", "switches.s1.ports.s2.schedule={kind: fifo}")
    assert fifo["gold"] < 75e6
    assert fifo["bronze"] > 30e6


def test_policing(example: Runner) -> None:
    def dropped(result: Result) -> dict[str, int]:
        return {vc: row(result, "queues", vc=vc)["dropped"] for vc in ("honest", "cheat", "other")}

    result = example("policing.yaml")
    policed = row(result, "policing", vc="cheat")
    assert policed["tagged"] == pytest.approx(policed["conforming"], abs=2)
    assert total(result, "policing", "tagged") == policed["tagged"]
    lost = dropped(result)
    assert lost["honest"] == lost["other"] == 0 < lost["cheat"]
    assert total(result, "queues", "dropped_clp0") == 0
    lost = dropped(example("policing.yaml", "--set", "vcs.cheat.police=null"))
    assert lost["honest"] + lost["other"] > lost["cheat"]
    result = example("policing.yaml", "--set", "vcs.cheat.police.action=discard")
    assert total(result, "queues", "dropped") == 0
    assert row(result, "vcs", vc="cheat")["rate"] * 424 == pytest.approx(30e6, rel=1e-3)


def test_abr_erica(example: Runner) -> None:
    result = example("abr-erica.yaml")
    for start, end, left in ((0.12, 0.15, 40e6), (0.27, 0.3, 80e6)):
        fair = (0.9 * 155.52e6 - left) / 3 / 424
        rates = [result.series("acr", vc=vc).between(start, end).mean() for vc in ("vc_near", "vc_middle", "vc_far")]
        assert rates == pytest.approx([rates[0]] * 3, rel=0.01)
        assert fair * 0.99 <= rates[0] <= fair * 1.1
        assert result.series("rate", quantity="fair_share").between(start, end).mean() == pytest.approx(fair, rel=0.01)
    queue = result.series("queue", node="s1", link="s1->b")
    assert queue.between(0.15, 0.2).max() > 50
    assert queue.between(0.25, 0.3).max() < 20


def test_uili_count_based(example: Runner) -> None:
    held = example("uili-count-based.yaml")
    free = example("uili-count-based.yaml", "--set", "vcs.vc[1..5].abr.uili={kind: none}")
    for k in range(1, 6):
        rate = held.series("acr", vc=f"vc{k}")
        assert rate.at(0.02) * 424 == pytest.approx(15e6, rel=0.05)
        assert rate.at(0.0999) * 424 == pytest.approx(15e6, rel=0.05)
        assert free.series("acr", vc=f"vc{k}").at(0.0999) * 424 == pytest.approx(140e6, rel=0.01)
    assert held.series("queue", node="s1", link="s1->s2").max() < 50
    assert free.series("queue", node="s1", link="s1->s2").max() > 3000


def test_parking_lot(example: Runner) -> None:
    def rates(result: Result) -> dict[str, float]:
        found = {vc: result.series("acr", vc=vc) for vc in ("long", "one", "two", "three", "four")}
        return {vc: series.between(0.1, 0.2).mean() * 424 / 1e6 for vc, series in found.items()}

    third = 0.9 * 155.52 / 3
    expected = {"long": third, "one": 2 * third, "two": third, "three": third, "four": 2 * third}
    assert rates(example("parking-lot.yaml")) == pytest.approx(expected, rel=0.02)
    default = rates(example("parking-lot.yaml", "--set", "switches.s[1..4].port.rate={kind: erica}"))
    assert all(0.98 <= default[vc] / fair <= 1.1 for vc, fair in expected.items())
    beaten = rates(example("parking-lot.yaml", "--set", "switches.s[1..4].port.rate={kind: relative_rate}"))
    assert beaten["long"] < 0.8 * beaten["two"]
