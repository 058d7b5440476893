"""The states that the recorded jobs register, from the options they were started with (see the recorded ``job``)."""

from __future__ import annotations

from typing import Any

FULL = "val:long:val,list:string:lst,map::mp,red::red,agg::agg,timers"
_SPECS = {
    "keyed": {"kp": FULL},
    "pojo": {"kp": "val:pojo:person,val2::"},
    "ttl": {"kp": "val:long:val"},
    "op": {"opf": "list:olist,union:ounion,bc:obc"},
}
_TYPES = {"long": "Long", "int": "Integer", "string": "String", "pojo": "Person", "kryo": "Blob", "tuple": "Tuple2"}


def options_of(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",") if part)
    return {key: value.replace("%2C", ",") for key, _, value in pairs}


def _keyed(spec: str) -> list[dict[str, Any]]:
    states: list[dict[str, Any]] = []
    for part in spec.split(","):
        kind, *rest = part.split(":")
        if kind == "val":
            ttl = len(rest) > 2 and rest[2] == "ttl"
            states.append({"name": rest[1], "kind": "value", "value_type": _TYPES[rest[0]], "ttl": ttl})
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


def with_states(graph: dict[str, Any], job: str, options: str) -> dict[str, Any] | None:
    """The recorded job graph with the states its stateful operator registers; None for other jobs."""
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
                    states = _operator(asked) if tag == "opf" else _keyed(asked)
                    operator = {**operator, "states": states}
                    if tag == "kp":
                        operator["key_type"] = {"string": "String", "int": "Integer"}.get(
                            given.get("key.kp", ""), "Long"
                        )
            operators.append(operator)
        vertices.append({**vertex, "operators": operators})
    return {"vertices": vertices}
