"""Kalyanaraman, Jain, Goyal, Fahmy and Samudra: use-it-or-lose-it policies for ABR, 1998."""

from cellway.papers.item import Paper
from cellway.papers.uili import (
    fig_04,
    fig_06a,
    fig_06b,
    fig_06c,
    fig_06d,
    fig_06e,
    fig_10,
    fig_11,
    fig_12,
    sec_5_5,
    sec_6,
    table_1,
)

PAPER = Paper(
    name="uili",
    citation=(
        "S. Kalyanaraman, R. Jain, R. Goyal, S. Fahmy and P. Samudra, Use-it-or-lose-it policies for the available bit"
        " rate (ABR) service in ATM networks, Computer Networks and ISDN Systems 30 (1998)"
    ),
    setting=(
        "Links of 155.52 Mbit/s; ERICA in every port, target utilisation 0.9, averaging intervals of 1 ms or 100 cells,"
        " whichever ends first. TDF = 1/8 for all policies; the defaults of TM 4.0 where the paper gives nothing."
        " Rates count whole cells, RM cells included."
    ),
    items=(
        table_1.ITEM,
        fig_04.ITEM,
        sec_5_5.ITEM,
        sec_6.ITEM,
        fig_06a.ITEM,
        fig_06b.ITEM,
        fig_06c.ITEM,
        fig_06d.ITEM,
        fig_06e.ITEM,
        fig_10.ITEM,
        fig_11.ITEM,
        fig_12.ITEM,
    ),
)
