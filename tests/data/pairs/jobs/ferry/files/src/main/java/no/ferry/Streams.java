package no.ferry;

import java.io.Serializable;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.util.Collector;

final class Streams {
    interface Limit<T> extends Serializable {
        boolean holds(T value);
    }

    static <T> DataStream<String> marked(DataStream<T> in, Label<T> label) {
        return in.map(v -> label.marked(v)).returns(String.class);
    }

    static <T> DataStream<String> plain(DataStream<T> in, Label<T> label) {
        return in.map(new MapFunction<T, String>() {
            @Override
            public String map(T value) {
                return label.of(value);
            }
        }).returns(String.class);
    }

    static DataStream<Crossing> over(DataStream<Crossing> in, Limit<Crossing> limit) {
        return in.flatMap((Crossing c, Collector<Crossing> out) -> {
            if (limit.holds(c)) {
                out.collect(c);
            }
        }).returns(Crossing.class);
    }
}
