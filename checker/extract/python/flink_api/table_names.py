"""What PyFlink's Table API calls by other words than Java's."""

from __future__ import annotations

_NAMES = {
    "from_path": "from", "alias": "as", "col": "$", "to_pandas": "execute", "create_temporary_system_function":
    "createTemporarySystemFunction", "create_java_temporary_function": "createTemporaryFunction",
    "create_java_temporary_system_function": "createTemporarySystemFunction", "and_": "and", "or_": "or",
    "not_": "not", "range_": "range", "attach_as_datastream": "attachAsDataStream", "over_window": "window",
}  # fmt: skip
"""Methods that Java calls otherwise than by the same words."""
PROPERTIES = frozenset(
    {"exp", "log10", "log2", "ln", "sqrt", "cosh", "sinh", "tanh", "cot", "asin", "acos", "atan", "sin", "cos", "tan",
     "degrees", "radians", "bin", "hex", "unhex", "abs", "sign", "md5", "sha1", "sha224", "sha256", "sha384", "sha512",
     "is_null", "is_not_null", "is_true", "is_false", "is_not_true", "is_not_false", "distinct", "sum", "sum0", "min",
     "max", "count", "avg", "first_value", "last_value", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "collect",
     "asc", "desc", "start", "end", "rowtime", "proctime", "year", "years", "quarter", "quarters", "month", "months",
     "week", "weeks", "day", "days", "hour", "hours", "minute", "minutes", "second", "seconds", "milli", "millis",
     "char_length", "upper_case", "lower_case", "init_cap", "ascii", "chr", "from_base64", "to_base64", "ltrim",
     "rtrim", "to_date", "to_time", "to_timestamp", "rows", "range", "cardinality", "element", "flatten", "log",
     "map_keys", "map_values", "map_entries", "url_encode", "url_decode", "array_max", "array_min"}
)  # fmt: skip
"""What PyFlink's expressions have as properties, Java's as methods."""
TABLE_METHODS = frozenset(
    {"select", "alias", "filter", "where", "group_by", "distinct", "join", "left_outer_join", "right_outer_join",
     "full_outer_join", "join_lateral", "left_outer_join_lateral", "minus", "minus_all", "union", "union_all",
     "intersect", "intersect_all", "order_by", "offset", "fetch", "limit", "window", "over_window", "add_columns",
     "add_or_replace_columns", "rename_columns", "drop_columns", "map", "flat_map", "aggregate", "flat_aggregate",
     "execute_insert", "execute", "insert_into", "print_schema", "get_schema", "get_resolved_schema", "explain",
     "print_explain", "to_pandas", "cache"}
)  # fmt: skip
"""Methods of PyFlink's tables; other names are columns."""


def java_name(name: str) -> str:
    """The method of Java's Table API that one of PyFlink's calls."""
    if name in _NAMES:
        return _NAMES[name]
    if name.isupper():  # a type or unit, such as TIMESTAMP_LTZ
        return name
    first, *rest = name.strip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)
