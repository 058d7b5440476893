"""The states that the recorded jobs register, from the options they were started with (see the recorded ``job``)."""

from typing import Any

FULL = "val:long:val,list:string:lst,map::mp,red::red,agg::agg,timers"
_SPECS = {
    "keyed": {"kp": FULL},
    "pojo": {"kp": "val:pojo:person,val2::"},
    "kryo": {"kp": "val:kryo:blob"},
    "ttl": {"kp": "val:long:val"},
    "op": {"opf": "list:olist,union:ounion,bc:obc"},
}
_PERSONS: dict[int, dict[str, Any]] = {
    1: {"serialization": "pojo", "fields": [("age", "int"), ("name", "String")]},
    2: {"serialization": "pojo", "fields": [("name", "String"), ("nick", "String"), ("since", "long")]},
    3: {"serialization": "pojo", "fields": [("age", "String"), ("name", "String")]},
    4: {"serialization": "generic", "fields": [("age", "int"), ("name", "String")]},
}
"""The class in state in its four versions (recorded as ``pojo_variant``); the last has no constructor for a POJO."""
_BLOB = {"name": "lab.Fn$Blob", "serialization": "generic", "fields": [{"name": "t", "type": "String"}]}
_WINDOWS = {"Agg": "aggregating", "Session": "reducing", "List": "list"}
"""What the windows of job ``window`` keep their contents in, by the operator's name."""
_TYPES = {"long": "Long", "int": "Integer", "string": "String", "pojo": "Person", "kryo": "Blob", "tuple": "Tuple2"}


def options_of(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",") if part)
    return {key: value.replace("%2C", ",") for key, _, value in pairs}


def _person(variant: int) -> dict[str, Any]:
    shape = _PERSONS[variant]
    fields = [{"name": name, "type": kind} for name, kind in shape["fields"]]
    return {"name": "lab.Person", "serialization": shape["serialization"], "fields": fields}


def _keyed(spec: str, person: int) -> list[dict[str, Any]]:
    states: list[dict[str, Any]] = []
    for part in spec.split(","):
        kind, *rest = part.split(":")
        if kind == "val":
            ttl = len(rest) > 2 and rest[2] == "ttl"
            classes = [_person(person)] if rest[0] == "pojo" else [_BLOB] if rest[0] == "kryo" else []
            state = {"name": rest[1], "kind": "value", "value_type": _TYPES[rest[0]], "ttl": ttl, "classes": classes}
            states.append(state)
        elif kind == "list":
            element = "Long" if rest[0] == "long" else "String"
            states.append({"name": rest[1], "kind": "list", "value_type": element, "ttl": False})
        elif kind == "map":
            states.append({"name": rest[1], "kind": "map", "key_type": "String", "value_type": "Long", "ttl": False})
        elif kind in ("red", "agg"):
            word = "reducing" if kind == "red" else "aggregating"
            states.append({"name": rest[1], "kind": word, "value_type": "Long", "ttl": False})
        elif kind == "timers":
            states.append({"name": "timers", "kind": "timers"})
    return states


def _operator(spec: str) -> list[dict[str, Any]]:
    kinds = {"list": "operator-list", "union": "operator-union-list", "bc": "broadcast"}
    states = []
    for part in spec.split(","):
        kind, name, *rest = part.split(":")
        value = "Long" if kind == "bc" or rest == ["long"] else "String"
        states.append(
            {"name": name, "kind": kinds[kind], "value_type": value, "key_type": "String" if kind == "bc" else None}
        )
    return states


def with_states(graph: dict[str, Any], job: str, options: str, person: int) -> dict[str, Any] | None:
    """The recorded job graph with the states its stateful operator registers; None for other jobs."""
    if job == "window":
        return _with_window_states(graph)
    specs = _SPECS.get(job)
    if specs is None:
        return None
    given = options_of(options)
    vertices = []
    for vertex in graph["vertices"]:
        operators = []
        for operator in vertex["operators"]:
            for tag, spec in specs.items():
                if operator["uid"] == given.get(f"uid.{tag}", tag) or operator["name"] == f"Keyed {tag}":
                    asked = given.get(f"spec.{tag}", spec)
                    if job == "pojo" and asked == spec:
                        asked = "val:pojo:person"
                    states = _operator(asked) if tag == "opf" else _keyed(asked, person)
                    operator = {**operator, "states": states}
                    if tag == "kp":
                        operator["key_type"] = {"string": "String", "int": "Integer"}.get(
                            given.get("key.kp", ""), "Long"
                        )
            operators.append(operator)
        vertices.append({**vertex, "operators": operators})
    return {"vertices": vertices}


def _with_window_states(graph: dict[str, Any]) -> dict[str, Any]:
    vertices = []
    for vertex in graph["vertices"]:
        operators = []
        for operator in vertex["operators"]:
            kind = _WINDOWS.get(operator["name"])
            if kind is not None:
                contents = {"name": "window-contents", "kind": kind, "value_type": "Long", "ttl": False}
                extra = [{"name": "pw-global", "kind": "value", "value_type": "Long"}] if kind == "list" else []
                operator = {**operator, "states": [contents, *extra]}
            operators.append(operator)
        vertices.append({**vertex, "operators": operators})
    return {"vertices": vertices}
