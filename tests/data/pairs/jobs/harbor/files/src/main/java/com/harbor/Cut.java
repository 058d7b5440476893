package com.harbor;
import org.apache.flink.api.common.functions.MapFunction;
public abstract class Cut implements MapFunction<Call, Call> {
    protected final int width;
    protected Cut(int width) { this.width = width; }
    protected abstract String of(Call c);
    @Override public Call map(Call c) throws Exception { c.imo = of(c).substring(0, width); return c; }
}
