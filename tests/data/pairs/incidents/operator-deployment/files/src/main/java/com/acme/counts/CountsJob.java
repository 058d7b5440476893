package com.acme.counts;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class CountsJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers("kafka:9092").setTopics("words").setValueOnlyDeserializer(new SimpleStringSchema()).build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "words").uid("words")
                .keyBy(word -> word).reduce((first, second) -> second).uid("latest").print().uid("out");
        env.execute("counts");
    }
}
