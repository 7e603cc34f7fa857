"""Goyal, Jain, Fahmy, Vandalore and Kalyanaraman: minimum rate guarantees to ATM UBR (GFR), 1998."""

from cellway.papers.gfr import fig_03, fig_04, fig_05, table_1
from cellway.papers.item import Paper

PAPER = Paper(
    name="gfr",
    citation=(
        "R. Goyal, R. Jain, S. Fahmy, B. Vandalore and S. Kalyanaraman, Design Issues for Providing Minimum Rate"
        " Guarantees to the ATM Unspecified Bit Rate Service, 1998"
    ),
    setting=(
        "N greedy SACK TCP sources over two switches; every link 5 ms and 149.7 Mbit/s of cells; segments of 1024"
        " bytes (23 cells), windows of 600 000 bytes, an acknowledgement for each segment, 20 s from the first segment"
        " on. The protocols allow 125.75 Mbit/s of goodput."
    ),
    items=(fig_03.ITEM, fig_04.ITEM, fig_05.ITEM, table_1.ITEM),
)
