"""Names of unknown values: equal where the values are."""

from __future__ import annotations

import hashlib

MAX_SYMBOL = 200


def short(symbol: str) -> str:
    """The symbol itself, or a digest of one that has grown long by being built of others."""
    if len(symbol) <= MAX_SYMBOL:
        return symbol
    digest = hashlib.blake2b(symbol.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return f"{symbol[:60]}…{digest}"
