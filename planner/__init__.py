"""Plan GPU memory and cost: pure arithmetic over dated facts.

Nothing below this package knows a human language, Telegram, a database or a clock:
dates and prices are passed in, typed values come out.  Units: GB = 10**9 bytes,
GiB = 2**30 bytes, parameters in billions (``params_b``), money in ``Decimal`` US dollars.
"""
