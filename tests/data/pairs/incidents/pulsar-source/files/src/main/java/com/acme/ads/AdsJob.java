package com.acme.ads;

import java.util.Optional;
import java.util.Properties;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.pulsar.FlinkPulsarSource;
import org.apache.flink.streaming.util.serialization.PulsarDeserializationSchema;

public class AdsJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Properties properties = new Properties();
        properties.setProperty("topic", "ads");
        FlinkPulsarSource<String> source = new FlinkPulsarSource<>(
                "pulsar://pulsar:6650", "http://pulsar:8080", PulsarDeserializationSchema.valueOnly(new SimpleStringSchema()), properties);
        env.addSource(source).uid("ads").keyBy(ad -> ad).reduce((first, second) -> first).uid("seen").print().uid("out");
        env.execute("ads");
    }
}
