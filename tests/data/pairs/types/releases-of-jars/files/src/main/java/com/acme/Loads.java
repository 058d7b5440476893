package com.acme;

import org.apache.doris.flink.sink.DorisSink;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Loads {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers("kafka:9092")
                .setTopics("loads")
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .build();
        DorisSink.Builder<String> sink = DorisSink.builder();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "loads").uid("loads")
                .sinkTo(sink.build()).uid("doris");
        env.execute("loads");
    }
}
