"""Cellway: simulate ATM networks cell by cell and compare their flow control with five published papers."""

__version__ = "0.1.0"

__all__ = ["__version__"]
