package com.acme.visits;

import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.java.tuple.Tuple2;

public class Average implements AggregateFunction<Visit, Tuple2<Long, Long>, Double> {
    @Override
    public Tuple2<Long, Long> createAccumulator() {
        return Tuple2.of(0L, 0L);
    }

    @Override
    public Tuple2<Long, Long> add(Visit visit, Tuple2<Long, Long> so) {
        return Tuple2.of(so.f0 + visit.time, so.f1 + 1);
    }

    @Override
    public Double getResult(Tuple2<Long, Long> so) {
        return so.f0 / (double) so.f1;
    }

    @Override
    public Tuple2<Long, Long> merge(Tuple2<Long, Long> first, Tuple2<Long, Long> second) {
        return Tuple2.of(first.f0 + second.f0, first.f1 + second.f1);
    }
}
