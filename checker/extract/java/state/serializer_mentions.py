"""Which files of a revision mention settings of serializers."""

from __future__ import annotations

import re

KEYS = re.compile(
    rb"(?:pipeline\.)?(?:force-kryo|force-avro|serialization-config|default-kryo-serializers|registered-kryo-types)"
    rb"|enableForce(?:Kryo|Avro)|setForce(?:Kryo|Avro)|FORCE_KRYO|FORCE_AVRO|registerTypeWithKryoSerializer"
    rb"|addDefaultKryoSerializer|SERIALIZATION_CONFIG|KRYO_DEFAULT_SERIALIZERS|KRYO_REGISTERED_CLASSES"
)
_MAX_BYTES = 2_000_000


def mentions_serializers(data: bytes) -> bool:
    """Whether a file mentions such a setting."""
    return len(data) < _MAX_BYTES and KEYS.search(data) is not None
