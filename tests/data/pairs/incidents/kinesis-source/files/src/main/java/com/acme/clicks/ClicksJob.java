package com.acme.clicks;

import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kinesis.source.KinesisStreamsSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kinesis.FlinkKinesisConsumer;

public class ClicksJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Properties properties = new Properties();
        properties.setProperty("aws.region", "eu-west-1");
        DataStream<String> clicks =
                env.addSource(new FlinkKinesisConsumer<>("clicks", new SimpleStringSchema(), properties)).uid("clicks");
        clicks.keyBy(click -> click).reduce((first, second) -> second).uid("latest").print().uid("out");
        env.execute("clicks");
    }
}
