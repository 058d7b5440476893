"""Types as Flink itself extracted them: how programs spell them, and the shapes of the user's own classes in them."""

from typing import Any

from checker.extract.runtime.capture.jvm import java, private, user_loader
from checker.model.nested import Json

_MAX_CLASSES = 60
_LIBRARIES = ("java.", "javax.", "org.apache.flink.", "scala.", "kotlin.")


def type_of(information: Any) -> tuple[str | None, list[Json]]:
    """A ``TypeInformation`` as text, and the user's classes below it as ``classes`` of a topology document."""
    shapes: dict[str, Json] = {}
    return _spelled(information, shapes), [shapes[name] for name in sorted(shapes)]


def _types_of_class(name: str) -> tuple[str | None, list[Json]]:
    """The same for a class by name; only its name where Flink can't extract it."""
    import jpype

    try:
        loader = user_loader()
        cls = java("java.lang.Class").forName(name, False, loader)
        extractor = java("api.java.typeutils.TypeExtractor")
        return type_of(extractor.createTypeInfo(cls))
    except jpype.JException:
        return name, []


def _spelled(information: Any, shapes: dict[str, Json]) -> str | None:
    kind = str(information.getClass().getSimpleName())
    cls = information.getTypeClass()
    name = str(cls.getName())
    if kind in ("ListTypeInfo", "NullableListTypeInfo", "NullableSetTypeInfo"):
        return f"{kind.removesuffix('TypeInfo')}<{_spelled(information.getElementTypeInfo(), shapes)}>"
    if kind in ("MapTypeInfo", "NullableMapTypeInfo"):
        parts = (information.getKeyTypeInfo(), information.getValueTypeInfo())
        return f"{kind.removesuffix('TypeInfo')}<{', '.join(str(_spelled(part, shapes)) for part in parts)}>"
    if kind == "TupleTypeInfo":
        parts = tuple(information.getTypeAt(place) for place in range(int(information.getArity())))
        return f"{cls.getSimpleName()}<{', '.join(str(_spelled(part, shapes)) for part in parts)}>"
    if kind in ("PojoTypeInfo", "GenericTypeInfo", "EnumTypeInfo"):
        if not name.startswith(_LIBRARIES) and name not in shapes and len(shapes) < _MAX_CLASSES:
            shapes[name] = {"name": name, "serialization": _SERIALIZATIONS[kind]}
            shapes[name].update(_written(information, cls, kind, shapes))
        return f"GenericType<{name}>" if kind == "GenericTypeInfo" and name.startswith(_LIBRARIES) else name
    if kind == "ObjectArrayTypeInfo":
        return f"{_spelled(information.getComponentInfo(), shapes)}[]"
    plain = kind in ("BasicTypeInfo", "BasicArrayTypeInfo")
    return str(cls.getSimpleName()) if plain else str(information.toString())


_SERIALIZATIONS = {"PojoTypeInfo": "pojo", "GenericTypeInfo": "generic", "EnumTypeInfo": "enum"}


def _written(information: Any, cls: Any, kind: str, shapes: dict[str, Json]) -> Json:
    if kind == "EnumTypeInfo":
        return {"constants": [str(constant.name()) for constant in cls.getEnumConstants()]}
    written, unwritten = _declared(cls)
    if kind == "PojoTypeInfo":
        fields = []
        for place in range(int(information.getArity())):
            field = information.getPojoFieldAt(place)
            part = field.getTypeInformation()
            spelled = str(_spelled(part, shapes))
            if spelled.startswith("GenericType<"):  # with the type arguments that Kryo does not ask for
                spelled = f"GenericType<{field.getField().getGenericType().getTypeName()}>"
            fields.append(_field(field.getField(), spelled, cls))
        return {"fields": sorted(fields, key=_order), "unwritten": unwritten}
    return {"fields": written, "unwritten": unwritten}


def _declared(cls: Any) -> tuple[list[Json], list[Json]]:
    """All fields of a class and its superclasses: those that are written, and the static and transient ones."""

    modifier = java("java.lang.reflect.Modifier")
    written: list[Json] = []
    unwritten: list[Json] = []
    owner = cls
    while owner is not None and not str(owner.getName()).startswith(_LIBRARIES):
        for field in owner.getDeclaredFields():
            if field.isSynthetic():
                continue
            skipped = modifier.isStatic(field.getModifiers()) or modifier.isTransient(field.getModifiers())
            (unwritten if skipped else written).append(_field(field, str(field.getGenericType().getTypeName()), cls))
        owner = owner.getSuperclass()
    return sorted(written, key=_order), sorted(unwritten, key=_order)


def _field(field: Any, type_: str, cls: Any) -> Json:
    owner = str(field.getDeclaringClass().getName())
    record: Json = {"name": str(field.getName()), "type": type_}
    return record if owner == str(cls.getName()) else {**record, "declared_by": owner}


def _order(field: Json) -> tuple[str, str]:
    return field["name"], field.get("declared_by") or ""


_BASIC = {"Int": "Integer", "Char": "Character", "BigDec": "BigDecimal", "BigInt": "BigInteger"}


def type_of_serializer(serializer: Any) -> tuple[str | None, list[Json]]:
    """The type that a serializer writes, where its class or its fields show it."""
    name = str(serializer.getClass().getName())
    simple = name.rpartition(".")[2]
    if simple == "KryoSerializer":
        return type_of(java("api.java.typeutils.GenericTypeInfo")(private(serializer, "type")))
    if simple in ("PojoSerializer", "EnumSerializer"):
        cls = private(serializer, "clazz" if simple == "PojoSerializer" else "enumClass")
        return (None, []) if cls is None else _types_of_class(str(cls.getName()))
    if simple == "RowDataSerializer":
        return f"RowData({', '.join(str(part.toString()) for part in private(serializer, 'types'))})", []
    nested = _nested(serializer, simple)
    if nested:
        parts = [type_of_serializer(part) for part in nested]
        if any(text is None for text, _ in parts):
            return None, []
        spelled = ", ".join(str(text) for text, _ in parts)
        classes = {found["name"]: found for _, more in parts for found in more}
        tuple_ = private(serializer, "tupleClass") if simple != "RowSerializer" else None
        outer = simple.removesuffix("Serializer") if tuple_ is None else str(tuple_.getSimpleName())
        return f"{outer}<{spelled}>", [classes[key] for key in sorted(classes)]
    if name.startswith("org.apache.flink.api.common.typeutils.base."):
        plain = simple.removesuffix("Serializer")
        return _BASIC.get(plain, plain), []
    return None, []


def kept_types(kind: str, value: Any, key: Any = None) -> Json:
    """The types of what a state's serializers write: of a list the element's, of a map the key's and the value's."""
    if kind == "list":
        value = value.getElementSerializer()
    elif kind == "map":
        key, value = value.getKeySerializer(), value.getValueSerializer()
    ttl = "Ttl" in str(value.getClass().getSimpleName())
    if ttl:
        value = private(value, "fieldSerializers")[1]
    value_type, classes = type_of_serializer(value)
    key_type, more = (None, []) if key is None else type_of_serializer(key)
    return {
        "key_type": key_type,
        "value_type": value_type,
        "serializer": str(value.getClass().getName()) if value_type is None else None,
        "ttl": ttl,
        "classes": [*classes, *(found for found in more if found not in classes)],
    }


def _nested(serializer: Any, simple: str) -> list[Any]:
    """The serializers of the parts of lists, maps, tuples, rows and their like."""
    if simple == "ListSerializer":
        return [serializer.getElementSerializer()]
    if simple == "MapSerializer":
        return [serializer.getKeySerializer(), serializer.getValueSerializer()]
    parts = private(serializer, "fieldSerializers")
    return [] if parts is None else list(parts)
