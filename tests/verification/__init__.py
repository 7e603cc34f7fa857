"""The engine against closed forms: nothing here is judged by eye.

Every comparison is a confidence interval at `agreement.CONFIDENCE` = 99.99 %, from as many independent observations as
the test names. Seeds are fixed, so a test either always passes or never; with other seeds one comparison in 10 000
would fail although the engine is right, and there are some 150 of them. That the intervals are narrow enough to mean
something is shown each time: the same interval must exclude a theory that is slightly wrong on purpose.
"""
