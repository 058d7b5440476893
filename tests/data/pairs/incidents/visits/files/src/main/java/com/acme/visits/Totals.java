package com.acme.visits;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.java.tuple.Tuple2;

public class Totals implements AggregateFunction<Visit, Map<Tuple2<Dimension, String>, Long>, String> {
    @Override
    public Map<Tuple2<Dimension, String>, Long> createAccumulator() {
        return new HashMap<>();
    }

    @Override
    public Map<Tuple2<Dimension, String>, Long> add(Visit visit, Map<Tuple2<Dimension, String>, Long> totals) {
        totals.merge(Tuple2.of(Dimension.PROVINCE, visit.province), 1L, Long::sum);
        totals.merge(Tuple2.of(Dimension.AGE, visit.age), 1L, Long::sum);
        return totals;
    }

    @Override
    public String getResult(Map<Tuple2<Dimension, String>, Long> totals) {
        return totals.toString();
    }

    @Override
    public Map<Tuple2<Dimension, String>, Long> merge(
            Map<Tuple2<Dimension, String>, Long> first, Map<Tuple2<Dimension, String>, Long> second) {
        second.forEach((dimension, visits) -> first.merge(dimension, visits, Long::sum));
        return first;
    }
}
