package com.bank;

import com.bank.ledger.flink.LedgerSink;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.pulsar.FlinkPulsarSource;
import org.apache.flink.streaming.connectors.rabbitmq.RMQSource;

public class Job {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<String> orders = env
                .fromSource(KafkaSource.<String>builder().setTopics("orders").build(),
                        WatermarkStrategy.noWatermarks(), "orders").uid("orders");
        DataStream<String> pulses = env.addSource(new FlinkPulsarSource<String>("url", "url", null, null)).uid("pulses");
        DataStream<String> rabbits = env
                .addSource(new RMQSource<String>(null, "queue", true, new SimpleStringSchema())).uid("rabbits");
        orders.union(pulses, rabbits).sinkTo(DorisSink.<String>builder().build()).uid("doris");
        orders.sinkTo(new LedgerSink<String>("ledger")).uid("ledger");
        env.execute("bank");
    }
}
