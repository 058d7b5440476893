"""Random edits of small jobs that change what lies in state, or how it is spelled: one generator per kind of state.

Nothing here says what an edit does: a real Flink and the checker are asked, and must agree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

TEMPLATE = Path(__file__).with_name("java").joinpath("state_job.txt").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Edit:
    """Two versions of a program."""

    kind: str
    before: str
    after: str


def program(members: str, pipeline: str, settings: str = "") -> str:
    """A whole program."""
    return TEMPLATE.replace("MEMBERS", members).replace("PIPELINE", pipeline).replace("SETTINGS", settings)


SINK = '.sinkTo(new DiscardingSink<>()).uid("out");'
KEYED = 'orders.keyBy(o -> o.id).process(new Keep()).uid("keep")' + SINK


def keeping(type_: str, descriptor: str, value: str, before_descriptor: str = "") -> str:
    """A function that keeps one value per key and reports whether it finds it."""
    return f"""
  public static class Keep extends KeyedProcessFunction<String, Order, Order> {{
    private transient ValueState<{type_}> kept;
    @Override public void open(Configuration c) throws Exception {{
      {before_descriptor}
      kept = getRuntimeContext().getState({descriptor});
    }}
    @Override public void processElement(Order o, Context ctx, Collector<Order> out) throws Exception {{
      Object old = kept.value(); Probe.look(ctx.getCurrentKey(), old);
      if (old == null) {{ kept.update({value}); }}
      out.collect(o);
    }}
  }}"""


# -- types of values -----------------------------------------------------------------------------------------------

VALUES = {
    "Long": ("1L", ("Long.class", "Types.LONG", "TypeInformation.of(Long.class)", "BasicTypeInfo.LONG_TYPE_INFO")),
    "Integer": ("1", ("Integer.class", "Types.INT", "TypeInformation.of(new TypeHint<Integer>() {})")),
    "String": ('"x"', ("String.class", "Types.STRING", "TypeInformation.of(String.class)")),
    "Tuple2<String, Long>": (
        'Tuple2.of("a", 1L)',
        ("Types.TUPLE(Types.STRING, Types.LONG)", "TypeInformation.of(new TypeHint<Tuple2<String, Long>>() {})",
         "org.apache.flink.api.java.typeutils.TupleTypeInfo"
         ".<Tuple2<String, Long>>getBasicTupleTypeInfo(String.class, Long.class)"),
    ),
    "List<Long>": (
        "new ArrayList<>(Arrays.asList(1L))",
        ("Types.LIST(Types.LONG)", "new org.apache.flink.api.java.typeutils.ListTypeInfo<>(Long.class)",
         "TypeInformation.of(new TypeHint<List<Long>>() {})"),
    ),
    "Map<String, Long>": (
        "new HashMap<>(Map.of(\"a\", 1L))",
        ("Types.MAP(Types.STRING, Types.LONG)", "TypeInformation.of(new TypeHint<Map<String, Long>>() {})"),
    ),
    "Instant": ("Instant.now()", ("Instant.class", "Types.INSTANT")),
    "byte[]": ("new byte[] {1}", ("byte[].class", "PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO")),
    "Order": ("o", ("Order.class", "Types.POJO(Order.class)", "TypeInformation.of(Order.class)")),
    "Optional<String>": ('Optional.of("x")', ("TypeInformation.of(new TypeHint<Optional<String>>() {})",)),
    "UUID": ("UUID.randomUUID()", ("UUID.class", "Types.GENERIC(UUID.class)")),
}  # fmt: skip


def _value(r: Random, type_: str, name: str = "kept") -> str:
    value, spellings = VALUES[type_]
    return program(keeping(type_, f'new ValueStateDescriptor<>("{name}", {r.choice(spellings)})', value), KEYED)


def value_type(r: Random) -> tuple[str, str]:
    """Another type, or the same in another spelling."""
    before, after = r.choice(list(VALUES)), r.choice(list(VALUES))
    return _value(r, before), _value(r, before if r.random() < 0.4 else after)


def value_name(r: Random) -> tuple[str, str]:
    """A name through a constant, a method, a constructor or a loop; the text changes or only its way."""
    names = ("seen", "last")
    before = r.choice(names)
    after = before if r.random() < 0.5 else next(n for n in names if n != before)
    return _named(r, before), _named(r, after)


def _named(r: Random, name: str) -> str:
    way = r.randrange(5)
    expression = {
        0: f'"{name}"', 1: "NAME", 2: "name()", 3: "Names.KEPT.key", 4: f'"{name[:2]}" + "{name[2:]}"',
    }[way]  # fmt: skip
    members = keeping("Long", f"new ValueStateDescriptor<>({expression}, Long.class)", "1L")
    members += f"""
  static final String NAME = "{name}";
  static String name() {{ return "{name}"; }}
  enum Names {{ KEPT("{name}"); final String key; Names(String k) {{ key = k; }} }}"""
    return program(members, KEYED)


def pojo(r: Random) -> str:
    """Fields of a class in state: added, removed, retyped, hidden; constructors, accessors, superclasses."""
    fields = ["public long sum;"]
    fields += r.sample(
        ["public String note;", "public int count;", "public long count;", "public List<Long> all = new ArrayList<>();",
         "public Color color;", "private int hidden;", "public transient int cache;", "public Part part;",
         "private int size; public int getSize() { return size; } public void setSize(int s) { size = s; }"],
        r.choice((0, 1, 1, 2)),
    )  # fmt: skip
    names = [f.split()[2].rstrip(";") for f in fields]
    if len(set(names)) < len(names):
        return pojo(r)
    constructor = r.choice(["public Acc() {}"] * 5 + ["public Acc(int x) {}"])
    parent = r.choice([""] * 4 + [" extends Base<Integer>", " extends Base<Long>"])
    made = "new Acc()" if "()" in constructor else "new Acc(1)"
    members = f"""
  public static class Acc{parent} {{ {" ".join(fields)} {constructor} }}
  public static class Base<T> {{ public T inherited; public Base() {{}} }}
  public static class Part {{ public {r.choice(["int", "int", "long"])} x; public Part() {{}} }}
  public enum Color {{ {r.choice(["RED, GREEN", "RED, GREEN", "GREEN, RED", "RED, GREEN, BLUE", "RED"])} }}
"""
    return program(members + keeping("Acc", 'new ValueStateDescriptor<>("acc", Acc.class)', made), KEYED)


def time_to_live(r: Random) -> str:
    """Time-to-live by a flag of the constructor, a constant, or a method."""
    on = r.choice(("true", "false"))
    way = r.randrange(3)
    condition = {0: on, 1: "ON", 2: "on()"}[way]
    enable = f"""ValueStateDescriptor<Long> d = new ValueStateDescriptor<>("v", Long.class);
      StateTtlConfig hours = StateTtlConfig.newBuilder(Duration.ofHours({r.randrange(1, 9)})).build();
      if ({condition}) {{ d.enableTimeToLive(hours); }}"""
    members = keeping("Long", "d", "1L", enable)
    members += f"\n  static final boolean ON = {on}; static boolean on() {{ return {on}; }}"
    return program(members, KEYED)


# -- keys ----------------------------------------------------------------------------------------------------------


def key(r: Random) -> str:
    """The selector, spelled in several ways; the part of the element, its type, and what is made of it."""
    selector, type_ = r.choice(
        [("o -> o.customer", "String"), ("Order::getCustomer", "String"), ("o -> o.getCustomer()", "String"),
         ("new ByCustomer()", "String"), ("o -> o.id", "String"), ("o -> o.customer + o.region", "String"),
         ("o -> Keys.of(o)", "String"), ("o -> o.region", "Integer"), ("o -> (long) o.region", "Long")]
    )  # fmt: skip
    body = r.choice(["o.customer", "o.customer", "o.customer.toUpperCase()", "o.id"])
    members = f"""
  static class ByCustomer implements KeySelector<Order, String> {{
    @Override public String getKey(Order o) {{ return o.customer; }}
  }}
  static class Keys {{ static String of(Order o) {{ return {body}; }} }}"""
    members += keeping("Long", 'new ValueStateDescriptor<>("v", Long.class)', "1L").replace("<String,", f"<{type_},")
    return program(members, KEYED.replace("o -> o.id", selector))


def key_class(r: Random) -> str:
    """A class as a key: its fields, its hashCode."""
    code = r.choice(["a.hashCode()", "a.hashCode()", "31 * a.hashCode() + 7", "java.util.Objects.hash(a)"])
    field = r.choice(["", "", "public int more;"])
    members = f"""
  public static class Key {{
    public String a; {field} public Key() {{}} public Key(String a) {{ this.a = a; }}
    @Override public int hashCode() {{ return {code}; }}
    @Override public boolean equals(Object o) {{ return o instanceof Key && ((Key) o).a.equals(a); }}
    @Override public String toString() {{ return a; }}
  }}"""
    members += keeping("Long", 'new ValueStateDescriptor<>("v", Long.class)', "1L").replace("<String,", "<Key,")
    return program(members, KEYED.replace("o -> o.id", "o -> new Key(o.customer)"))


# -- serializers ---------------------------------------------------------------------------------------------------


def own_serializer(r: Random) -> str:
    """A serializer of the program: what it writes, or only how it reads."""
    write, read = r.choice([("o.writeLong(l)", "i.readLong()"), ("o.writeLong(l)", "i.readLong()"),
                            ("o.writeInt(l.intValue())", "(long) i.readInt()"),
                            ('o.writeUTF("" + l)', "Long.parseLong(i.readUTF())")])  # fmt: skip
    members = f"""
  public static class Ser extends TypeSerializerSingleton<Long> {{
    public boolean isImmutableType() {{ return true; }} public Long createInstance() {{ return 0L; }}
    public Long copy(Long l) {{ return l; }} public Long copy(Long l, Long r) {{ return l; }}
    public int getLength() {{ return -1; }}
    public void serialize(Long l, DataOutputView o) throws java.io.IOException {{ {write}; }}
    public Long deserialize(DataInputView i) throws java.io.IOException {{ return {read}; }}
    public Long deserialize(Long r, DataInputView i) throws java.io.IOException {{ return deserialize(i); }}
    public void copy(DataInputView i, DataOutputView o) throws java.io.IOException {{ serialize(deserialize(i), o); }}
    public TypeSerializerSnapshot<Long> snapshotConfiguration() {{ return new S(); }}
    public static class S extends SimpleTypeSerializerSnapshot<Long> {{ public S() {{ super(Ser::new); }} }}
  }}"""
    serializer = r.choice(["new Ser()", "new Ser()", "new Ser()", "LongSerializer.INSTANCE"])
    return program(members + keeping("Long", f'new ValueStateDescriptor<>("v", {serializer})', "1L"), KEYED)


def forced(r: Random) -> str:
    """Kryo forced for POJOs."""
    members = "\n  public static class Acc { public long sum; public Acc() {} }"
    members += keeping("Acc", 'new ValueStateDescriptor<>("acc", Acc.class)', "new Acc()")
    return program(members, KEYED, r.choice(["", "", "env.getConfig().enableForceKryo();"]))


# -- Flink's own operators -----------------------------------------------------------------------------------------

ELEMENTS = ("o -> o", "o -> o.amount", "o -> o.region", "o -> o.id", "o -> Tuple2.of(o.id, o.amount)",
            "o -> Tuple2.of(o.id, o.region)")  # fmt: skip
ELEMENT_TYPES = dict(
    zip(
        ELEMENTS,
        (("Order", "Order.class"), ("Long", "Types.LONG"), ("Integer", "Types.INT"), ("String", "Types.STRING"),
         ("Tuple2<String, Long>", "Types.TUPLE(Types.STRING, Types.LONG)"),
         ("Tuple2<String, Integer>", "Types.TUPLE(Types.STRING, Types.INT)")),
        strict=True,
    )
)  # fmt: skip


def _elements(r: Random) -> tuple[str, str]:
    """A stream expression and its element type."""
    function = r.choice(ELEMENTS)
    type_, info = ELEMENT_TYPES[function]
    returns = f".returns({info})" if r.random() < 0.6 or "Tuple2" in type_ else ""
    return f'orders.map({function}){returns}.uid("shape")', type_


def window(r: Random) -> str:
    """What a window keeps: elements, a reduced one, an accumulator, with or without an evictor."""
    stream, type_ = _elements(r)
    others = ["EventTimeSessionWindows.withGap(Duration.ofHours(1))", "GlobalWindows.create()"]
    assigner = r.choice(["TumblingEventTimeWindows.of(Duration.ofHours(5))"] * 3 + others)
    evictor = r.choice([""] * 4 + [".evictor(CountEvictor.of(1000))"])
    function = r.choice(
        [".reduce((a, b) -> a)", ".aggregate(new Count())", ".process(new All())", ".reduce(new First())"]
    )
    space = "GlobalWindow" if "Global" in assigner else "TimeWindow"
    accumulator, zero = r.choice(
        [("Long", "0L"), ("Long", "0L"), ("Integer", "0"), ("Tuple2<Long, Long>", "Tuple2.of(0L, 0L)")]
    )
    members = f"""
  public static class Count implements AggregateFunction<{type_}, {accumulator}, String> {{
    public {accumulator} createAccumulator() {{ return {zero}; }}
    public {accumulator} add({type_} t, {accumulator} a) {{ return a; }}
    public String getResult({accumulator} a) {{ return "" + a; }}
    public {accumulator} merge({accumulator} a, {accumulator} b) {{ return a; }}
  }}
  public static class First implements ReduceFunction<{type_}> {{
    public {type_} reduce({type_} a, {type_} b) {{ return a; }}
  }}
  public static class All extends ProcessWindowFunction<{type_}, String, String, {space}> {{
    public void process(String k, Context c, Iterable<{type_}> in, Collector<String> out) {{ out.collect(k); }}
  }}"""
    pipeline = f'{stream}.keyBy(e -> "k", Types.STRING).window({assigner}){evictor}{function}.uid("window"){SINK}'
    return program(members, pipeline)


def rolling(r: Random) -> str:
    """A keyed reduce."""
    stream, _ = _elements(r)
    return program("", f'{stream}.keyBy(e -> "k", Types.STRING).reduce((a, b) -> a).uid("reduce"){SINK}')


def interval_join(r: Random) -> str:
    """Two sides of an interval join."""
    stream, type_ = _elements(r)
    members = f"""
  public static class J extends ProcessJoinFunction<Order, {type_}, String> {{
    public void processElement(Order l, {type_} x, Context c, Collector<String> out) {{ out.collect(l.id); }}
  }}"""
    pipeline = f"""{stream.replace("orders.map", "SingleOutputStreamOperator<" + type_ + "> right = orders.map", 1)};
    orders.keyBy(o -> "k", Types.STRING).intervalJoin(right.keyBy(e -> "k", Types.STRING))
        .between(Duration.ofHours(-1), Duration.ofHours(1)).process(new J()).uid("join"){SINK}"""
    return program(members, pipeline)


def asynchronous(r: Random) -> str:
    """Elements in the queue of an asynchronous function."""
    stream, type_ = _elements(r)
    members = f"""
  public static class Never extends RichAsyncFunction<{type_}, String> {{
    public void asyncInvoke({type_} in, ResultFuture<String> f) {{ }}
    public void timeout({type_} in, ResultFuture<String> f) {{ f.complete(Collections.emptyList()); }}
  }}"""
    pipeline = f"""AsyncDataStream.unorderedWait(
        {stream}.filter(e -> e.hashCode() % 64 == 0).uid("few"), new Never(), 10,
        java.util.concurrent.TimeUnit.HOURS, 100000).uid("async"){SINK}"""
    return program(members, pipeline)


def pattern(r: Random) -> str:
    """Stages of a pattern by name, and its events."""
    stream, type_ = _elements(r)
    first, second = r.choice([("start", "end"), ("start", "end"), ("begin", "end"), ("start", "finish")])
    members = f"""
  static class Never extends SimpleCondition<{type_}> {{ public boolean filter({type_} e) {{ return false; }} }}"""
    pipeline = f"""CEP.pattern({stream}.keyBy(e -> "k", Types.STRING),
        Pattern.<{type_}>begin("{first}").followedBy("{second}").where(new Never())).inProcessingTime()
        .select(m -> "x", Types.STRING).uid("cep"){SINK}"""
    return program(members, pipeline)


# -- operator state ------------------------------------------------------------------------------------------------


def operator_state(r: Random) -> tuple[str, str]:
    """Operator state of a function: list, union list, type, name; or none any more."""
    return _operator_state(r, 0), _operator_state(r, 0.15)


def _operator_state(r: Random, none: float) -> str:
    type_, value = r.choice([("Long", "1L"), ("Long", "1L"), ("Integer", "1"), ("String", '"x"')])
    call = r.choice(["getListState", "getListState", "getUnionListState"])
    name = r.choice(["offsets", "offsets", "offsets", "places"])
    plain = r.random() < none
    body = f"""
    private transient ListState<{type_}> kept;
    public void initializeState(FunctionInitializationContext c) throws Exception {{
      kept = c.getOperatorStateStore().{call}(new ListStateDescriptor<>("{name}", {type_}.class));
      if (c.isRestored()) {{ boolean any = kept.get().iterator().hasNext(); Probe.look("all", any ? "x" : null); }}
    }}
    public void snapshotState(FunctionSnapshotContext c) throws Exception {{ kept.update(Arrays.asList({value})); }}"""
    members = f"""
  public static class Pass extends RichMapFunction<Order, Order>{"" if plain else " implements CheckpointedFunction"} {{
    public Order map(Order o) {{ return o; }} {"" if plain else body}
  }}"""
    return program(members, f'orders.map(new Pass()).uid("pass"){SINK}')


def two_phase(r: Random) -> str:
    """Types of a two-phase commit."""
    type_, value = r.choice([("String", '"t"'), ("String", '"t"'), ("Long", "1L")])
    members = f"""
  public static class Tx extends TwoPhaseCommitSinkFunction<Order, {type_}, Void> {{
    public Tx() {{ super({type_}Serializer.INSTANCE, VoidSerializer.INSTANCE); }}
    protected void invoke({type_} t, Order o, Context c) {{}} protected {type_} beginTransaction() {{ return {value}; }}
    protected void preCommit({type_} t) {{}} protected void commit({type_} t) {{}} protected void abort({type_} t) {{}}
  }}"""
    return program(members, 'orders.addSink(new Tx()).uid("tx");')


def broadcast(r: Random) -> str:
    """Broadcast state: name and types of its descriptor."""
    name = r.choice(["rules", "rules", "limits"])
    type_ = r.choice(["Long", "Long", "String"])
    way = r.choice(["D", "d", "make()"])
    made = f'new MapStateDescriptor<>("{name}", Types.STRING, {"Types.LONG" if type_ == "Long" else "Types.STRING"})'
    value = "e.amount" if type_ == "Long" else "e.id"
    members = f"""
  static final MapStateDescriptor<String, {type_}> D = {made};
  static MapStateDescriptor<String, {type_}> make() {{ return {made}; }}
  public static class B extends KeyedBroadcastProcessFunction<String, Order, Order, String> {{
    private final MapStateDescriptor<String, {type_}> d = {made};
    public void processElement(Order o, ReadOnlyContext c, Collector<String> out) throws Exception {{
      Object all = c.getBroadcastState(d).get("k"); Probe.look("all", all);
    }}
    public void processBroadcastElement(Order e, Context c, Collector<String> out) throws Exception {{
      if (!c.getBroadcastState(d).contains("k")) {{ c.getBroadcastState(d).put("k", {value}); }}
    }}
  }}"""
    pipeline = f"""MapStateDescriptor<String, {type_}> d = make();
    BroadcastStream<Order> few = orders.filter(o -> o.amount < 50).uid("few").broadcast({way});
    orders.keyBy(o -> o.id).connect(few).process(new B()).uid("b"){SINK}"""
    return program(members, pipeline)


def indirect(r: Random) -> str:
    """Descriptors in an abstract base class, through a type variable, a helper method, or a loop."""
    type_, value = r.choice([("Long", "1L"), ("Long", "1L"), ("Integer", "1"), ("String", '"x"')])
    name = r.choice(["kept", "kept", "held"])
    way = r.randrange(4)
    if way == 0:
        members = f"""
  abstract static class Base<T> extends KeyedProcessFunction<String, Order, Order> {{
    protected transient ValueState<T> kept; private final Class<T> type; private final String name;
    Base(String name, Class<T> type) {{ this.name = name; this.type = type; }}
    @Override public void open(Configuration c) {{
      kept = getRuntimeContext().getState(new ValueStateDescriptor<>(name, type));
    }}
  }}
  public static class Keep extends Base<{type_}> {{
    public Keep() {{ super("{name}", {type_}.class); }}"""
    elif way == 1:
        members = f"""
  public static class Keep extends KeyedProcessFunction<String, Order, Order> {{
    private transient ValueState<{type_}> kept;
    @Override public void open(Configuration c) {{ kept = state("{name}", {type_}.class); }}
    private <T> ValueState<T> state(String name, Class<T> type) {{
      return getRuntimeContext().getState(new ValueStateDescriptor<T>(name, type));
    }}"""
    elif way == 2:
        members = f"""
  abstract static class Base<T> extends KeyedProcessFunction<String, Order, Order> {{
    protected transient ValueState<T> kept;
    abstract ValueStateDescriptor<T> descriptor();
    @Override public void open(Configuration c) {{ kept = getRuntimeContext().getState(descriptor()); }}
  }}
  public static class Keep extends Base<{type_}> {{
    @Override ValueStateDescriptor<{type_}> descriptor() {{
      return new ValueStateDescriptor<>("{name}", TypeInformation.of({type_}.class));
    }}"""
    else:
        others = r.choice([f'"{name}", "other"', f'"{name}", "more"', f'"{name}", "other"'])
        members = f"""
  public static class Keep extends KeyedProcessFunction<String, Order, Order> {{
    private transient ValueState<{type_}> kept; private transient Map<String, ValueState<{type_}>> all;
    static final List<String> NAMES = Arrays.asList({others});
    @Override public void open(Configuration c) {{
      all = new HashMap<>();
      for (String n : NAMES) {{
        all.put(n, getRuntimeContext().getState(new ValueStateDescriptor<>(n, {type_}.class)));
      }}
      kept = all.get("{name}");
    }}"""
    members += f"""
    @Override public void processElement(Order o, Context ctx, Collector<Order> out) throws Exception {{
      Object old = kept.value(); Probe.look(ctx.getCurrentKey(), old);
      if (old == null) {{ kept.update({value}); }}
    }}
  }}"""
    return program(members, KEYED)


REVISIONS: dict[str, Callable[[Random], str]] = {
    "pojo": pojo, "time-to-live": time_to_live, "key": key, "key-class": key_class, "own-serializer": own_serializer,
    "forced": forced, "window": window, "rolling": rolling, "interval-join": interval_join, "async": asynchronous,
    "pattern": pattern, "two-phase": two_phase, "broadcast": broadcast,
    "indirect": indirect,
}  # fmt: skip
"""What makes either version of a program."""
PAIRS = {"value-type": value_type, "value-name": value_name, "operator-state": operator_state}
"""What makes both."""
KINDS = sorted({*REVISIONS, *PAIRS})


def random_edit(kind: str, r: Random) -> Edit:
    """A random edit of one kind."""
    before, after = PAIRS[kind](r) if kind in PAIRS else (REVISIONS[kind](r), REVISIONS[kind](r))
    return Edit(kind, before, after)
