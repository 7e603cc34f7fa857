"""What theory says a simulation must show: queues, credits, fair shares, goodput.

Nothing here knows the engine. Each function is a closed form or an exact recursion with its source, so that a
simulated result can be compared with something that shares no code with it.

- :mod:`cellway.theory.queues`: M/D/1, Geo^N/D/1 and N*D/D/1, the three classic models of one ATM output port.
- :mod:`cellway.theory.credit`: sizes and bounds of N23 credit-based flow control.
- :mod:`cellway.theory.fairness`: max-min fair allocation by water-filling, Jain's index.
- :mod:`cellway.theory.tcp`: cells of segments, bounds on goodput, the law of 1/sqrt(p).
"""
