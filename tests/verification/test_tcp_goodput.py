"""TCP against what the protocols and the square-root law allow."""

import numpy as np
import pytest

import cellway
from cellway.papers.measurement import values
from cellway.result import Result
from cellway.scenario import VC, Link, RandomLossImpairment, Scenario, TcpTraffic
from cellway.theory.tcp import goodput_bound, mathis_goodput, segment_cells, window_bound

LINE = 155_520_000


def run(
    mss: int = 1024,
    delay: str = "5 ms",
    window: str = "600000 B",
    loss: float = 0.0,
    duration: str = "4 s",
    **more: object,
) -> Result:
    """One connection over one switch; cells of the last link may be lost."""
    impairments = [RandomLossImpairment(probability=loss)] if loss else []
    return cellway.run(
        Scenario(
            rate=f"{LINE} bit/s",
            duration=duration,
            warmup="1 s",
            switches=["s"],
            hosts=["a", "b"],
            links=[
                Link(between=["a", "s"], delay=delay),
                Link(**{"from": "s", "to": "b"}, delay=delay, impairments=impairments),
                Link(**{"from": "b", "to": "s"}, delay=delay),
            ],
            vcs={
                "v": VC(from_="a", to="b", traffic=TcpTraffic(mss=f"{mss} B", window=window, delayed_ack=False, **more))
            },
        )
    )


def goodput(result: Result) -> float:
    return float(values(result.tables["tcp"], "goodput").sum())


@pytest.mark.parametrize("mss", [256, 1024, 1460])
def test_a_lossless_line_carries_the_protocol_bound(mss: int) -> None:
    """The line is full from end to end: the host's queue bridges everything."""
    assert goodput(run(mss)) == pytest.approx(goodput_bound(LINE, mss), rel=1e-3)


def test_llc_snap_costs_a_cell_where_it_does_not_fit() -> None:
    assert segment_cells(1056, True) == segment_cells(1056) + 1
    assert goodput(run(1056, llc_snap=True)) == pytest.approx(goodput_bound(LINE, 1056, True), rel=1e-3)


def test_a_small_window_is_the_limit_of_a_long_path() -> None:
    """A window each round trip: four propagations of 20 ms, two cells' and the frame's transmission."""
    window = 64 * 1024
    cell = 424 / LINE
    trip = 0.080 + (segment_cells(1024) + 3) * cell
    # 200 round trips: a window more or less is half a percent.
    measured = goodput(run(1024, delay="20 ms", window=f"{window} B", duration="17 s"))
    assert measured == pytest.approx(window_bound(window, trip), rel=0.006)


@pytest.mark.parametrize("loss", [3e-4, 1e-3, 3e-3])
def test_goodput_under_random_loss_follows_the_square_root_law(loss: float) -> None:
    """Within 25 %: the law knows neither time-outs nor the exact recovery."""
    mss, delay = 536, 0.010
    frame = segment_cells(mss)
    cell_loss = 1 - (1 - loss) ** (1 / frame)
    rates = [goodput(run(mss, "10 ms", loss=cell_loss, duration="61 s", phase=f"{seed} ms")) for seed in range(1, 4)]
    trip = 4 * delay + (frame + 3) * 424 / LINE
    assert np.mean(rates) == pytest.approx(mathis_goodput(mss, trip, loss), rel=0.25)
