"""What each operator of a plan computes and keeps, in words that survive renaming: columns as where they come from.

Flink describes an operator by the names that its input gives to columns, which an alias or another view changes. Here a
name is replaced by what it stands for, down to the columns of the tables, and results lose their names. What does not
concern kept state (columns passed through, input specifications) is left out.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from checker.model.declared_state import Meaning, TableColumns
from checker.model.nested import gathered, split_list

Node = Mapping[str, Any]

_NUMBER = re.compile(r"^\[\d+\]:")
_NAME = re.compile(r"'[^']*'|[A-Za-z_$][\w$]*")
_WINDOW_NAME = re.compile(r"\('[\w$]+(?=[,)])")
"""The name of a group window, which no quote ends."""
_EQUAL = re.compile(r"\(([^=<>,]{1,500}?) = ([^=<>,]{1,500}?)\)")
_FILTER = re.compile(r" FILTER ([\w$]+)")
_FILTERED = re.compile(r" FILTER {[^{}]*}")
"""What an accumulator is the same without."""
_ALIAS = re.compile(r"(?P<what>.*) AS (?P<alias>[\w$]+)", re.DOTALL)
_SET_NUMBER = re.compile(r"(?<!\d)(\d+) AS (\$e\w*)")
_OF_WINDOW = ("slice_end(", "start(", "end(", "rowtime(", "proctime(")
"""What a window aggregation gives on of its window."""
_IN_TIME_ZONE = re.compile(
    r"\b(?:TO_TIMESTAMP_LTZ|PROCTIME|FROM_UNIXTIME|UNIX_TIMESTAMP|CURRENT_DATE|CURRENT_TIME|LOCALTIME|LOCALTIMESTAMP"
    r"|NOW)\("
)
"""What is of the session's time zone, or becomes it where its days and hours are asked for."""
_KEEP_ROWS = ("Join", "IntervalJoin", "TemporalJoin", "WindowJoin", "MultiJoin", "Rank", "WindowRank", "SortLimit",
              "TemporalSort", "WindowDeduplicate", "ChangelogNormalize", "Match", "SinkMaterializer")  # fmt: skip
"""What keeps the rows that it gets, with all of their columns."""
_NOT_MEANT = frozenset(
    {"select", "fields", "leftInputSpec", "rightInputSpec", "strategy", "outputInsertOnly", "table",
     "updateAsRetraction", "generateUpdateBefore", "changelogMode", "miniBatch", "interval", "mode", "hints", "where",
     "measures", "properties"}
)  # fmt: skip
_KEEP_NOTHING = ("TableSourceScan", "Calc", "DropUpdateBefore", "MiniBatchAssigner", "ConstraintEnforcer",
                 "WatermarkAssigner", "StreamRecordTimestampInserter", "Sink", "Expand", "Exchange", "LookupJoin",
                 "AsyncCalc", "MLPredict", "Correlate", "PythonCorrelate", "WindowTableFunction",
                 "Local", "Incremental")  # fmt: skip
"""What hands rows on as they come: they have no meaning of their own, but theirs decides which rows others keep."""
_DECIDES_ON_ROWS = ("where", "joinType", "lookup", "invocation")
_PUSHED_DOWN = re.compile(r"filter=\[(.*)\]")
"""The filter of a source, in the description of its table."""


@dataclass(frozen=True, slots=True)
class Description:
    """An operator's description, taken apart: ``GroupAggregate`` and its attributes."""

    kind: str
    attributes: Mapping[str, str]

    def items(self, name: str) -> list[str]:
        """The elements of a list attribute."""
        return split_list(self.attributes.get(name, ""))


def parse(description: str) -> Description:
    """``[4]:GroupAggregate(groupBy=[k], select=[…])``; a text of another form is a kind without attributes."""
    text = _NUMBER.sub("", description.strip()).removeprefix(":").replace("[ RANG ", "[ RANGE ")  # so until 1.20
    text = _FILTER.sub(r" FILTER {\1}", _WINDOW_NAME.sub("(w", text))
    kind, opened, rest = text.partition("(")
    if not opened or not rest.endswith(")") or not re.fullmatch(r"[\w\[]+", kind):
        return Description(re.sub(r"\[\d+\]", "", text), {})
    attributes = {}
    for part in split_list(rest[:-1]):
        name, equals, value = part.partition("=")
        if equals and re.fullmatch(r"\w+", name):
            attributes[name] = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    return Description(kind.rpartition("[")[2], attributes)


class Lineage:
    """Node by node in the order of the plan: the columns that each gives on, and what it means."""

    def __init__(
        self,
        tables: Mapping[str, str],
        columns: Mapping[str, Sequence[str]] | None = None,
        by_place: Collection[str] = (),
        time_zone: str | None = None,
    ) -> None:
        """``tables``: what identifies the data of a source's table, by its name; empty where nothing does.

        ``columns`` of a table are needed where a source's description lists none, as its connector wrote it.
        ``by_place`` are tables whose format knows columns by their place and not by their name.
        ``time_zone`` is that of the session, where the script sets one.
        """
        self._tables = tables
        self._columns_of = columns or {}
        self._by_place = by_place
        self._time_zone = time_zone
        self._columns: dict[int, list[tuple[str, str]]] = {}
        self._conditions: dict[int, tuple[str, ...]] = {}
        """Node → what decided on the rows that it gives on since they were kept last."""
        self._read: list[TableColumns] = []

    def meaning(self, node: Node) -> Meaning | None:
        """What the operator computes; None where it keeps nothing that depends on it."""
        described = parse(node.get("description") or node["name"] or "")
        rows = self._rows_into(node)
        inputs = [column for row in rows for column in row]
        conditions = self._conditions_into(node)
        self._conditions[node["id"]] = tuple(found for of_input in conditions for found in of_input)
        if not described.attributes:
            self._columns[node["id"]] = inputs or self._read_from(named_by_connector(node["name"]))
            return None
        known = self._known(inputs, described)
        self._columns[node["id"]] = self._given_on(described, inputs, known)
        if described.kind.startswith(_KEEP_NOTHING) and described.kind not in _KEEP_ROWS:
            self._conditions[node["id"]] += tuple(_decided(described, known))
            return None
        self._conditions[node["id"]] = ()
        parts = [f"{n}=[{_resolved(v, known)}]" for n, v in described.attributes.items() if n not in _NOT_MEANT]
        if node.get("within"):
            parts.append(f"within=[{node['within']} ms]")
        keys = zip(rows, node.get("key_fields", ()), strict=False)
        keeps = [_listed(row[n] for n in places if n < len(row)) for row, places in keys if places is not None]
        if described.kind.endswith("Aggregate") and node.get("accumulators") != []:
            aggregates = ", ".join(_aggregates(described, known))
            parts.append(f"select=[{aggregates}]")
            keeps.append(", ".join(node.get("accumulators") or [_FILTERED.sub("", aggregates)]))
        if described.kind.endswith("Join"):
            parts.append(f"where=[{_conditions(described, known)}]")
        if described.kind in _KEEP_ROWS or _keeps_rows(node, described, known):
            keeps += map(_listed, rows)
        computes = f"{described.kind}({', '.join(parts)})"
        filters = () if described.kind == "SinkMaterializer" else tuple(map(" AND ".join, conditions))
        whole = "; ".join([computes, *keeps, *filters])
        zone = f" in {self._time_zone}" if self._time_zone and _IN_TIME_ZONE.search(whole) else ""
        tables = (table for table in self._read if any(table.named(column) in whole for column in table.columns))
        return Meaning(
            computes=computes + zone, keeps=tuple(keeps), filters=filters if any(filters) else (), tables=tuple(tables)
        )

    def _conditions_into(self, node: Node) -> list[tuple[str, ...]]:
        """What decided on the rows of each input; of those that are united, what did on each."""
        into = []
        for sources in _by_input(node).values():
            united = sorted({self._conditions.get(source, ()) for source in sources})
            into.append(united[0] if len(united) == 1 else (" | ".join(" AND ".join(each) for each in united),))
        return into

    def _rows_into(self, node: Node) -> list[list[tuple[str, str]]]:
        """The columns of each input. Those that are united have columns in common, by their places."""
        rows = []
        for sources in _by_input(node).values():
            united = filter(None, (self._columns.get(source, []) for source in sources))
            rows.append([
                (columns[0][0], " | ".join(sorted({what for _, what in columns})))
                for columns in zip(*united, strict=False)
            ])  # fmt: skip
        return rows

    @staticmethod
    def _known(sides: list[tuple[str, str]], described: Description) -> dict[str, str]:
        """Name → what it stands for. A join names the columns of both sides anew, in their order."""
        known = dict(reversed(sides))
        selected = described.items("select")
        if described.kind.endswith("Join") and len(selected) == len(sides):
            known |= {name: what for name, (_, what) in zip(selected, sides, strict=True)}
        return known

    def _given_on(
        self, described: Description, inputs: list[tuple[str, str]], known: Mapping[str, str]
    ) -> list[tuple[str, str]]:
        if described.kind == "TableSourceScan":
            parts = split_list(described.attributes.get("table", "").strip("[]"))
            return self._read_from(".".join(parts[:3]), described.items("fields"))
        selected = described.items("select")
        if described.kind == "Expand":
            return [*inputs, *_grouping_sets(described, known)]
        if not selected:
            return inputs
        found = []
        for item in selected:
            alias = _ALIAS.fullmatch(item)
            what, name = (alias["what"], alias["alias"]) if alias else (item, item)
            what = described.attributes.get("window", what) if what.startswith(_OF_WINDOW) else what
            found.append((name, _resolved(what, known)))
        return found

    def _read_from(self, table: str | None, fields: Sequence[str] | None = None) -> list[tuple[str, str]]:
        columns = self._columns_of.get(table or "", ())
        read = TableColumns(self._tables.get(table or "", ""), tuple(columns))
        names = columns if fields is None else fields
        if table in self._by_place:
            places = {name: place for place, name in enumerate(columns, 1)}
            return [(name, f"{read.table}.{places.get(name, name)}") for name in names]
        self._read.append(read)
        return [(name, read.named(name)) for name in names]


def _by_input(node: Node) -> dict[int, list[int]]:
    """Input → the nodes that feed it."""
    return gathered((edge.get("type", place), edge["from"]) for place, edge in enumerate(node["in"]))


def _decided(described: Description, known: Mapping[str, str]) -> Iterable[str]:
    """What an operator that keeps nothing does with rows: which it lets through, and how often."""
    for name in _DECIDES_ON_ROWS:
        if name in described.attributes:
            yield _conditions(described, known, name)
    pushed_down = _PUSHED_DOWN.search(described.attributes.get("table", ""))
    if pushed_down is not None:
        yield _resolved(pushed_down[1], known)


def _listed(row: Iterable[tuple[str, str]]) -> str:
    return ", ".join(what for _, what in row)


def named_by_connector(name: str | None) -> str | None:
    """The full name of a table in the name of its source: from 2.1 on some keep what their connector says."""
    named = re.fullmatch(r"(?:Source: )?(\S+\.\S+\.\S+)", name or "")
    return named[1] if named else None


def _keeps_rows(node: Node, described: Description, known: Mapping[str, str]) -> bool:
    """Whether rows are kept that an operator of this kind need not keep.

    A deduplication only marks the first one by time of processing as seen. An aggregation over rows keeps them until
    their time has come, or until they leave the window: by time of processing and from the first row on it keeps
    accumulators alone (``ProcTimeUnboundedPrecedingFunction``). So does any but one by Pandas, which has none.
    """
    attributes = described.attributes
    if described.kind == "Deduplicate":
        return attributes.get("keep") == "LastRow" or attributes.get("order") == "ROWTIME"
    if described.kind == "OverAggregate":
        by_processing = "PROCTIME(" in _resolved(attributes.get("orderBy", ""), known)
        return not (by_processing and "UNBOUNDED PRECEDING" in attributes.get("window", ""))
    return node.get("accumulators") == []


def _aggregates(described: Description, known: Mapping[str, str]) -> Sequence[str]:
    """The results of an aggregation that are kept: not the columns that it passes through, nor bounds of windows."""
    items = (_ALIAS.fullmatch(item) for item in described.items("select") if not item.startswith(_OF_WINDOW))
    return [_resolved(item["what"], known) for item in items if item]


def _conditions(described: Description, known: Mapping[str, str], name: str = "where") -> str:
    """A condition, whatever the order of its terms and of what they compare."""
    where = _resolved(described.attributes.get(name, ""), known)
    ordered = _EQUAL.sub(lambda match: f"({_pair(*match.groups())})", where)
    return ordered if " OR " in ordered else ", ".join(sorted(_bare(term) for term in ordered.split(" AND ")))


def _grouping_sets(described: Description, known: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """The column that numbers the sets of ``GROUPING SETS``, as what the sets are: by what each leaves out."""
    numbered: dict[str, list[str]] = {}
    for project in described.items("projects"):
        columns = split_list(project.strip("{}"))
        left_out = [_resolved(column, known).removeprefix("null AS ") for column in columns if column[:5] == "null "]
        for set_number in filter(None, map(_SET_NUMBER.fullmatch, columns)):
            numbered.setdefault(set_number[2], []).append(" ".join([set_number[1], "without", *left_out]))
    return [(name, f"set({', '.join(sets)})") for name, sets in numbered.items()]


def _pair(left: str, right: str) -> str:
    return " = ".join(sorted((_balanced(left), _balanced(right))))


def _bare(term: str) -> str:
    """A term without the brackets around all of them, and around itself."""
    term = _balanced(term)
    term = term[: len(term) - max(term.count(")") - term.count("("), 0)]
    return term[1:-1] if term.startswith("(") and term.endswith(")") else term


def _balanced(text: str) -> str:
    return text[max(text.count("(") - text.count(")"), 0) :] if text.startswith("(") else text


def _resolved(text: str, known: Mapping[str, str]) -> str:
    return _NAME.sub(lambda match: match[0] if match[0].startswith("'") else _translated(match, text, known), text)


def _translated(match: re.Match[str], text: str, known: Mapping[str, str]) -> str:
    called = text[match.end() : match.end() + 1] == "("
    return match[0] if called else known.get(match[0], match[0])
