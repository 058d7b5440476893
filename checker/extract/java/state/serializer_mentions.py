"""Which files of a revision mention settings of serializers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from checker.extract.consulted import Facts, listing_of
from checker.extract.java.syntax.paths import in_tests
from checker.model.sources import SourceFiles

KEYS = re.compile(
    rb"(?:pipeline\.)?(?:force-kryo|force-avro|serialization-config|default-kryo-serializers|registered-kryo-types)"
    rb"|enableForce(?:Kryo|Avro)|setForce(?:Kryo|Avro)|FORCE_KRYO|FORCE_AVRO|registerTypeWithKryoSerializer"
    rb"|addDefaultKryoSerializer|SERIALIZATION_CONFIG|KRYO_DEFAULT_SERIALIZERS|KRYO_REGISTERED_CLASSES"
)
_RESOURCES = (".yaml", ".yml", ".conf", ".properties", ".tpl", ".toml", ".json")
_MAX_BYTES = 2_000_000
_MENTIONS = Facts("serializer settings", lambda data: (int(len(data) < _MAX_BYTES and KEYS.search(data) is not None),))


def mentioning(files: SourceFiles) -> Iterator[str]:
    """Sources of programs and resources that mention such a setting, sorted."""
    java = listing_of(files).java
    others = (path for path in files.paths() if path.endswith(_RESOURCES))
    paths = sorted(path for path in (*java, *others) if not in_tests(path))
    return (path for path, (mentions,) in _MENTIONS.of(files, paths).items() if mentions)
