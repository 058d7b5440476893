package golden;

import java.util.List;
import java.util.Map;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternSelectFunction;
import org.apache.flink.cep.PatternStream;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

class Patterns {
    private static Pattern<Long, ?> rising() {
        return Pattern.<Long>begin("first").where(SimpleCondition.of(x -> x > 1)).next("second");
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> numbers = env.fromSequence(1, 9);
        PatternStream<Long> matches = CEP.pattern(numbers.keyBy(x -> x % 3), rising());
        matches.select(
                        new PatternSelectFunction<Long, Long>() {
                            @Override
                            public Long select(Map<String, List<Long>> match) {
                                return match.get("first").get(0);
                            }
                        })
                .uid("selected")
                .print();
        CEP.pattern(numbers, rising())
                .process(
                        new PatternProcessFunction<Long, String>() {
                            @Override
                            public void processMatch(Map<String, List<Long>> match, Context c, Collector<String> out) {}
                        })
                .print();
        env.execute();
    }
}

class PatternsWithTimeouts {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        OutputTag<String> timeouts = new OutputTag<String>("timeouts") {};
        org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator<Long> result =
                CEP.pattern(env.fromSequence(1, 9).keyBy(x -> x), Pattern.<Long>begin("a").followedBy("b"))
                        .inProcessingTime()
                        .select(timeouts, (match, time) -> "late", match -> match.get("a").get(0));
        result.print();
        result.getSideOutput(timeouts).print();
        env.execute();
    }
}
