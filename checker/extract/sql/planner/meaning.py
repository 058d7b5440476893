"""What each operator of a plan computes, in words that survive renaming: columns as where they come from.

Flink describes an operator by the names that its input gives to columns, which an alias or another view changes. Here a
name is replaced by what it stands for, down to the columns of the tables, and results lose their names. What does not
concern kept state (columns passed through, filters, input specifications) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from checker.model.lists_in_texts import split_list
from checker.model.topology import PLACE

Node = Mapping[str, Any]

_NUMBER = re.compile(r"^\[\d+\]:")
_NAME = re.compile(r"'[^']*'|[A-Za-z_$][\w$]*")
_WINDOW_NAME = re.compile(r"\('[\w$]+(?=[,)])")
"""The name of a group window, which no quote ends."""
_EQUAL = re.compile(r"\(([\w$.#'() ]{1,500}?) = ([\w$.#'() ]{1,500}?)\)")
_ALIAS = re.compile(r"(?P<what>.*) AS (?P<alias>[\w$]+)", re.DOTALL)
_CONSTANT_FIRST = re.compile(
    r"\((?P<constant>-?\d[\d.]*|(?:_UTF-16LE)?'[^']*') (?P<is>[<>]=?|<>|=) (?P<what>[\w$.]+)\)"
)
_COMPARED = re.compile(
    r"'[^']*'|(?P<before>[<>=] |[<>=]\((?:PREV|FIRST|LAST)\([\w$.]+, \d+\), )"
    r"(?P<whole>-?\d+)\.(?P<part>\d+)(?::DECIMAL\(\d+, \d+\))?(?=\))"
)
"""A number that something is compared with: 10.0 is 10 there."""
_TURNED = str.maketrans("<>", "><")
_SET_NUMBER = re.compile(r"(?<!\d)(\d+) AS (\$e\w*)")
_OF_WINDOW = ("slice_end(", "start(", "end(")
"""What a window aggregation gives on of its window."""
_IN_TIME_ZONE = re.compile(
    r"\b(?:TO_TIMESTAMP_LTZ|PROCTIME|FROM_UNIXTIME|UNIX_TIMESTAMP|CURRENT_DATE|CURRENT_TIME|LOCALTIME|LOCALTIMESTAMP"
    r"|NOW)\("
)
"""What is of the session's time zone, or becomes it where its days and hours are asked for."""
_AGGREGATES = ("Aggregate",)
_JOINS = ("Join",)
_KEEP_ROWS = ("Join", "IntervalJoin", "TemporalJoin", "WindowJoin", "MultiJoin", "Rank", "WindowRank", "SortLimit",
              "TemporalSort", "WindowDeduplicate", "ChangelogNormalize", "Match", "SinkMaterializer")  # fmt: skip
"""What keeps the rows that it gets, with all of their columns."""
_NOT_MEANT = frozenset(
    {"select", "fields", "leftInputSpec", "rightInputSpec", "strategy", "condition", "outputInsertOnly", "table",
     "updateAsRetraction", "generateUpdateBefore", "changelogMode", "miniBatch", "interval", "mode", "hints", "where",
     "measures"}
)  # fmt: skip
_WITHOUT_MEANING = ("TableSourceScan", "Calc", "DropUpdateBefore", "MiniBatchAssigner", "ConstraintEnforcer",
                    "WatermarkAssigner", "StreamRecordTimestampInserter", "Sink", "Expand", "Exchange",
                    "LookupJoin", "AsyncCalc")  # fmt: skip


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
    text = _WINDOW_NAME.sub("(w", text)
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
        self._places: dict[str, int] = {}
        """Column of a table → its place there."""

    def meaning(self, node: Node) -> str | None:
        """What the operator computes; None where it keeps nothing that depends on it."""
        described = parse(node.get("description") or node["name"] or "")
        inputs = self._columns_into(node)
        if not described.attributes:
            self._columns[node["id"]] = inputs or self._read_from(named_by_connector(node["name"]))
            return None
        known = self._known(inputs, described)
        self._columns[node["id"]] = self._given_on(described, inputs, known)
        if described.kind.startswith(_WITHOUT_MEANING) and described.kind not in _KEEP_ROWS:
            return None
        parts = [f"{n}=[{_resolved(v, known)}]" for n, v in described.attributes.items() if n not in _NOT_MEANT]
        accumulators = node.get("accumulators")
        keeps_rows = accumulators == [] or _keeps_last_row(described) or _keeps_rows_of_window(described, known)
        if described.kind.endswith(_AGGREGATES) and accumulators != []:
            parts += [f"select=[{', '.join(_aggregates(described, known))}]"]
        if described.kind.endswith(_JOINS):
            parts += [f"where=[{', '.join(_equalities(described, known))}]"]
        if accumulators:
            parts += [f"accumulators=[{', '.join(accumulators)}]"]
        if described.kind in _KEEP_ROWS or keeps_rows:
            parts += [f"rows=[{', '.join(self._row_of(edge['from']))}]" for edge in node["in"]]
        meant = f"{described.kind}({', '.join(parts)})"
        return f"{meant} in {self._time_zone}" if self._time_zone and _IN_TIME_ZONE.search(meant) else meant

    def _row_of(self, node: int) -> list[str]:
        """The columns of a row; those that a table has, with their place in it."""
        given = (what for _, what in self._columns.get(node, []))
        return [f"{what}{PLACE}{self._places[what]}" if what in self._places else what for what in given]

    def _columns_into(self, node: Node) -> list[tuple[str, str]]:
        """The columns of all inputs. Those that are united have columns in common, by their places."""
        found: list[tuple[str, str]] = []
        for number in dict.fromkeys(edge.get("type", place) for place, edge in enumerate(node["in"])):
            united = [
                self._columns.get(edge["from"], [])
                for place, edge in enumerate(node["in"])
                if edge.get("type", place) == number
            ]
            for columns in zip(*filter(None, united), strict=False):
                whats = sorted({what for _, what in columns})
                found.append((columns[0][0], " | ".join(whats)))
        return found

    @staticmethod
    def _known(sides: list[tuple[str, str]], described: Description) -> dict[str, str]:
        """Name → what it stands for. A join names the columns of both sides anew, in their order."""
        known = dict(reversed(sides))
        selected = described.items("select")
        if described.kind.endswith(_JOINS) and len(selected) == len(sides):
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
        prefix = self._tables.get(table or "", "")
        columns = self._columns_of.get(table or "", ())
        names = columns if fields is None else fields
        places = {name: place for place, name in enumerate(columns, 1)}
        if table in self._by_place:
            return [(name, f"{prefix}.{places.get(name, name)}") for name in names]
        found = [(name, f"{prefix}.{name}" if prefix else name) for name in names]
        self._places |= {what: places[name] for name, what in found if name in places}
        return found


def named_by_connector(name: str | None) -> str | None:
    """The full name of a table in the name of its source: from 2.1 on some keep what their connector says."""
    named = re.fullmatch(r"(?:Source: )?(\S+\.\S+\.\S+)", name or "")
    return named[1] if named else None


def _keeps_last_row(described: Description) -> bool:
    """Whether a deduplication keeps rows: the first one by time of processing is only marked as seen."""
    attributes = described.attributes
    return described.kind == "Deduplicate" and (
        attributes.get("keep") == "LastRow" or attributes.get("order") == "ROWTIME"
    )


def _keeps_rows_of_window(described: Description, known: Mapping[str, str]) -> bool:
    """Whether an aggregation over rows keeps them: until their time has come, or until they leave the window.

    Only by time of processing and from the first row on it keeps accumulators alone
    (``ProcTimeUnboundedPrecedingFunction``).
    """
    by_processing = "PROCTIME(" in _resolved(described.attributes.get("orderBy", ""), known)
    unbounded = "UNBOUNDED PRECEDING" in described.attributes.get("window", "")
    return described.kind == "OverAggregate" and not (by_processing and unbounded)


def _aggregates(described: Description, known: Mapping[str, str]) -> Sequence[str]:
    """The results of an aggregation that are kept: not the columns that it passes through."""
    items = (_ALIAS.fullmatch(item) for item in described.items("select"))
    return [_resolved(item["what"], known) for item in items if item]


def _equalities(described: Description, known: Mapping[str, str]) -> Sequence[str]:
    """What of a join's condition decides what its state holds.

    An inner join keeps rows by the columns that it compares, each pair in an order of its own. A regular join of
    another kind keeps with each row how many it has met, by the whole condition (``OuterJoinRecordStateView``).
    """
    where = _resolved(described.attributes.get("where", ""), known)
    if described.kind == "Join" and described.attributes.get("joinType") != "InnerJoin":
        ordered = _EQUAL.sub(lambda match: f"({_pair(*match.groups())})", where)
        return [ordered] if " OR " in ordered else sorted(_bare(term) for term in ordered.split(" AND "))
    return sorted(_pair(*pair) for pair in _EQUAL.findall(where))


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
    found = _NAME.sub(lambda match: match[0] if match[0].startswith("'") else _translated(match, text, known), text)
    found = _CONSTANT_FIRST.sub(lambda m: f"({m['what']} {m['is'].translate(_TURNED)} {m['constant']})", found)
    return _COMPARED.sub(_shortest, found)


def _shortest(match: re.Match[str]) -> str:
    if match["whole"] is None:
        return match[0]
    return match["before"] + f"{match['whole']}.{match['part']}".rstrip("0").rstrip(".")


def _translated(match: re.Match[str], text: str, known: Mapping[str, str]) -> str:
    called = text[match.end() : match.end() + 1] == "("
    return match[0] if called else known.get(match[0], match[0])
