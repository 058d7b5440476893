"""Random Flink programs of several classes, as people write them."""

import random
import re

from tests.referees import features
from tests.referees.grammar import Grammar, Scope, Variable
from tests.referees.source_tree import Block, Program
from tests.referees.templates import SUPPORT

MAIN = "acme.Job"
VECTORS: tuple[tuple[str, ...], ...] = (
    (),
    ("--n", "3", "--name", "orders"),
    ("--mode", "FAST", "--flag", "true", "--list", "a,b,c"),
    ("--list", "z", "--n", "7", "--mode", "slow"),
)
_ODD = ("-n", "5", "extra")
_IMPORTS = """package acme;
import java.io.*;
import java.time.Duration;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.Configuration;
import {parameters}.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoMapFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
"""
_PROPERTIES = "# settings\nname = from-file\nn=4\nlist=p,q\nflag : true\nempty=\n"
_DEPTH = 3


class ProgramGenerator:
    """One random program a seed."""

    def __init__(self, seed: int, flink: str) -> None:
        self.rng = random.Random(seed)
        self.grammar = Grammar(self.rng, wild=False)
        package = "org.apache.flink.api.java.utils" if flink.startswith("1.") else "org.apache.flink.util"
        self.imports = _IMPORTS.replace("{parameters}", package)
        self.sites = 0
        self.vectors = VECTORS if self.rng.random() < 0.85 else (*VECTORS[:3], _ODD)
        self.stages: list[str] = []
        """Templates of calls that take «stream» and «id» and give a stream."""

    def program(self) -> Program:
        """The program."""
        files = {
            "Support": [Block(SUPPORT, keep=True)],
            "Conf": [self._configuration()],
            "Texts": [self._helpers()],
            "Features": self._features(),
            "Stages": self._stage_classes(),
            "Pipeline": [self._builder()],
            "Job": [self._job()],
        }
        return Program(
            {f"acme/{name}.java": [Block(self.imports, keep=True), *blocks] for name, blocks in files.items()},
            {"application.properties": _PROPERTIES},
        )

    def _features(self) -> list[Block]:
        """Classes with features of the language; half of the programs have none of them."""
        blocks = []
        for feature in self.rng.sample(features.FEATURES, self.rng.choice((0, 0, 1, 2, 4, 6))):
            more, streams = features.add(self.rng, self.grammar, feature)
            blocks.extend(more)
            self.stages.extend(streams)
        return blocks

    # -- configuration ---------------------------------------------------------------------------------------------

    def _configuration(self) -> Block:
        source = self.rng.choice(("parameters", "arguments", "properties", "file parameters"))
        fields = [
            "final String name;", "final int n;", "final boolean flag;", "final Mode mode;",
            "final List<String> list = new ArrayList<>();", "final Map<String, Integer> sizes = new TreeMap<>();",
        ]  # fmt: skip
        getters = [
            "String getName() { return name; }", "int getN() { return n; }", "boolean isFlag() { return flag; }",
            "List<String> getList() { return list; }", "Mode getMode() { return mode; }",
        ]  # fmt: skip
        read = {
            "parameters": "ParameterTool p = ParameterTool.fromArgs(args);",
            "file parameters": (
                "ParameterTool p = ParameterTool.fromPropertiesFile("
                'Conf.class.getResourceAsStream("/application.properties"))'
                ".mergeWith(ParameterTool.fromArgs(args));"
            ),
            "arguments": (
                "Map<String, String> p = new HashMap<>(); for (int i = 0; i + 1 < args.length; i += 2) "
                "{ p.put(args[i].substring(2), args[i + 1]); }"
            ),
            "properties": (
                "Properties p = new Properties(); "
                'try (InputStream in = Conf.class.getResourceAsStream("/application.properties"))'
                ' { p.load(in); } '
                'if (args.length > 1) p.setProperty("name", args[1]);'
            ),
        }[source]  # fmt: skip
        tool = "parameters" in source
        get = {"parameters": "get", "file parameters": "get", "arguments": "getOrDefault", "properties": "getProperty"}
        text = get[source]
        number = 'p.getInt("n", 2)' if tool else f'Integer.parseInt(p.{text}("n", "2"))'
        flag = 'p.getBoolean("flag", false)' if tool else f'Boolean.parseBoolean(p.{text}("flag", "false"))'
        flag = self.rng.choice((flag, 'p.has("flag")')) if tool else flag
        scope = Scope([
            Variable("name", "String", True), Variable("n", "int", True), Variable("flag", "boolean", True),
            Variable("mode", "Mode", True), Variable("args", "String[]", True),
        ])  # fmt: skip
        body = [
            Block(read, keep=True),
            Block(f'name = p.{text}("name", {self.grammar.expression("String", Scope(), 1)});', keep=True),
            Block(f"n = {number};", keep=True),
            Block(f"flag = {flag};", keep=True),
            Block(f'mode = Mode.of(p.{text}("mode", "off"));', keep=True),
            Block(f'for (String part : p.{text}("list", {self.rng.choice(_LISTS)}).split(",")) '
                  "{ if (!part.isEmpty()) list.add(part.trim()); }"),
            Block('for (String one : list) sizes.merge(one, one.length(), Integer::sum);'),
        ]  # fmt: skip
        body.extend(self.grammar.statements(scope, self.rng.randint(0, 2), 1))
        return Block(
            "class Conf {", [
                *(Block(f, keep=True) for f in fields),
                Block("Conf(String[] args) throws IOException {", body, "}", keep=True),
                *(Block(g) for g in getters),
            ], "}", keep=True,
        )  # fmt: skip

    # -- helpers ---------------------------------------------------------------------------------------------------

    def _helpers(self) -> Block:
        members = [
            Block(f"static final String PREFIX = {self.grammar.expression('String', Scope(), 1)};"),
            Block("static int count;"),
        ]
        for _ in range(self.rng.randint(1, 4)):
            returned = self.rng.choice(("String", "String", "int", "boolean", "List<String>", "Map<String, Integer>"))
            types = [self.rng.choice(("String", "int", "Mode", "List<String>")) for _ in range(self.rng.randint(0, 2))]
            name = self.grammar.fresh("help")
            parameters = [Variable(self.grammar.fresh("p"), type_, self.rng.random() < 0.6) for type_ in types]
            scope = Scope([*parameters, Variable("PREFIX", "String", True)])
            body = self.grammar.statements(scope, self.rng.randint(1, 4), 2)
            if self.rng.random() < 0.3:
                result = self.grammar.expression(returned, scope, 2)
                body.append(Block(f"if ({self.grammar.expression('boolean', scope, 2)}) return {result};"))
            body.append(Block(f"return {self.grammar.expression(returned, scope, 2)};", keep=True))
            declared = ", ".join(f"{v.type} {v.name}" for v in parameters)
            members.append(Block(f"static {returned} {name}({declared}) {{", body, "}"))
            holes = ", ".join(_MUTABLE.get(t, f"«{t}»") for t in types)
            self.grammar.calls.setdefault(returned, []).append(f"Texts.{name}({holes})")
        return Block("class Texts {", members, "}")

    # -- streams ---------------------------------------------------------------------------------------------------

    def _id(self, scope: Scope) -> str:
        """An expression of a uid that no other operator has."""
        self.sites += 1
        parts = [f'"{self.sites}-"']
        if scope.of_type("String") and self.rng.random() < 0.9:
            ids = [name for name in scope.of_type("String") if name == "id"]
            parts.extend(ids)
        if self.rng.random() < 0.7:
            text = self.grammar.expression("String", scope, 2)
            parts.append(f"({text})")
        for variable in scope.variables[-2:]:
            if variable.type in ("int", "String") and variable.name not in parts:
                parts.append(variable.name)
        if self.rng.random() < 0.15:
            parts.append("Lib.tick()")
        return " + ".join(parts)

    def _step(self, name: str, scope: Scope, *, reassign: bool = True) -> Block:
        """A statement that adds operators to the stream of a variable."""
        rng = self.rng
        kind = rng.randrange(12)
        if kind >= 9 and self.stages:
            call = self.grammar.fill(rng.choice(self.stages), scope, 2)
            text = re.sub(r"\bID\b", lambda _: self._id(scope), call.replace("STREAM", name))
        else:
            operator = rng.choice(_OPERATORS)
            operator = operator.replace("%s", f"1 + Math.floorMod({self.grammar.expression('int', scope, 1)}, 4)")
            operator = operator.replace("%n", self.grammar.expression("String", scope, 1)).replace("STREAM", name)
            text = f"{name}{operator}"
            if rng.random() < 0.7 and not operator.startswith(".union"):
                text += f".uid({self._id(scope)})"
        return Block(f"{name} = {text};") if reassign else Block(f"{text}.sinkTo(new DiscardingSink<>());")

    def _steps(self, name: str, scope: Scope, count: int, depth: int) -> list[Block]:
        found: list[Block] = []
        for _ in range(count):
            kind = self.rng.random()
            if kind < 0.45:
                found.append(self._step(name, scope, reassign=not scope.in_lambda and self.rng.random() < 0.9))
            elif kind < 0.7 and depth > 0:
                found.append(self.grammar.compound(
                    scope, 2, lambda inner, _: self._steps(name, inner, self.rng.randint(1, 2), depth - 1)
                ))  # fmt: skip
            else:
                found.append(self.grammar.statement(scope, 2))
        return found

    def _stage_classes(self) -> list[Block]:
        blocks = [Block("interface Stage { DataStream<Long> on(DataStream<Long> in, String id); }", keep=True)]
        for _ in range(self.rng.randint(1, 3)):
            name = self.grammar.fresh("Stage")
            taken = self.rng.choice(("String", "int", "Mode", "List<String>"))
            scope = Scope([Variable("kept", taken, True), Variable("id", "String", True)])
            body = [
                Block("DataStream<Long> s = in;", keep=True), *self._steps("s", scope, self.rng.randint(1, 3), 1),
                Block("return s;", keep=True),
            ]  # fmt: skip
            members = [
                Block(f"private final {taken} kept;", keep=True),
                Block(f"{name}({taken} kept) {{ this.kept = kept; }}", keep=True),
                Block("@Override public DataStream<Long> on(DataStream<Long> in, String id) {", body, "}", keep=True),
            ]
            blocks.append(Block(f"class {name} implements Stage {{", members, "}"))
            self.stages.append(f"new {name}({_MUTABLE.get(taken, f'«{taken}»')}).on(STREAM, ID)")
        if self.rng.random() < 0.6:
            maker = self.grammar.fresh("make")
            scope = Scope([Variable("mode", "Mode", True)])
            stages = [stage.split(".on(")[0] for stage in self.stages if ".on(STREAM" in stage]
            made = [self.grammar.fill(stage, scope, 1) for stage in stages]
            cases = [
                Block(f"if ({self.grammar.expression('boolean', scope, 1)}) return {stage};") for stage in made[1:]
            ]
            default = self.rng.choice((made[0], '(in, id) -> in.map(x -> x).uid(id + "-default")'))
            body = [*cases, Block(f"return {default};", keep=True)]
            blocks.append(
                Block("class Makers {", [Block(f"static Stage {maker}(Mode mode) {{", body, "}", keep=True)], "}")
            )
            self.stages.append(f"Makers.{maker}(«Mode»).on(STREAM, ID)")
        return blocks

    def _builder(self) -> Block:
        scope = Scope([Variable("names", "List<String>", True), Variable("limit", "int", True)])
        body = [
            Block("DataStream<Long> s = in;", keep=True),
            *self._steps("s", Scope([*scope.variables, Variable("id", "String", True)]), self.rng.randint(1, 3), 2),
            Block("return s;", keep=True),
        ]
        members = [
            Block("private final List<String> names = new ArrayList<>(); private int limit = 1;", keep=True),
            Block("Pipeline with(String name) { names.add(name); return this; }", keep=True),
            Block("Pipeline limit(int limit) { this.limit = limit; return this; }", keep=True),
            Block("DataStream<Long> build(DataStream<Long> in, String id) {", body, "}", keep=True),
        ]
        self.stages.append("new Pipeline().with(«String»).limit(«int»).build(STREAM, ID)")
        self.stages.append("new Pipeline().with(«String»).with(«String»).build(STREAM, ID)")
        return Block("class Pipeline {", members, "}")

    def _job(self) -> Block:
        scope = Scope([
            Variable("conf.name", "String", True), Variable("conf.n", "int", True),
            Variable("conf.flag", "boolean", True), Variable("conf.getMode()", "Mode", True),
            Variable("conf.list", "List<String>", True), Variable("conf.sizes", "Map<String, Integer>", True),
            Variable("args", "String[]", True),
        ])  # fmt: skip
        source = self.rng.choice((
            "env.fromSequence(1, 9)", 'env.fromSequence(1, 9).uid("source")',
            "env.fromSequence(conf.n, 99).map(x -> x)",
        ))  # fmt: skip
        body = [
            Block("StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();", keep=True),
            Block("Conf conf = new Conf(args);", keep=True),
            Block(f"DataStream<Long> s = {source};", keep=True),
            *self._steps("s", scope, self.rng.randint(3, 6), 2),
        ]
        if self.rng.random() < 0.3:
            stages = [
                self.grammar.fill(stage.split(".on(")[0], scope, 1)
                for stage in self.stages if stage.startswith(("new Stage", "Makers"))
            ]  # fmt: skip
            body.append(Block(f"List<Stage> stages = List.of({', '.join(stages)});"))
            self.sites += 1
            body.append(Block(f'int at = 0; for (Stage stage : stages) {{ s = stage.on(s, "{self.sites}-" + at++); }}'))
        body.append(Block('s.sinkTo(new DiscardingSink<>()).uid("sink");', keep=True))
        body.append(Block("env.execute();", keep=True))
        main = Block("public static void main(String[] args) throws Exception {", body, "}", keep=True)
        return Block("public class Job {", [main], "}", keep=True)


_OPERATORS = (
    ".map(x -> x + 1)", ".filter(x -> x > 0)", ".map(x -> x * 2).setParallelism(%s)", ".rebalance().map(x -> x)",
    ".keyBy(x -> x % 3).reduce((a, b) -> a + b)", ".keyBy(x -> x).sum(0)", ".filter(x -> true).name(%n)",
    ".map(new MapFunction<Long, Long>() { @Override public Long map(Long x) { return x; } })",
    ".map(x -> x).disableChaining()", ".map(Long::valueOf)", ".union(STREAM.filter(x -> x < 5))",
)  # fmt: skip
_MUTABLE = {"List<String>": "new ArrayList<>(«List<String>»)"}
_LISTS = ('"x,y"', '""', '"b, a"', '"one"')
