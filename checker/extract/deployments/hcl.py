"""Files of Terraform as tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=256)
def parsed(text: str) -> Mapping[str, Any]:
    """The blocks of a file by their types; none of a file that does not parse."""
    # Their import takes longer than most commands take to read such files, and few repositories have any.
    import hcl2
    from hcl2.utils import SerializationOptions
    from lark.exceptions import LarkError

    options = SerializationOptions(with_comments=False, explicit_blocks=False, strip_string_quotes=True)
    try:
        return dict(hcl2.loads(text, serialization_options=options))
    except (LarkError, ValueError, RecursionError):
        return {}
