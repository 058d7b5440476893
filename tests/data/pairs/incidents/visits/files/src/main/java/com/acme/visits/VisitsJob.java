package com.acme.visits;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;

public class VisitsJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(30_000L);
        env.setParallelism(4);
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers("kafka:9092").setTopics("visits").setGroupId("visits")
                .setValueOnlyDeserializer(new SimpleStringSchema()).build();
        DataStream<Visit> visits = env.fromSource(source, WatermarkStrategy.noWatermarks(), "visits").uid("visits")
                .map(Visit::parse).returns(Visit.class).uid("parsed");
        visits.keyBy(visit -> visit.visitor).process(new LastVisits()).uid("last-visits").print().uid("last");
        visits.keyBy(visit -> visit.visitor % 1000)
                .window(TumblingProcessingTimeWindows.of(Time.days(1)))
                .aggregate(new Totals()).uid("totals").print().uid("totals-out");
        visits.keyBy(visit -> visit.shop)
                .window(TumblingProcessingTimeWindows.of(Time.hours(1)))
                .aggregate(new Average()).uid("average").print().uid("average-out");
        env.execute("visits");
    }
}
