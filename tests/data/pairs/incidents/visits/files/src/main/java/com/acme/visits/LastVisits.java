package com.acme.visits;

import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class LastVisits extends KeyedProcessFunction<Long, Visit, String> {
    private transient MapState<String, Integer> times;

    @Override
    public void open(Configuration parameters) {
        times = getRuntimeContext().getMapState(new MapStateDescriptor<>("times", Types.STRING, Types.INT));
    }

    @Override
    public void processElement(Visit visit, Context context, Collector<String> out) throws Exception {
        times.put(visit.shop, (int) (visit.time / 1000));
        out.collect(visit.shop + ";" + times.get(visit.shop));
    }
}
