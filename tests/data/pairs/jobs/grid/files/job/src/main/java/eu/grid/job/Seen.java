package eu.grid.job;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Seen extends KeyedProcessFunction<String, String, String> {
    private transient ValueState<Boolean> seen;
    @Override public void open(OpenContext c) { seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Boolean.class)); }
    @Override public void processElement(String p, Context ctx, Collector<String> out) throws Exception {
        if (seen.value() == null) { seen.update(true); out.collect(p); }
    }
}
