package golden;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.PrintSink;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

final class Names {
    static final String PREFIX = "golden";
    static final String SOURCE_UID = PREFIX + "-source";

    private Names() {}

    static String uid(String part, int version) {
        return String.format("%s-%s-v%d", PREFIX, part, version);
    }
}

enum Step {
    READ("read"),
    CLEAN("clean"),
    WRITE("write");

    private final String uid;

    Step(String uid) {
        this.uid = uid;
    }

    String uid() {
        return "step." + uid;
    }
}

class Increment extends RichMapFunction<Long, Long> {
    @Override
    public Long map(Long value) {
        return value + 1;
    }
}

final class Environments {
    private Environments() {}

    static StreamExecutionEnvironment create(int parallelism) {
        Configuration configuration = new Configuration();
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(parallelism);
        return env;
    }
}

class HelpersOfOtherClasses {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = Environments.create(3);
        DataStream<Long> cleaned = clean(read(env));
        write(cleaned, new PrintSink<>());
        env.execute(Names.PREFIX);
    }

    private static DataStream<Long> read(StreamExecutionEnvironment env) {
        return env.fromSequence(1, 9).uid(Names.SOURCE_UID);
    }

    private static DataStream<Long> clean(DataStream<Long> input) {
        return input.map(new Increment()).uid(Names.uid("clean", 2)).filter(x -> x > 0).uid(Step.CLEAN.uid());
    }

    private static void write(DataStream<Long> stream, Sink<Long> sink) {
        stream.sinkTo(sink).uid(Step.WRITE.uid()).name(Step.WRITE.name().toLowerCase());
    }
}

abstract class Pipeline {
    protected final StreamExecutionEnvironment env;

    Pipeline(StreamExecutionEnvironment env) {
        this.env = env;
    }

    abstract DataStream<Long> source();

    DataStream<Long> transform(DataStream<Long> input) {
        return input.map(new Increment()).name("base");
    }

    protected String name() {
        return getClass().getSimpleName();
    }

    void run() throws Exception {
        transform(source()).print().name(name());
        env.execute(name());
    }
}

class TemplateMethod extends Pipeline {
    TemplateMethod(StreamExecutionEnvironment env) {
        super(env);
    }

    @Override
    DataStream<Long> source() {
        return env.fromSequence(1, 9).uid("template-source");
    }

    @Override
    DataStream<Long> transform(DataStream<Long> input) {
        return super.transform(input).filter(x -> x > 1).uid("template-filter");
    }

    public static void main(String[] args) throws Exception {
        new TemplateMethod(StreamExecutionEnvironment.getExecutionEnvironment()).run();
    }
}

interface Stage {
    DataStream<Long> apply(DataStream<Long> input);

    default Stage then(Stage next) {
        return input -> next.apply(apply(input));
    }
}

class DoublingStage implements Stage {
    private final String uid;

    DoublingStage(String uid) {
        this.uid = uid;
    }

    @Override
    public DataStream<Long> apply(DataStream<Long> input) {
        return input.map(x -> x * 2).uid(uid);
    }
}

class ComposedStages {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Stage stages = new DoublingStage("one").then(new DoublingStage("two")).then(s -> s.filter(x -> x > 4));
        stages.apply(env.fromSequence(1, 9)).print();
        env.execute();
    }
}

class JobBuilder {
    private String name = "job";
    private int maps = 1;
    private Sink<Long> sink = new DiscardingSink<>();

    static JobBuilder create() {
        return new JobBuilder();
    }

    JobBuilder name(String name) {
        this.name = name;
        return this;
    }

    JobBuilder maps(int maps) {
        this.maps = maps;
        return this;
    }

    JobBuilder sink(Sink<Long> sink) {
        this.sink = sink;
        return this;
    }

    void build(StreamExecutionEnvironment env) {
        DataStream<Long> stream = env.fromSequence(1, 9).uid(name + "-source");
        for (int i = 0; i < maps; i++) {
            stream = stream.map(new Increment()).uid(name + "-map-" + i);
        }
        stream.sinkTo(sink).uid(name + "-sink");
    }
}

class BuiltByABuilder {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        JobBuilder.create().name("built").maps(3).sink(new PrintSink<>()).build(env);
        env.execute();
    }
}

class LoopsOverLiterals {
    private static final String[] TOPICS = {"orders", "payments"};

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Map<String, DataStream<Long>> streams = new LinkedHashMap<>();
        for (String topic : TOPICS) {
            streams.put(topic, env.fromSequence(1, 9).name(topic).uid("source-" + topic));
        }
        List<DataStream<Long>> mapped = new ArrayList<>();
        for (Map.Entry<String, DataStream<Long>> entry : streams.entrySet()) {
            mapped.add(entry.getValue().map(new Increment()).uid("map-" + entry.getKey()));
        }
        DataStream<Long> all = mapped.get(0);
        for (int i = 1; i < mapped.size(); i++) {
            all = all.union(mapped.get(i));
        }
        all.print().uid("print");
        Arrays.asList(1, 2).forEach(n -> streams.get("orders").filter(x -> x > n).uid("filter-" + n).print());
        env.execute();
    }
}

class ChoiceByArguments {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        String mode = args.length > 0 ? args[0] : "none";
        DataStream<Long> stream = env.fromSequence(1, 9);
        switch (mode) {
            case "double":
                stream = stream.map(x -> x * 2).uid("doubled");
                break;
            case "none":
            default:
                stream = stream.filter(x -> true);
        }
        if (args.length == 2 && "print".equals(args[1])) {
            stream.print();
        } else {
            stream.sinkTo(new DiscardingSink<>());
        }
        env.execute();
    }
}

class StreamsInFields {
    private final StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    private DataStream<Long> numbers;
    private final Map<String, SingleOutputStreamOperator<Long>> named = new HashMap<>();

    StreamsInFields numbers() {
        numbers = env.fromSequence(1, 9);
        return this;
    }

    StreamsInFields map(String uid) {
        named.put(uid, numbers.map(new Increment()).uid(uid));
        numbers = named.get(uid);
        return this;
    }

    public static void main(String[] args) throws Exception {
        StreamsInFields job = new StreamsInFields();
        job.numbers().map("a").map("b").numbers.print();
        job.env.execute();
    }
}

class FunctionsAsValues {
    static <T> DataStream<T> tap(DataStream<T> stream, String prefix) {
        stream.print(prefix);
        return stream;
    }

    private static Long twice(Long x) {
        return 2 * x;
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        UnaryOperator<DataStream<Long>> twice = s -> s.map(FunctionsAsValues::twice).name("twice");
        Function<DataStream<Long>, DataStream<Long>> pipeline = twice.andThen(s -> tap(s, "tapped"));
        MapFunction<Long, Long> shared = x -> x - 1;
        pipeline.apply(env.fromSequence(1, 9)).map(shared).map(shared).print();
        env.execute();
    }
}

class OptionalsAndTernaries {
    private static Optional<String> uid(boolean wanted) {
        return wanted ? Optional.of("given") : Optional.empty();
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SingleOutputStreamOperator<Long> stream = env.fromSequence(1, 9).map(new Increment());
        uid(true).ifPresent(stream::uid);
        stream.filter(x -> x > 1).uid(uid(false).orElse("fallback")).print();
        boolean verbose = Boolean.parseBoolean("true");
        DataStream<Long> last = verbose ? stream.map(x -> x).name("verbose") : stream;
        try {
            last.print().setParallelism(Integer.parseInt("2"));
        } finally {
            env.execute();
        }
    }
}

class Recursive {
    private static DataStream<Long> deepen(DataStream<Long> stream, int depth) {
        return depth == 0 ? stream : deepen(stream.map(x -> x + 1).name("level " + depth), depth - 1);
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        deepen(env.fromSequence(1, 9), 4).print();
        env.execute();
    }
}
// arguments ChoiceByArguments: double print
