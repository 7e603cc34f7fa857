"""Papers: their figures and tables as items, reproduced and judged against bands that were written down before."""
