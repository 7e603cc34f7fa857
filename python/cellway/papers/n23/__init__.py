"""Kung, Morris, Charuhas and Lin: credit-based, link-by-link flow control (N23), 1993."""

from cellway.papers.item import Paper
from cellway.papers.n23 import fig_06, fig_08, fig_10, fig_12, fig_15, fig_18, fig_20, fig_21, fig_23, sec_4_5, sec_8_3

PAPER = Paper(
    name="n23",
    citation=(
        "H. T. Kung, R. Morris, T. Charuhas and D. Lin, Use of Link-by-Link Flow Control in Maximizing ATM Network"
        " Performance: Simulation Results, 1993"
    ),
    setting=(
        "R = 155 cell times and N2 = 10 throughout. Links of 622.08 Mbit/s with 77 cell times of propagation: with one"
        " cell time of transmission each way a loop of 156 cell times, which is the paper's R = 155 counted in whole"
        " slots. Sources start at random phases within a cell time."
    ),
    items=(
        fig_06.ITEM,
        fig_08.ITEM,
        fig_10.ITEM,
        fig_12.ITEM,
        fig_15.ITEM,
        fig_18.ITEM,
        fig_20.ITEM,
        fig_21.ITEM,
        fig_23.ITEM,
        sec_4_5.ITEM,
        sec_8_3.ITEM,
    ),
)
