package jobs;
import java.util.*;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.*;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Routing extends KeyedProcessFunction<String, String, String> {
  private final Map<Kind, Tally> tallies = new HashMap<>();
  private final SortedMap<Integer, ValueState<Long>> bounds = new TreeMap<>();
  private final Map<String, ValueState<Long>> named = new HashMap<>();
  private final Map<Kind, List<ValueState<Long>>> lists = new HashMap<>();
  Routing on(Kind kind, Tally tally) { tallies.put(kind, tally); return this; }
  @Override public void open(OpenContext context) {
    tallies.forEach((kind, tally) -> tally.open(this));
    for (String name : Set.of("x", "y")) named.put(name, bound(name));
    lists.put(Kind.SHORT, List.of(bound("even"), bound("odd")));
    bounds.put(3, bound("low"));
    bounds.put(9, bound("high"));
  }
  private ValueState<Long> bound(String name) { return getRuntimeContext().getState(new ValueStateDescriptor<>(name, Long.class)); }
  @Override public void processElement(String x, Context c, Collector<String> out) throws Exception {
    tallies.get(x.length() > 3 ? Kind.LONG : Kind.SHORT).add(1L);
    lists.get(Kind.SHORT).get(0).update(2L);
    for (ValueState<Long> bound : bounds.tailMap(x.length()).values()) bound.update(1L);
  }
}
