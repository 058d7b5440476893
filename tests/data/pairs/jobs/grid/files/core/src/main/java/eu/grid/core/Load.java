package eu.grid.core;
import org.apache.flink.api.common.functions.AggregateFunction;
public class Load implements AggregateFunction<Sample, Load.Acc, Load.Result> {
    public static class Acc { public String feeder; public double kwh; public long count; }
    public record Result(String feeder, double mean) {}
    @Override public Acc createAccumulator() { return new Acc(); }
    @Override public Acc add(Sample s, Acc a) { a.feeder = s.feeder; a.kwh += s.kwh; a.count++; return a; }
    @Override public Result getResult(Acc a) { return new Result(a.feeder, a.kwh / a.count); }
    @Override public Acc merge(Acc a, Acc b) { a.kwh += b.kwh; a.count += b.count; return a; }
}
